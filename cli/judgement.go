package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/result/policy"
)

// judgement applies what judges to what a record keeps.
type judgement struct {
	strict   bool
	policies func(result.Scenario) []result.Finding
	changes  []change
	again    int // expectations that were judged again
	kept     int // expectations that stand as they were judged then
}

// change is a scenario in which something came out differently.
type change struct {
	id, name    string
	trial       int
	before, now result.Verdict
	lines       []string
}

// record returns r as judged now. r is not changed.
func (j *judgement) record(r result.Record) (result.Record, error) {
	r.Cells = slices.Clone(r.Cells)
	for c := range r.Cells {
		trials := slices.Clone(r.Cells[c].Trials)
		for t := range trials {
			scenarios := slices.Clone(trials[t].Scenarios)
			for s := range scenarios {
				ch := change{id: scenarios[s].ID, name: scenarios[s].Name, trial: trials[t].Number, before: scenarios[s].Verdict}
				var err error
				if scenarios[s], err = j.scenario(scenarios[s], &ch); err != nil {
					return r, fmt.Errorf("%s: %w", ch.id, err)
				}
				ch.now = scenarios[s].Verdict
				if ch.before != ch.now || len(ch.lines) > 0 {
					j.changes = append(j.changes, ch)
				}
			}
			trials[t].Scenarios = scenarios
		}
		r.Cells[c].Trials = trials
	}
	return r, nil
}

func (j *judgement) scenario(s result.Scenario, ch *change) (result.Scenario, error) {
	if s.Verdict == result.Skipped || found(s, "interrupted") {
		return s, nil
	}
	kept := j.kept
	s.Steps = slices.Clone(s.Steps)
	for i := range s.Steps {
		if err := j.step(s, &s.Steps[i], ch); err != nil {
			return s, fmt.Errorf("step %d: %w", s.Steps[i].Number, err)
		}
	}
	after, looked, err := j.observations(s.After)
	if err != nil {
		return s, err
	}
	s.After = after
	for _, f := range looked {
		ch.lines = append(ch.lines, "after the steps: "+f.String())
	}
	s.Findings = j.findings(s, ch)
	if j.strict && j.kept > kept {
		s.Findings = append(s.Findings, result.Finding{Policy: "not-judged", Problem: result.Problem{Verdict: result.Broken,
			What: fmt.Sprintf("%d expectations cannot be judged again", j.kept-kept)}})
		ch.lines = append(ch.lines, fmt.Sprintf("+ not-judged: %d expectations cannot be judged again", j.kept-kept))
	}
	s.Verdict = s.Judged()
	return s, nil
}

func found(s result.Scenario, policy string) bool {
	return slices.ContainsFunc(s.Findings, func(f result.Finding) bool { return f.Policy == policy })
}

// flip is an expectation that came out differently; mismatch is nil where it holds now.
type flip struct {
	about    string
	want     string
	mismatch *match.Mismatch
}

func (f flip) String() string {
	if f.mismatch == nil {
		return fmt.Sprintf("%s: %s holds now", f.about, f.want)
	}
	return f.mismatch.Error()
}

// observations judges what was seen and returns it with what came out differently.
func (j *judgement) observations(all []result.Observation) ([]result.Observation, []flip, error) {
	all = slices.Clone(all)
	var flips []flip
	for i := range all {
		o := &all[i]
		if o.Want == "" && o.Matcher == nil {
			continue // seen, with nothing expected of it
		}
		if o.Matcher == nil || !o.Whole() {
			j.kept++
			continue
		}
		m, err := match.Parse(*o.Matcher)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", o.Subject, err)
		}
		got, err := match.Decode(o.Got)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: read what was seen: %w", o.Subject, err)
		}
		j.again++
		mis := m.Match(got)
		if (mis == nil) == o.OK {
			continue
		}
		o.OK = mis == nil
		about := o.Subject
		if o.Key != "" {
			about += " of " + o.Key
		}
		if mis != nil {
			mis.Subject = about
		}
		flips = append(flips, flip{about, m.String(), mis})
	}
	return all, flips, nil
}

// step judges a step. One that passed fails with the first expectation that does not hold now; one
// that failed of an expectation passes when all of them hold. What a step that was not reached would
// have come to nobody knows.
func (j *judgement) step(s result.Scenario, st *result.Step, ch *change) error {
	seen, flips, err := j.observations(st.Observations)
	if err != nil {
		return err
	}
	st.Observations = seen
	if len(flips) == 0 {
		return nil
	}
	before := st.Verdict
	first := slices.IndexFunc(flips, func(f flip) bool { return f.mismatch != nil })
	allHold := !slices.ContainsFunc(seen, func(o result.Observation) bool { return !o.OK })
	switch {
	case first >= 0 && before == result.Passed:
		uri, _, _ := strings.Cut(s.ID, ":")
		st.Problem = result.Of(flips[first].mismatch)
		st.Problem.Where = fmt.Sprintf("%s:%d", uri, st.Line)
		st.Verdict = st.Problem.Verdict
	case first < 0 && before == result.Failed && allHold:
		st.Problem, st.Verdict = nil, result.Passed
	}
	line := fmt.Sprintf("step %d %s", st.Number, st.Text)
	if before != st.Verdict {
		line += fmt.Sprintf("  %s → %s", before, st.Verdict)
	}
	ch.lines = append(ch.lines, line)
	for _, f := range flips {
		ch.lines = append(ch.lines, "  "+f.String())
	}
	return nil
}

// findings replaces those of the policies by what they find now; the others were found while it ran.
func (j *judgement) findings(s result.Scenario, ch *change) []result.Finding {
	var others, before []result.Finding
	for _, f := range s.Findings {
		if policy.Own(f.Policy) {
			before = append(before, f)
		} else {
			others = append(others, f)
		}
	}
	now := j.policies(s)
	changed := false
	for _, side := range []struct {
		sign       string
		these, not []result.Finding
	}{{"-", before, now}, {"+", now, before}} {
		for _, f := range side.these {
			if !slices.ContainsFunc(side.not, func(g result.Finding) bool { return same(f, g) }) {
				changed = true
				ch.lines = append(ch.lines, fmt.Sprintf("%s %s: %s (%s)", side.sign, f.Policy, f.Problem.What, f.Problem.Verdict))
			}
		}
	}
	if !changed {
		return s.Findings
	}
	return append(now, others...)
}

func same(a, b result.Finding) bool {
	return a.Policy == b.Policy && a.Cause == b.Cause && a.Problem.What == b.Problem.What && a.Problem.Verdict == b.Problem.Verdict
}
