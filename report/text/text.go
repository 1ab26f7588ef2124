// Package text shows results on a terminal: a line per scenario, a block for each that did not
// pass, and a summary. It returns strings and writes nowhere.
//
//	fmt.Println(text.Line(s, text.Options{Width: 100}))
package text

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/understudy-dev/understudy/result"
)

// Options say how to show results. The zero value gives plain text of 100 columns.
type Options struct {
	Color  bool
	Width  int    // columns of the terminal; 0 is 100
	Column int    // columns for scenario ids, so that names stand below one another; 0 is 20
	Base   string // put before the paths of evidence: the run's directory as seen from where the reader is
	Report string // where the report and the record lie, for the summary
	Record string
}

func (o Options) width() int { return max(40, cmp.Or(o.Width, 100)) }

// The styles, as terminals number them.
const (
	plain  = ""
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

func (o Options) paint(style, text string) string {
	if !o.Color || style == plain || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

func mark(v result.Verdict) (sign, style string) {
	switch v {
	case result.Passed:
		return "✓", green
	case result.Failed:
		return "✗", red
	case result.Skipped:
		return "-", dim
	}
	return "!", yellow
}

// Line shows a scenario in one line of at most Width columns, without a line end.
func Line(s result.Scenario, o Options) string {
	sign, style := mark(s.Verdict)
	id := pad(oneLine(s.ID), min(cmp.Or(o.Column, 20), o.width()/4))
	end := seconds(s.Seconds)
	if s.Verdict != result.Passed {
		end = string(s.Verdict) + "  " + end
	}
	if s.Verdict == result.Skipped {
		end = "skipped"
	}
	room := o.width() - 2 - utf8.RuneCountInString(id) - 2 - 2 - utf8.RuneCountInString(end)
	name, reason := cut(oneLine(s.Name), max(room, 8)), ""
	if left := room - utf8.RuneCountInString(name) - 2; s.Reason != "" && left > 8 {
		reason = "  " + cut(oneLine(s.Reason), left)
	}
	gap := strings.Repeat(" ", max(0, room-utf8.RuneCountInString(name+reason)))
	endStyle := style
	if s.Verdict == result.Passed {
		endStyle = dim
	}
	return o.paint(style, sign) + " " + o.paint(dim, id) + "  " + name + o.paint(dim, reason) + gap + "  " + o.paint(endStyle, end)
}

// Summary shows what the whole run came to, with its own problems and warnings, and where to read on.
func Summary(r result.Record, o Options) string {
	var b strings.Builder
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "%s %s\n", o.paint(yellow, "warning:"), clean(w))
	}
	for _, w := range warned(r) {
		fmt.Fprintf(&b, "%s %s\n", o.paint(yellow, "warning:"), clean(w))
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "%s %s\n", o.paint(red, "problem:"), clean(p.What))
		if p.Hint != "" {
			fmt.Fprintf(&b, "   %s %s\n", o.paint(dim, "hint:"), clean(p.Hint))
		}
	}
	c := r.Counts()
	var counts []string
	for _, n := range []struct {
		count int
		what  result.Verdict
	}{{c.Passed, result.Passed}, {c.Failed, result.Failed}, {c.Broken, result.Broken}, {c.Skipped, result.Skipped}} {
		if n.count > 0 {
			_, style := mark(n.what)
			counts = append(counts, o.paint(style, fmt.Sprintf("%d %s", n.count, n.what)))
		}
	}
	if len(counts) == 0 {
		counts = []string{o.paint(yellow, "nothing ran")}
	}
	b.WriteString(strings.Join(counts, ", "))
	if d := r.Ended.Sub(r.Started); d > 0 {
		b.WriteString(o.paint(dim, " in "+seconds(d.Seconds())))
	}
	if spent := r.Spent(); spent != "" {
		b.WriteString("   " + spent)
	}
	if r.Platform.Defect != "" {
		b.WriteString("   defect: " + clean(r.Platform.Defect))
	}
	if r.Platform.Preset != "" {
		name, _, _ := strings.Cut(r.Platform.Preset, " ") // the record has its digest
		b.WriteString("   preset: " + clean(name))
	}
	if len(r.Faults) > 0 {
		b.WriteString("   faults: " + clean(strings.Join(r.Faults, " ")))
	}
	if o.Report != "" {
		b.WriteString("   report: " + o.Report)
	}
	if o.Record != "" {
		b.WriteString("   record: " + o.Record)
	}
	return b.String() + "\n"
}

// warned tells of each policy how often it warned, and where first.
func warned(r result.Record) []string {
	count, first, order := map[string]int{}, map[string]string{}, []string(nil)
	for _, c := range r.Cells {
		for _, t := range c.Trials {
			for _, s := range t.Scenarios {
				for _, f := range s.Findings {
					if !f.Warning() {
						continue
					}
					if count[f.Policy]++; count[f.Policy] == 1 {
						first[f.Policy] = oneLine(s.ID) + ": " + oneLine(f.Problem.What)
						order = append(order, f.Policy)
					}
				}
			}
		}
	}
	for i, policy := range order {
		order[i] = fmt.Sprintf("%s, %d times; first at %s", policy, count[policy], first[policy])
		if count[policy] == 1 {
			order[i] = policy + " at " + first[policy]
		}
	}
	return order
}

func seconds(s float64) string { return fmt.Sprintf("%.1f s", s) }

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

func cut(s string, width int) string {
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	return string([]rune(s)[:max(0, width-1)]) + "…"
}

func oneLine(s string) string { return strings.Join(strings.Fields(clean(s)), " ") }

// clean takes out what would steer the terminal: what a platform printed must not paint our report.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unicode.IsControl(r) && !unicode.Is(unicode.Bidi_Control, r) {
			return r
		}
		return '�'
	}, s)
}
