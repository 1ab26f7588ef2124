package cli

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/understudy-dev/understudy/suite/hole"
	"github.com/understudy-dev/understudy/trial"
)

// holes finds what no configured run covers, and what is wrong with the list of what is known not to be
// covered. Where a part of the suite cannot be read, what it covers would seem to be missing.
func (l *linter) holes() {
	if !l.usable || l.wordless || len(l.unread) > 0 || slices.ContainsFunc(l.findings, func(f lintFinding) bool { return f.Rule == "unknown-capability" }) {
		return
	}
	file := filepath.Join(l.config.Root, trial.ConfigFile)
	r, err := l.config.Reach(l.files, l.platform)
	if err != nil {
		l.problems("configured-run", file, err)
		return
	}
	for _, p := range hole.Check(r.Suite, hole.Find(r.Suite), l.config.Holes, time.Now()) {
		line := p.Line
		if line == 0 {
			line = l.config.HolesLine
		}
		l.findings = append(l.findings, lintFinding{File: file, Line: line, Rule: p.Rule, What: p.What, Hint: p.Hint})
	}
}
