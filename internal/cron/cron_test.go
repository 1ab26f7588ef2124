package cron_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/internal/cron"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{ // "" is none
		"15 * * * *":                 "",
		"2,10 4,5 * * *":             "",
		"20/15 * * * *":              "",
		"30 4-6 * JAN-MAR,7 mon-FRI": "",
		" 0\t0 1 1 0 ":               "",
		"0-59/7 */2 1/2 */12 SUN":    "",

		"":                 "fields: want five",
		"@daily":           "@daily",
		"0 0 * *":          "has 4 fields",
		"0 0 * * * *":      "has 6 fields",
		"60 * * * *":       `"60" is no minute: want a number from 0 to 59`,
		"* 24 * * *":       "hour",
		"* * 0 * *":        "day of the month",
		"* * * 13 *":       "JAN to DEC",
		"* * * * 7":        "a number from 0 to 6, or SUN to SAT",
		"* * * * MONDAY":   "MONDAY",
		"* * MON * *":      "MON",
		"? * * * *":        `"?"`,
		"* * L * *":        `"L"`,
		"* * 15W * *":      `"15W"`,
		"* * * * 1#2":      `"1#2"`,
		"5-1 * * * *":      "backwards",
		"*/0 * * * *":      "step",
		"*/ * * * *":       "step",
		"*/60 * * * *":     "step",
		"*/5/5 * * * *":    "step",
		"1,,2 * * * *":     `""`,
		"-1 * * * *":       `""`,
		"1- * * * *":       `""`,
		"+1 * * * *":       `"+1"`,
		"1-2-3 * * * *":    `"2-3"`,
		"*-5 * * * *":      `"*"`,
		"H * * * *":        `"H"`,
		"TZ=UTC 0 0 * * *": "6 fields",
	} {
		_, err := cron.Parse(text, "")
		switch {
		case want == "" && err != nil:
			t.Errorf("Parse(%q): %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("Parse(%q) = %v, want an error with %q", text, err, want)
		}
	}
	for _, zone := range []string{"Local", "Mars/Base", "../UTC", "+02:00"} {
		if _, err := cron.Parse("* * * * *", zone); err == nil {
			t.Errorf("timezone %q is taken", zone)
		}
	}
}

func TestBetween(t *testing.T) {
	for _, c := range []struct{ text, zone, from, to, want string }{
		{"0 3 * * *", "", "2026-11-30T03:00", "2026-12-02T03:00", "1T03:00 2T03:00"}, // after from, until to
		{"20/15 0 * * *", "", "2026-12-01T00:00", "2026-12-01T23:00", "1T00:20 1T00:35 1T00:50"},
		{"0 0 13 * FRI", "", "2026-02-28T00:00", "2026-03-14T00:00", "6T00:00 13T00:00"}, // one of both is enough
		{"0 0 1-7 * *", "", "2026-03-05T00:00", "2026-03-20T00:00", "6T00:00 7T00:00"},   // a day of the week is not given
		{"0 0 29 2 *", "", "2026-01-01T00:00", "2029-01-01T00:00", "29T00:00"},           // 2028
		{"0 0 30 2 *", "", "2026-01-01T00:00", "2036-01-01T00:00", ""},
		// The shortest interval is five minutes.
		{"* * * * *", "", "2026-12-01T00:00", "2026-12-01T00:16", "1T00:05 1T00:10 1T00:15"},
		{"*/2 * * * *", "", "2026-12-01T00:00", "2026-12-01T00:12", "1T00:06 1T00:10"},
		{"3,4 * * * *", "", "2026-12-01T00:03", "2026-12-01T00:30", ""}, // minute 3 was it
		{"0 9 * * *", "Europe/Berlin", "2026-03-28T00:00", "2026-03-30T00:00", "28T08:00 29T07:00"},
		// Clocks go from 2:00 to 3:00 in New York on 8 March, and from 2:00 back to 1:00 on 1 November.
		{"30 2 * * *", "America/New_York", "2026-03-07T12:00", "2026-03-09T12:00", "8T07:00 9T06:30"},
		{"10,40 2 * * *", "America/New_York", "2026-03-08T05:00", "2026-03-08T12:00", "8T07:00"},
		{"30 1 * * *", "America/New_York", "2026-11-01T00:00", "2026-11-02T12:00", "1T05:30 2T06:30"},
		{"30 * * * *", "America/New_York", "2026-11-01T05:00", "2026-11-01T07:00", "1T05:30 1T06:30"},
		{"45 1 * * *", "Australia/Lord_Howe", "2026-04-04T12:00", "2026-04-05T12:00", "4T14:45"}, // half an hour back at 2:00
		{"30 1 * * *", "America/St_Johns", "2010-03-14T03:00", "2010-03-14T06:00", "14T04:00"},   // forward at 0:01
		{"15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00", "2026-10-04T12:00", "3T15:30"},
	} {
		s, err := cron.Parse(c.text, c.zone)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, at := range s.Between(when(t, c.from), when(t, c.to), 100) {
			got = append(got, at.UTC().Format("2T15:04"))
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%q %s: %s", c.text, c.zone, diff)
		}
	}
}

