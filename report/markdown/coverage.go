package markdown

import (
	"strings"

	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/result/coverage"
)

const maxGaps = 20 // of one workflow file

// workflows tells what of them the scenarios took, folded.
func (d *document) workflows(r result.Record) {
	files := coverage.Of(r).Workflows
	if len(files) == 0 {
		return
	}
	d.line("\n<details><summary>Workflows: what these scenarios took of them</summary>")
	for _, w := range files {
		d.line("\n**%s** %s\n", inline(w.Path), inline(w.Summary()))
		gaps := w.Gaps()
		for _, g := range gaps[:min(len(gaps), maxGaps)] {
			d.line("- line %d: %s", g.Line, inline(g.What))
		}
		if more := len(gaps) - maxGaps; more > 0 {
			d.line("- … and %d more", more)
		}
		for _, text := range w.Advice() {
			d.line("- %s", inline(text))
		}
		if w.Runs > 0 {
			d.line("\n```yaml\n%s\n```", strings.TrimSpace(w.Permissions.Block()))
		}
	}
	d.line("\n</details>")
}
