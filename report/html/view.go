package html

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/evidence"
	"github.com/understudy-dev/understudy/result"
)

// pageView is what the template shows: texts, ready to be escaped.
type pageView struct {
	Policy   string
	CSS      template.CSS
	JS       template.JS
	Record   result.Record
	Verdict  verdictView
	Title    string
	Headline string
	Day      string
	Took     string
	Counts   []countView
	Digests  []digestView
	Groups   []groupView
}

type verdictView struct{ Name, Sign string }

type countView struct {
	verdictView
	Count    int
	From, To float64 // of the bar, in hundredths
}

type digestView struct{ File, Short, Full string }

// groupView is a feature of a trial.
type groupView struct {
	Cell      string // "" when there is only one cell and trial
	Feature   string
	File      string
	Rules     []ruleView
	Scenarios int
}

type ruleView struct {
	Name      string
	Scenarios []scenarioView
}

type scenarioView struct {
	result.Scenario
	Anchor  string
	Sign    string
	Open    bool
	Took    string
	Steps   []stepView
	After   []observationView
	Tree    []nodeView
	Journal []entryView
	Files   []fileView
	Search  string
}

type stepView struct {
	result.Step
	Sign, Took   string
	Place        string
	Observations []observationView
}

type observationView struct {
	result.Observation
	Sign, Got string
	Notes     string
}

type fileView struct {
	evidence.Ref
	Href, Kilobytes string
}

type entryView struct {
	driver.Entry
	Clock, Detail string
}

func sign(v result.Verdict) string {
	switch v {
	case result.Passed:
		return "✓"
	case result.Failed:
		return "✗"
	case result.Skipped:
		return "–"
	}
	return "!"
}

func view(r result.Record, base string) pageView {
	if base != "" && !strings.HasSuffix(base, "/") {
		base += "/"
	}
	v := r.Verdict()
	p := pageView{
		Policy: policy(), CSS: template.CSS(pageCSS), JS: template.JS(pageJS), Record: r,
		Verdict: verdictView{string(v), sign(v)},
		Title:   cmp.Or(r.Platform.Name, "understudy"),
		Day:     r.Started.UTC().Format("2 January 2006, 15:04:05 UTC"),
		Took:    took(r.Ended.Sub(r.Started).Seconds()),
	}
	p.headline()
	for _, file := range slices.Sorted(maps.Keys(r.Platform.Digest)) {
		full := r.Platform.Digest[file]
		short := strings.TrimPrefix(full, "sha256:")
		p.Digests = append(p.Digests, digestView{file, short[:min(12, len(short))], full})
	}
	single := len(r.Cells) == 1 && len(r.Cells[0].Trials) == 1
	for ci, c := range r.Cells {
		for _, t := range c.Trials {
			name := strings.Join(slices.DeleteFunc([]string{c.Suite, c.Profile, c.Environment, c.Case}, func(s string) bool { return s == "" }), " · ")
			name += fmt.Sprintf(" · trial %d", t.Number)
			prefix := fmt.Sprintf("c%d-t%d-", ci+1, t.Number)
			if single {
				name, prefix = "", ""
			}
			p.Groups = append(p.Groups, groups(t, name, prefix, base)...)
		}
	}
	return p
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
	at := 0.0
	for _, n := range []struct {
		v     result.Verdict
		count int
	}{{result.Failed, c.Failed}, {result.Broken, c.Broken}, {result.Passed, c.Passed}, {result.Skipped, c.Skipped}} {
		if n.count > 0 {
			width := 100 * float64(n.count) / float64(total)
			p.Counts = append(p.Counts, countView{verdictView{string(n.v), sign(n.v)}, n.count, at, width})
			at += width
		}
	}
}

// groups puts scenarios under their feature files and rules, in the order in which they come.
func groups(t result.Trial, cell, prefix, base string) []groupView {
	var all []groupView
	for _, s := range t.Scenarios {
		file, _, _ := strings.Cut(s.ID, ":")
		if n := len(all); n == 0 || all[n-1].File != file {
			all = append(all, groupView{Cell: cell, Feature: s.Feature, File: file})
		}
		g := &all[len(all)-1]
		if n := len(g.Rules); n == 0 || g.Rules[n-1].Name != s.Rule {
			g.Rules = append(g.Rules, ruleView{Name: s.Rule})
		}
		rule := &g.Rules[len(g.Rules)-1]
		rule.Scenarios = append(rule.Scenarios, scenario(s, prefix, base))
		g.Scenarios++
	}
	return all
}

func scenario(s result.Scenario, prefix, base string) scenarioView {
	v := scenarioView{
		Scenario: s, Anchor: prefix + s.ID, Sign: sign(s.Verdict), Took: took(s.Seconds),
		Open:   s.Verdict != result.Passed && s.Verdict != result.Skipped,
		After:  observations(s.After),
		Tree:   nodes(result.Tree(s.Journal)),
		Search: strings.ToLower(strings.Join(append([]string{s.ID, s.Name, s.Feature, s.Rule}, s.Tags...), " ")),
	}
	file, _, _ := strings.Cut(s.ID, ":")
	if s.Verdict == result.Skipped {
		v.Took = "skipped"
	}
	for _, st := range s.Steps {
		place := fmt.Sprintf("%s:%d", file, st.Line)
		if p := st.Problem; p != nil && p.Where == place { // stands in the heading
			here := *p
			here.Where = ""
			st.Problem = &here
		}
		v.Steps = append(v.Steps, stepView{st, sign(st.Verdict), took(st.Seconds), place, observations(st.Observations)})
		v.Search += " " + strings.ToLower(st.Text)
	}
	for _, e := range s.Journal {
		v.Journal = append(v.Journal, entryView{e, clock(e.Time), detail(e.Detail)})
	}
	for _, ref := range s.Evidence {
		v.Files = append(v.Files, fileView{ref, base + ref.Path, fmt.Sprintf("%.1f kB", float64(ref.Size)/1000)})
	}
	return v
}

func observations(all []result.Observation) []observationView {
	var out []observationView
	for _, o := range all {
		v := observationView{Observation: o, Sign: "✓", Got: compact(o.Got)}
		if !o.OK {
			v.Sign = "✗"
		}
		var notes []string
		if o.Tries > 1 {
			notes = append(notes, fmt.Sprintf("looked %d times", o.Tries))
		}
		switch o.Decided {
		case "":
		case "exact":
			notes = append(notes, "decided at quiet")
		default:
			notes = append(notes, o.Decided)
		}
		v.Notes = strings.Join(notes, ", ")
		out = append(out, v)
	}
	return out
}

func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

func took(s float64) string {
	switch {
	case s <= 0:
		return ""
	case s < 0.0995:
		return fmt.Sprintf("%.0f ms", s*1000)
	}
	return fmt.Sprintf("%.1f s", s)
}

func clock(t time.Time) string { return t.UTC().Format("15:04:05.000") }

func detail(d map[string]string) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(d)) {
		parts = append(parts, k+"="+d[k])
	}
	return strings.Join(parts, "  ")
}
