package fault_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/internal/fault"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]fault.Fault{
		"delivery.late":                  {Name: "delivery.late"},
		"delivery.late=2@issues.labeled": {Name: "delivery.late", Args: map[string]string{"after": "2"}, At: "issues.labeled"},
		"delivery.twice=late,to:hooks,from:2,times:3,chance:40@push": {
			Name: "delivery.twice", Args: map[string]string{"again": "late", "to": "hooks"}, At: "push", From: 2, Times: 3, Chance: 40,
		},
		"name.taken=by:a:b":                  {Name: "name.taken", Args: map[string]string{"by": "a:b"}},
		"delivery.twice=times:always@issues": {Name: "delivery.twice", At: "issues", Times: fault.Always},
	} {
		got, err := fault.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
		if got.String() != text {
			t.Errorf("%s is written %s", text, got)
		}
	}
}

func TestWrongFaultsAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "there are delivery.late, ",
		"delivery.lat":                   `there is no fault "delivery.lat"; there are delivery.late, `,
		"delivery.late=":                 "after is a whole number",
		"delivery.late=0":                "after is a whole number from 1",
		"delivery.late=1,1":              `"1" is no KEY:VALUE; there are after, to, from, times, chance`,
		"delivery.late=after:1,after:2":  "after is given twice",
		"delivery.late=by:me":            `no argument "by"; there are after, to, from, times, chance`,
		"delivery.late=to:people":        "to is workflows or hooks",
		"delivery.late=times:0":          "times is a whole number",
		"delivery.late=times:-1":         "times is a whole number",
		"delivery.late=chance:100":       "chance is a whole number from 1 to 99",
		"delivery.late@":                 "after @ comes an event",
		"delivery.late@isues.labeled":    `"isues.labeled" is no event`,
		"delivery.late@issues.":          `"issues." is no event`,
		"delivery.unindexed@/x":          "is no file of a repository",
		"delivery.unindexed=1":           `"1" is no KEY:VALUE; there are from, times, chance`,
		"delivery.late@issues labeled":   "is no event",
		"api.5xx@get /repos":             "is no request",
		"api.5xx@GET":                    "is no request",
		"api.5xx@GET /repos x":           "is no request",
		"api.5xx=by:":                    "by is a text",
		strings.Repeat("delivery.", 200): "at most 1000 bytes",
	} {
		if _, err := fault.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; there is no %q", text, err, want)
		}
	}
}

// TestCatalogue: each fault has an example that is one, and says all that people are shown.
func TestCatalogue(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range fault.Catalogue() {
		f, err := fault.Parse(k.Example)
		if err != nil || f.Name != k.Name || f.String() != k.Example {
			t.Errorf("%s: example %q is %s, %v", k.Name, k.Example, f, err)
		}
		if k.Does == "" || seen[k.Name] {
			t.Errorf("%s: said twice, or nothing said of it", k.Name)
		}
		seen[k.Name] = true
		for _, text := range k.Sweep {
			if f, err := fault.Parse(text); err != nil || f.Name != k.Name {
				t.Errorf("%s is swept as %s, which is %s, %v", k.Name, text, f, err)
			}
		}
		if len(k.Sweep) == 0 {
			t.Errorf("%s: no sweep tries it", k.Name)
		}
		for _, a := range k.Args {
			if a.Means == "" {
				t.Errorf("%s: nothing is said of %s", k.Name, a.Name)
			}
			if a.Default != "" {
				if _, err := fault.Parse(k.Name + "=" + a.Name + ":" + a.Default); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, k := range fault.Catalogue() {
		f.Add(k.Example)
	}
	f.Add("delivery.late=2,to:hooks,times:always,chance:3@issues")
	f.Add("=@,:")
	f.Fuzz(func(t *testing.T, text string) {
		one, err := fault.Parse(text)
		if err != nil {
			return
		}
		again, err := fault.Parse(one.String())
		if diff := cmp.Diff(one, again); err != nil || diff != "" {
			t.Errorf("%q is written %q: %v %s", text, one, err, diff)
		}
	})
}
