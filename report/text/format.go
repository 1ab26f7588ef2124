package text

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/understudy-dev/understudy/result"
)

// Format renders a whole record as a terminal shows it: the lines, the blocks, the summary.
type Format struct{ Options Options }

// Write renders r.
func (f Format) Write(w io.Writer, r result.Record) error {
	o := f.Options
	var b strings.Builder
	for s := range r.Scenarios() {
		o.Column = max(o.Column, 20, utf8.RuneCountInString(oneLine(s.ID)))
	}
	for _, c := range r.Cells {
		for _, t := range c.Trials {
			if head := heading(r, c, t); head != "" {
				b.WriteString(o.paint(bold, head) + "\n")
			}
			for _, s := range t.Scenarios {
				b.WriteString(Line(s, o) + "\n")
			}
		}
	}
	for s := range r.Scenarios() {
		if block := Block(s, o); block != "" {
			b.WriteString("\n" + block)
		}
	}
	b.WriteString("\n" + strings.TrimSuffix(Summary(r, o), "\n") + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// heading names a trial where a record has several; "" where it has one.
func heading(r result.Record, c result.Cell, t result.Trial) string {
	if len(r.Cells) == 1 && len(c.Trials) == 1 {
		return ""
	}
	return fmt.Sprintf("%s, %s, trial %d of %d", oneLine(c.Suite), oneLine(c.Environment), t.Number, len(c.Trials))
}