func TestBetweenStopsAtTheLimit(t *testing.T) {
	s, err := cron.Parse("*/5 * * * *", "")
	if err != nil {
		t.Fatal(err)
	}
	from := when(t, "2026-01-01T00:00")
	if got := s.Between(from, from.AddDate(100, 0, 0), 7); len(got) != 7 {
		t.Errorf("%d times, want 7", len(got))
	}
	if got := (cron.Schedule{}).Between(from, from.AddDate(1, 0, 0), 7); got != nil {
		t.Errorf("nothing is due %v", got)
	}
}

// TestEveryMinuteOfAYear compares with a look at each minute of a year that works on the text itself.
func TestEveryMinuteOfAYear(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	from := when(t, "2028-01-01T00:00") // a leap year
	to := from.AddDate(1, 0, 0)
	for range 40 {
		text := random(r)
		s, err := cron.Parse(text, "")
		if err != nil {
			t.Fatal(err)
		}
		var want []time.Time
		used, named := time.Time{}, naming(text)
		for at := from.Add(time.Minute); !at.After(to); at = at.Add(time.Minute) {
			w := at.Truncate(5 * time.Minute)
			if !w.Equal(used) && named(at) {
				used, want = w, append(want, at)
			}
		}
		if w := from; named(from) { // used up before the year began
			want = slices.DeleteFunc(want, func(at time.Time) bool { return at.Before(w.Add(5 * time.Minute)) })
		}
		got := s.Between(from, to, 1<<30)
		if !slices.EqualFunc(got, want, time.Time.Equal) {
			t.Errorf("%q: %d times, want %d", text, len(got), len(want))
		}
		half := from.Add(time.Duration(r.Int64N(int64(to.Sub(from)))))
		if parts := append(s.Between(from, half, 1<<30), s.Between(half, to, 1<<30)...); !slices.EqualFunc(parts, got, time.Time.Equal) {
			t.Errorf("%q: in two parts, at %v, it is due at other times", text, half)
		}
	}
}

// naming reads the text item by item, and says of a minute whether it is named.
func naming(text string) func(time.Time) bool {
	parts := strings.Fields(text)
	var in [5][60]bool
	for i, part := range parts {
		for _, item := range strings.Split(part, ",") {
			first, last := [5]int{0, 0, 1, 1, 0}[i], [5]int{59, 23, 31, 12, 6}[i]
			a, b, step := first, last, 1
			switch {
			case item == "*", scan(item, "*/%d", &step), scan(item, "%d-%d/%d", &a, &b, &step), scan(item, "%d-%d", &a, &b), scan(item, "%d/%d", &a, &step):
			case scan(item, "%d", &a):
				b = a
			default:
				panic(item)
			}
			for v := range 60 {
				in[i][v] = in[i][v] || v >= a && v <= b && (v-a)%step == 0
			}
		}
	}
	return func(at time.Time) bool {
		day, weekday := in[2][at.Day()], in[4][at.Weekday()]
		both := parts[2] != "*" && parts[4] != "*"
		return in[0][at.Minute()] && in[1][at.Hour()] && in[3][at.Month()] && (day && weekday || both && (day || weekday))
	}
}

// scan reads a form, whole or not at all.
func scan(text, form string, into ...any) bool {
	var read, values []any
	for range into {
		read = append(read, new(int))
	}
	if n, err := fmt.Sscanf(text, form, read...); err != nil || n != len(into) {
		return false
	}
	for _, p := range read {
		values = append(values, *p.(*int))
	}
	if fmt.Sprintf(form, values...) != text {
		return false
	}
	for i, p := range into {
		*p.(*int) = values[i].(int)
	}
	return true
}

func random(r *rand.Rand) string {
	var parts []string
	for i := range 5 {
		first, last := [5]int{0, 0, 1, 1, 0}[i], [5]int{59, 23, 31, 12, 6}[i]
		pick := func(from int) int { return from + r.IntN(last-from+1) }
		var items []string
		for range 1 + r.IntN(3) {
			a := pick(first)
			items = append(items, [...]string{
				fmt.Sprint(a), fmt.Sprintf("%d-%d", a, pick(a)), fmt.Sprintf("%d-%d/%d", a, pick(a), 1+r.IntN(last)),
				fmt.Sprintf("*/%d", 1+r.IntN(last)), fmt.Sprintf("%d/%d", a, 1+r.IntN(last)),
			}[r.IntN(5)])
		}
		if r.IntN(3) == 0 {
			items = []string{"*"}
		}
		parts = append(parts, strings.Join(items, ","))
	}
	return strings.Join(parts, " ")
}

func when(t testing.TB, text string) time.Time {
	t.Helper()
	at, err := time.Parse("2006-01-02T15:04", text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"* * * * *", "30 4-6 * JAN-MAR,7 MON", "20/15 */2 1/2 * *", "@daily", "0 0 30 2 *"} {
		f.Add(text, "")
		f.Add(text, "America/New_York")
	}
	f.Fuzz(func(t *testing.T, text, zone string) {
		s, err := cron.Parse(text, zone)
		if err != nil {
			return
		}
		from := time.Date(2026, 3, 1, 12, 34, 56, 0, time.UTC)
		last := from
		for _, at := range s.Between(from, from.AddDate(0, 2, 0), 50) {
			if !at.After(last) || at.Second() != 0 || at.Sub(from) > 62*24*time.Hour {
				t.Errorf("%q %q: due at %v after %v", text, zone, at, last)
			}
			last = at
		}
	})
}
