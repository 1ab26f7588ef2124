package text

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/evidence"
	"github.com/understudy-dev/understudy/result"
)

// Limits of what a block shows; the page shows all.
const (
	maxLines    = 12 // of one value
	maxEvidence = 6
)

// Block shows why a scenario did not pass, in one piece: the step with its place, what was expected
// and seen, what policies found, how it came about, and where the evidence lies. It ends with a line
// end. For a scenario that passed or was skipped it returns "".
func Block(s result.Scenario, o Options) string {
	if s.Verdict == result.Passed || s.Verdict == result.Skipped {
		return ""
	}
	b := block{o: o}
	sign, style := mark(s.Verdict)
	head := fmt.Sprintf("%s %s  %s", sign, oneLine(s.ID), oneLine(s.Name))
	b.line("%s%s", o.paint(style+";"+bold, head), o.paint(dim, fmt.Sprintf("  %s after %s", s.Verdict, seconds(s.Seconds))))
	if s.Rule != "" {
		b.line("  %s", o.paint(dim, "Rule: "+oneLine(s.Rule)))
	}
	for _, st := range s.Steps {
		if st.Problem != nil {
			b.step(s, st)
		}
	}
	for _, f := range s.Findings {
		what := f.Policy
		if f.Cause != "" {
			what += " at " + f.Cause
		}
		b.gap()
		b.line("  %s", o.paint(bold, clean(what)))
		b.problem(f.Problem, "")
	}
	b.causes(s)
	b.evidence(s)
	return b.String()
}

type block struct {
	strings.Builder
	o Options
}

func (b *block) line(format string, args ...any) {
	fmt.Fprintf(b, format+"\n", args...)
}

func (b *block) gap() { b.WriteString("\n") }

func (b *block) step(s result.Scenario, st result.Step) {
	uri, _, _ := strings.Cut(oneLine(s.ID), ":")
	place := fmt.Sprintf("%s:%d", uri, st.Line)
	text := oneLine(st.Keyword + " " + st.Text)
	b.gap()
	fill := b.o.width() - 2 - utf8.RuneCountInString(text) - utf8.RuneCountInString(place)
	b.line("  %s%s%s", b.o.paint(bold, text), strings.Repeat(" ", max(2, fill)), b.o.paint(dim, place))
	where := st.Problem.Where
	if where == place {
		where = ""
	}
	p := *st.Problem
	p.Where = where
	b.problem(p, looked(st))
}

// looked tells how the failed look came about: "9 times, decided at quiet".
func looked(st result.Step) string {
	for _, ob := range st.Observations {
		if ob.OK {
			continue
		}
		var parts []string
		if ob.Key != "" {
			parts = append(parts, ob.Key)
		}
		if ob.Tries > 1 {
			parts = append(parts, fmt.Sprintf("%d times", ob.Tries))
		}
		switch ob.Decided {
		case "exact":
			parts = append(parts, "decided at quiet")
		case "watched":
			parts = append(parts, "watched, quiet cannot be known here")
		}
		return strings.Join(parts, ", ")
	}
	return ""
}

func (b *block) problem(p result.Problem, looked string) {
	b.field("", p.Sentence(), plain)
	b.field("at", p.Where, dim)
	b.field("expected", p.Expected, green)
	b.field("seen", p.Seen, red)
	b.field("looked", looked, dim)
	b.field("hint", p.Hint, plain)
	b.field("pending", strings.Join(p.Pending, "\n"), yellow)
	b.field("stack", p.Stack, dim)
}

// field shows a value of one or more lines beside its name.
func (b *block) field(name, value, style string) {
	if value == "" {
		return
	}
	lines := strings.Split(strings.TrimRight(clean(value), "\n"), "\n")
	if more := len(lines) - maxLines; more > 0 {
		lines = append(lines[:maxLines], fmt.Sprintf("… %d more lines", more))
	}
	for i, l := range lines {
		if i > 0 {
			name = ""
		}
		if name == "" && i == 0 {
			b.line("    %s", b.o.paint(style, l))
			continue
		}
		b.line("    %s%s", b.o.paint(dim, pad(name, 10)), b.o.paint(style, l))
	}
}

func (b *block) evidence(s result.Scenario) {
	if len(s.Evidence) == 0 {
		return
	}
	b.gap()
	b.line("  %s", b.o.paint(bold, "evidence"))
	base := b.o.Base
	if base != "" && !strings.HasSuffix(base, "/") {
		base += "/"
	}
	all, forge := shown(s.Evidence)
	for i, ref := range all {
		if i == maxEvidence {
			b.line("    … %d more in the report", len(all)-i)
			break
		}
		note := ""
		if ref.Cut > 0 {
			note = fmt.Sprintf("  (cut: %d bytes dropped)", ref.Cut)
		}
		b.line("    %s  %s%s", pad(clean(ref.Name), 24), b.o.paint(dim, base+cmp.Or(ref.Link, ref.Path)), note)
	}
	if forge && base != "" {
		b.line("    %s  %s", pad("the forge as it was", 24), b.o.paint(dim, "understudy open "+strings.TrimSuffix(base, "/")+" "+oneLine(s.ID)))
	}
}

// shown is the evidence for people; the forge as it was is opened with a command.
func shown(all []evidence.Ref) (rest []evidence.Ref, forge bool) {
	for _, ref := range all {
		if ref.MediaType == driver.ForgeArchive {
			forge = true
			continue
		}
		rest = append(rest, ref)
	}
	return rest, forge
}
