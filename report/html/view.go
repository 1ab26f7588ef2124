package html

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/result"
)

// pageView is what the template shows: texts, ready to be escaped.
type pageView struct {
	Policy    string
	CSS       template.CSS
	JS        template.JS
	Record    result.Record
	Verdict   verdictView
	Title     string
	Headline  string
	Day       string
	Took      string
	Counts    []countView // of trials
	Chips     []countView // of rows, which is what the chips choose from
	Digests   []digestView
	Trials    int  // the most that a scenario has
	Mixed     int  // how many scenarios came to different verdicts
	Dense     bool // there are too many scenarios for large marks
	Features  []*featureView
	Packs     []packView
	Workflows []flowView
	Index     template.HTML // base64
}

type verdictView struct{ Name, Sign string }

type countView struct {
	verdictView
	Count    int
	From, To float64 // of the bar, in hundredths
}

type digestView struct{ File, Short, Full string }

func verdictOf(v result.Verdict) verdictView {
	switch v {
	case result.Passed:
		return verdictView{"passed", "✓"}
	case result.Failed:
		return verdictView{"failed", "✗"}
	case result.Skipped:
		return verdictView{"skipped", "–"}
	}
	return verdictView{"broken", "!"} // also what is none of the four, as in Counts
}

func view(r result.Record, base string) (pageView, error) {
	p := pageView{
		Policy: policy(), CSS: template.CSS(style()), JS: template.JS(script()), Record: r,
		Verdict: verdictOf(r.Verdict()),
		Title:   cmp.Or(r.Platform.Name, "understudy"),
		Day:     r.Started.UTC().Format("2 January 2006, 15:04:05 UTC"),
		Took:    budgeted(r),
	}
	p.headline()
	p.Counts = counts(r.Counts())
	for _, file := range slices.Sorted(maps.Keys(r.Platform.Digest)) {
		full := r.Platform.Digest[file]
		short := strings.TrimPrefix(full, "sha256:")
		p.Digests = append(p.Digests, digestView{file, short[:min(12, len(short))], full})
	}
	var cases []*caseView
	for i, c := range r.Cells {
		name, prefix := "", ""
		if len(r.Cells) > 1 {
			name = strings.Join(slices.DeleteFunc([]string{c.Suite, c.Profile, c.Environment, c.Case}, func(s string) bool { return s == "" }), " · ")
			prefix = fmt.Sprintf("c%d-", i+1)
		}
		p.Trials = max(p.Trials, len(c.Trials))
		features := group(c, name, prefix)
		for _, f := range features {
			cases = append(cases, f.cases()...)
		}
		p.Features = append(p.Features, features...)
	}
	p.Chips, p.Dense = counts(rows(cases)), len(cases) > 250
	for _, c := range cases {
		if c.Mixed {
			p.Mixed++
		}
	}
	p.Workflows = flows(r)
	var err error
	p.Packs, p.Index, err = pack(cases, base)
	return p, err
}

func (p *pageView) headline() {
	c := p.Record.Counts()
	total := c.Total()
	switch {
	case total == 0:
		p.Headline = "Nothing ran"
	case c.Passed+c.Skipped == total && p.Verdict.Name == string(result.Passed):
		p.Headline = fmt.Sprintf("%d of %d passed", c.Passed, total-c.Skipped)
	case c.Passed+c.Skipped == total && c.Passed == 0:
		p.Headline = "All skipped"
	case c.Passed+c.Skipped == total:
		p.Headline = "The run is " + p.Verdict.Name
	default:
		p.Headline = fmt.Sprintf("%d of %d did not pass", c.Failed+c.Broken, total-c.Skipped)
	}
}

// counts gives those that are not zero, the gravest first.
func counts(c result.Counts) []countView {
	var all []countView
	at := 0.0
	for _, n := range []struct {
		v     result.Verdict
		count int
	}{{result.Failed, c.Failed}, {result.Broken, c.Broken}, {result.Passed, c.Passed}, {result.Skipped, c.Skipped}} {
		if n.count > 0 {
			width := 100 * float64(n.count) / float64(c.Total())
			all = append(all, countView{verdictOf(n.v), n.count, at, width})
			at += width
		}
	}
	return all
}

func rows(cases []*caseView) result.Counts {
	var c result.Counts
	for _, v := range cases {
		switch v.Verdict.Name {
		case "passed":
			c.Passed++
		case "failed":
			c.Failed++
		case "skipped":
			c.Skipped++
		default:
			c.Broken++
		}
	}
	return c
}

// budgeted is how long the run took, and of what where it has a limit.
func budgeted(r result.Record) string {
	text := took(r.Took().Seconds())
	if text != "" && r.Budget != nil && r.Budget.Limit > 0 {
		text += " of " + result.Span(r.Budget.Limit)
	}
	return text
}
