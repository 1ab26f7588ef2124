package cli

import "path/filepath"

// budget holds the time-out of the test command to the CI job's limit and to what the suite may take.
func (l *linter) budget() {
	if l.config.Budget == nil {
		return
	}
	scenarios := len(l.scenarios())
	if r, err := l.config.Reach(l.files, l.platform); err == nil {
		scenarios = r.Most()
	}
	for _, p := range l.config.CheckBudget(scenarios) {
		file, err := filepath.Abs(p.File)
		if err != nil {
			file = p.File
		}
		l.findings = append(l.findings, lintFinding{File: file, Line: p.Line, Rule: "budget", What: p.What, Hint: p.Hint})
	}
}
