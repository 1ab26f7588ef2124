// Package cron reads the five fields that say when something is due, and says when that is.
//
//	s, err := cron.Parse("30 4-6 * * MON", "Europe/Berlin")
//	due := s.Between(from, to, 1000)
//
// It takes what GitHub documents for `on.schedule`: numbers, `*`, lists, ranges and steps in every field, names
// for months and days of the week, and nothing that POSIX does not have but steps and names.
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#onschedule
package cron

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // what is due does not depend on the machine
)

// window is how often a schedule may be due: once in each of these.
const window = 5 * time.Minute

// Schedule says when something is due. The zero value is never due.
type Schedule struct {
	text                              string
	minute, hour, day, month, weekday uint64 // a bit for each value
	anyDay, anyWeekday, anyHour       bool
	zone                              *time.Location
}

// field is one of the five.
type field struct {
	name        string
	first, last int
	names       []string // of the values from first on
}

var fields = [5]field{
	{name: "minute", last: 59},
	{name: "hour", last: 23},
	{name: "day of the month", first: 1, last: 31},
	{name: "month", first: 1, last: 12, names: []string{"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"}},
	{name: "day of the week", last: 6, names: []string{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"}},
}

// Parse reads an expression; zone is a name of the IANA database, and "" is UTC.
func Parse(text, zone string) (Schedule, error) {
	if strings.HasPrefix(strings.TrimSpace(text), "@") {
		return Schedule{}, fmt.Errorf("cron %q: a word such as @daily is none of POSIX: want five fields", text)
	}
	parts := strings.Fields(text)
	if len(parts) != len(fields) {
		return Schedule{}, fmt.Errorf("cron %q has %d fields: want five, minute hour day month weekday", text, len(parts))
	}
	var bits [5]uint64
	for i, f := range fields {
		var err error
		if bits[i], err = f.parse(parts[i]); err != nil {
			return Schedule{}, fmt.Errorf("cron %q: %w", text, err)
		}
	}
	s := Schedule{
		text: text, minute: bits[0], hour: bits[1], day: bits[2], month: bits[3], weekday: bits[4],
		anyHour: parts[1] == "*", anyDay: parts[2] == "*", anyWeekday: parts[4] == "*",
	}
	var err error
	if s.zone, err = location(zone); err != nil {
		return Schedule{}, err
	}
	return s, nil
}

func location(name string) (*time.Location, error) {
	if name == "Local" { // Go's word for the machine's own
		return nil, fmt.Errorf("timezone %q is none of the IANA database", name)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("timezone %q is none of the IANA database, such as Europe/Berlin", name)
	}
	return zone, nil
}

// String is the expression as it was given.
func (s Schedule) String() string { return s.text }

// parse reads a list.
func (f field) parse(text string) (bits uint64, err error) {
	for _, item := range strings.Split(text, ",") {
		b, err := f.item(item)
		if err != nil {
			return 0, err
		}
		bits |= b
	}
	return bits, nil
}

// item reads `*`, a value or a range, each with a step or none. A value with a step begins a range to the end.
func (f field) item(text string) (bits uint64, err error) {
	span, by, stepped := strings.Cut(text, "/")
	from, to, step := f.first, f.last, 1
	if stepped {
		if step, err = number(by); err != nil || step < 1 || step > f.last {
			return 0, fmt.Errorf("step %q of the %s: want a number from 1 to %d", by, f.name, f.last)
		}
	}
	if span != "*" {
		low, high, ranged := strings.Cut(span, "-")
		if from, err = f.value(low); err != nil {
			return 0, err
		}
		switch {
		case ranged:
			if to, err = f.value(high); err != nil {
				return 0, err
			}
			if to < from {
				return 0, fmt.Errorf("range %q of the %s goes backwards", span, f.name)
			}
		case !stepped:
			to = from
		}
	}
	for v := from; v <= to; v += step {
		bits |= 1 << v
	}
	return bits, nil
}

func (f field) value(text string) (int, error) {
	if i := slices.Index(f.names, strings.ToUpper(text)); i >= 0 {
		return f.first + i, nil
	}
	n, err := number(text)
	if err == nil && n >= f.first && n <= f.last {
		return n, nil
	}
	want := fmt.Sprintf("a number from %d to %d", f.first, f.last)
	if len(f.names) > 0 {
		want += fmt.Sprintf(", or %s to %s", f.names[0], f.names[len(f.names)-1])
	}
	return 0, fmt.Errorf("%q is no %s: want %s", text, f.name, want)
}

// number reads digits: no sign, no space.
func number(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 8)
	return int(n), err
}
