package text

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/understudy-dev/understudy/result"
)

// maxParted is how many values of one side a parting shows.
const maxParted = 6

// Difference shows where two records part; heads say what A and B are.
func Difference(d result.Difference, heads [2]string, o Options) string {
	b := block{o: o}
	b.line("%s %s", o.paint(red, "A"), clean(heads[0]))
	b.line("%s %s", o.paint(green, "B"), clean(heads[1]))
	for _, s := range d.Scenarios {
		b.scenarioDifference(s)
	}
	b.alone(o.paint(red, "A"), d.OnlyA)
	b.alone(o.paint(green, "B"), d.OnlyB)
	if d.Run != nil {
		b.gap()
		b.parting(d.Run)
	}
	b.gap()
	switch {
	case d.Equal():
		b.line("%s", o.paint(green, fmt.Sprintf("alike: %s", scenarios(d.Same))))
	default:
		parts := []string{fmt.Sprintf("%d of %s unlike", len(d.Scenarios), scenarios(len(d.Scenarios)+d.Same))}
		if n := len(d.OnlyA) + len(d.OnlyB); n > 0 {
			parts = append(parts, fmt.Sprintf("%d more in one record only", n))
		}
		b.line("%s", strings.Join(parts, ", "))
	}
	return b.String()
}

func scenarios(n int) string {
	if n == 1 {
		return "1 scenario"
	}
	return fmt.Sprintf("%d scenarios", n)
}

func (b *block) scenarioDifference(s result.ScenarioDifference) {
	b.gap()
	verdicts := string(s.VerdictA)
	if s.VerdictA != s.VerdictB {
		verdicts = fmt.Sprintf("%s → %s", s.VerdictA, s.VerdictB)
	}
	if s.TrialA > 1 || s.TrialB > 1 {
		verdicts += fmt.Sprintf(" (trial %d of A, %d of B)", s.TrialA, s.TrialB)
	}
	_, style := mark(s.VerdictB)
	b.line("%s  %s  %s", b.o.paint(bold, oneLine(s.ID)), oneLine(s.Name), b.o.paint(style, verdicts))
	for _, p := range []*result.Parting{s.Step, s.After, s.Findings, s.Line} {
		b.parting(p)
	}
	if s.Node == nil {
		return
	}
	b.line("  %s", b.o.paint(bold, "the causal chains part"))
	indent := "    "
	for _, l := range s.Chain {
		status := oneLine(l.A)
		if l.A != l.B {
			status = b.o.paint(red, "A "+orNone(l.A)) + ", " + b.o.paint(green, "B "+orNone(l.B))
		}
		text := fmt.Sprintf("%s%s %s", indent, l.Kind, oneLine(l.Title))
		if status != "" {
			text += strings.Repeat(" ", max(2, 64-utf8.RuneCountInString(text))) + status
		}
		b.line("%s", text)
		indent += "  "
	}
	b.sides(indent, s.Node)
}

func orNone(s string) string {
	if s == "" {
		return "nothing"
	}
	return oneLine(s)
}

func (b *block) parting(p *result.Parting) {
	if p == nil {
		return
	}
	b.line("  %s", b.o.paint(bold, oneLine(p.At)))
	b.sides("    ", p)
}

func (b *block) sides(indent string, p *result.Parting) {
	b.side(indent, "A", red, p.A)
	b.side(indent, "B", green, p.B)
}

func (b *block) side(indent, name, style string, values []string) {
	if len(values) == 0 {
		b.line("%s%s  %s", indent, b.o.paint(style, name), b.o.paint(dim, "nothing of it"))
		return
	}
	if more := len(values) - maxParted; more > 0 {
		values = append(values[:maxParted:maxParted], fmt.Sprintf("… %d more", more))
	}
	room := b.o.width() - utf8.RuneCountInString(indent) - 3
	for i, v := range values {
		if i > 0 {
			name = " "
		}
		b.line("%s%s  %s", indent, b.o.paint(style, name), b.o.paint(style, cut(oneLine(v), max(room, 20)*3)))
	}
}

func (b *block) alone(side string, all []result.Named) {
	if len(all) == 0 {
		return
	}
	b.gap()
	b.line("only in %s", side)
	for _, n := range all {
		b.line("  %s  %s", b.o.paint(bold, oneLine(n.ID)), oneLine(n.Name))
	}
}
