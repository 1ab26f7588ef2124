package cli

import (
	"fmt"
	"path"
	"slices"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/steps/agent"
	"github.com/understudy-dev/understudy/steps/issue"
	"github.com/understudy-dev/understudy/steps/playback"
	"github.com/understudy-dev/understudy/steps/pull"
	"github.com/understudy-dev/understudy/steps/run"
	"github.com/understudy-dev/understudy/suite/feature"
)

// missingResults finds the scenarios that dispatch a stage whose agent leaves no result: what the
// platform does after the agent would fail, or do nothing and let a weak scenario pass.
func (l *linter) missingResults() {
	for _, s := range l.scenarios() {
		excused := map[string]bool{}
		for _, step := range s.Steps {
			if stage, c := run.Claimed(step.Text); c == run.Fails || c == run.Absent {
				excused[stage] = true
			}
			if agent, ok := playback.Returns(step.Text); ok {
				excused[agent] = true // its result is a recorded one
			}
		}
		for _, d := range l.dispatches(s) {
			if excused[d.stage.Name] || slices.Contains(d.written, path.Clean(d.stage.Result)) {
				continue
			}
			what := fmt.Sprintf("the scenario dispatches stage %s, but its dummy agent does not write %s, the stage's result", d.stage.Name, d.stage.Result)
			if !d.scripted {
				what = fmt.Sprintf("the scenario dispatches stage %s, but no dummy agent is there to write %s, the stage's result", d.stage.Name, d.stage.Result)
			}
			l.findings = append(l.findings, lintFinding{File: l.place(s.URI), Line: d.line, Rule: "missing-result", What: what,
				Hint: fmt.Sprintf("add a row to its table: | Emit the result | write_fixture | %s, FIXTURE |; `understudy init fixture %s` writes one; "+
					"or say that it fails: Then the %s workflow fails reporting \"…\"", d.stage.Result, d.stage.Name, d.stage.Name)})
		}
	}
}

// dispatch is a stage that a step sets going or says to have run, and what the dummy agent has been told by then.
type dispatch struct {
	stage    driver.Stage
	line     int
	scripted bool     // there is a dummy agent
	written  []string // paths of the workspace that it writes
}

// dispatches are those of the stages with a result that the dummy agent plays: not of a scenario that
// chooses a real runtime, nor of one without a dummy agent where packs of one's own may bring another.
func (l *linter) dispatches(s feature.Scenario) (all []dispatch) {
	var told dispatch
	for _, step := range s.Steps {
		if _, real := realRuntime(step); real {
			return nil
		}
		if paths, ok := agent.Writes(step); ok {
			told = dispatch{scripted: true, written: paths}
			continue
		}
		label, labeled := issue.Labeled(step.Text)
		if !labeled {
			label, labeled = pull.Labeled(step.Text)
		}
		claimed, c := run.Claimed(step.Text)
		for _, st := range l.platform.Stages {
			starts := labeled && label == st.Label
			ran := c == run.Runs && claimed == st.Name && !slices.ContainsFunc(all, func(d dispatch) bool { return d.stage.Name == st.Name })
			if st.Result == "" || !starts && !ran || !told.scripted && len(l.own) > 0 {
				continue
			}
			told.stage, told.line = st, step.Line
			all = append(all, told)
		}
	}
	return all
}
