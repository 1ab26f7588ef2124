package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Difference is where two records part. What Canon leaves out or masks is no difference.
type Difference struct {
	Same      int                  `json:"same"`                // scenarios that both have, alike
	Scenarios []ScenarioDifference `json:"scenarios,omitempty"` // that both have, not alike; in the order of A
	OnlyA     []Named              `json:"only_a,omitempty"`
	OnlyB     []Named              `json:"only_b,omitempty"`
	Run       *Parting             `json:"run,omitempty"` // problems of the runs as a whole
}

// Named is a scenario by id and name.
type Named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// ScenarioDifference tells where a scenario of one record parts from the same one of the other. What
// is nil is alike in both.
type ScenarioDifference struct {
	Named
	TrialA   int      `json:"trial_a"`
	TrialB   int      `json:"trial_b"`
	VerdictA Verdict  `json:"verdict_a"`
	VerdictB Verdict  `json:"verdict_b"`
	Step     *Parting `json:"step,omitempty"`     // the first step that differs
	After    *Parting `json:"after,omitempty"`    // what the packs saw after the steps: operations of agents
	Findings *Parting `json:"findings,omitempty"` // of policies and clean-up
	Chain    []Link   `json:"chain,omitempty"`    // from the root of the causal tree to Node, without it
	Node     *Parting `json:"node,omitempty"`     // the first node of the causal trees that is not in both alike
	Line     *Parting `json:"line,omitempty"`     // where nothing else tells: the first lines of Canon that differ
}

// Parting is one place where two scenarios part, with what each of them had there, masked. Empty is
// nothing.
type Parting struct {
	At string   `json:"at"` // "step 5 the issue is closed", "job run (triage)"
	A  []string `json:"a,omitempty"`
	B  []string `json:"b,omitempty"`
}

// Link is a node that both causal trees have on the way to where they part.
type Link struct {
	Kind  Kind   `json:"kind"`
	Title string `json:"title"`
	A     string `json:"a,omitempty"` // status
	B     string `json:"b,omitempty"`
}

// Equal tells whether there is no difference.
func (d Difference) Equal() bool {
	return len(d.Scenarios)+len(d.OnlyA)+len(d.OnlyB) == 0 && d.Run == nil
}

// Diff tells where a and b part. A scenario's trials are not counted: what one record came to, the
// other one came to as well, in whatever trial; a trial that the other record has nothing like is set
// against one of those that are left over there, or the first.
func Diff(a, b Record) Difference {
	var d Difference
	ta, orderA := tries(a, len(a.Cells)+len(b.Cells) > 2)
	tb, orderB := tries(b, len(a.Cells)+len(b.Cells) > 2)
	for _, key := range orderA {
		if tb[key] == nil {
			d.OnlyA = append(d.OnlyA, ta[key][0].named())
			continue
		}
		if sd := compare(ta[key], tb[key]); sd != nil {
			d.Scenarios = append(d.Scenarios, *sd)
		} else {
			d.Same++
		}
	}
	for _, key := range orderB {
		if ta[key] == nil {
			d.OnlyB = append(d.OnlyB, tb[key][0].named())
		}
	}
	d.Run = setAgainst("the run", ofRun(a), ofRun(b))
	return d
}

// tried is one trial of a scenario.
type tried struct {
	Scenario
	trial int
	canon string
}

func (t tried) named() Named { return Named{t.ID, t.Name} }

// tries are the trials of each scenario, and the scenarios in order. Cells are told apart only where
// a record has several: the same suite in two environments is worth a comparison.
func tries(r Record, apart bool) (map[string][]tried, []string) {
	all, order := map[string][]tried{}, []string(nil)
	for _, c := range r.Cells {
		for _, t := range c.Trials {
			for _, s := range t.Scenarios {
				key := s.ID
				if apart {
					key = fmt.Sprintf("%q %q %q %q %q", c.Suite, c.Profile, c.Environment, c.Case, s.ID)
				}
				if all[key] == nil {
					order = append(order, key)
				}
				all[key] = append(all[key], tried{s, t.Number, number(canonScenario(s))})
			}
		}
	}
	return all, order
}

// compare returns nil when each of the trials has its like on the other side.
func compare(a, b []tried) *ScenarioDifference {
	without := func(these, those []tried) []tried {
		return slices.DeleteFunc(slices.Clone(these), func(t tried) bool {
			return slices.ContainsFunc(those, func(o tried) bool { return o.canon == t.canon })
		})
	}
	restA, restB := without(a, b), without(b, a)
	if len(restA)+len(restB) == 0 {
		return nil
	}
	restA, restB = append(restA, a[0]), append(restB, b[0])
	d := parted(restA[0], restB[0])
	return &d
}

func parted(a, b tried) ScenarioDifference {
	d := ScenarioDifference{Named: a.named(), TrialA: a.trial, TrialB: b.trial, VerdictA: a.Verdict, VerdictB: b.Verdict}
	for i := range max(len(a.Steps), len(b.Steps)) {
		at, stepA := stepLines(a.Steps, i)
		other, stepB := stepLines(b.Steps, i)
		if at == "" {
			at = other
		}
		if d.Step = setAgainst(at, stepA, stepB); d.Step != nil {
			break
		}
	}
	d.After = setAgainst("after the steps", sights(a.After), sights(b.After))
	d.Findings = setAgainst("findings", findings(a.Findings), findings(b.Findings))
	d.Chain, d.Node = partedTrees(Tree(a.Journal), Tree(b.Journal))
	if d.Step == nil && d.After == nil && d.Findings == nil && d.Node == nil {
		d.Line = firstLine(a.canon, b.canon)
	}
	return d
}

// setAgainst gives what only one side has, each in its order; nil when there is nothing.
func setAgainst(at string, a, b []string) *Parting {
	p := Parting{At: mask(at), A: less(a, b), B: less(b, a)}
	if len(p.A)+len(p.B) == 0 {
		return nil
	}
	return &p
}

// less returns the texts of a, masked, without those of b; a text that stands twice must be taken
// away twice.
func less(a, b []string) []string {
	left := map[string]int{}
	for _, text := range b {
		left[mask(text)]++
	}
	var out []string
	for _, text := range a {
		text = mask(text)
		if left[text] > 0 {
			left[text]--
			continue
		}
		out = append(out, text)
	}
	return out
}

func stepLines(steps []Step, i int) (at string, lines []string) {
	if i >= len(steps) {
		return "", nil
	}
	st := steps[i]
	lines = []string{string(st.Verdict), st.Keyword + " " + st.Text}
	if st.Argument != "" {
		lines = append(lines, st.Argument)
	}
	lines = append(lines, sights(st.Observations)...)
	return fmt.Sprintf("step %d %s", st.Number, st.Text), append(lines, problems(st.Problem)...)
}

// sights are observations for people, with all of them that Canon counts.
func sights(all []Observation) (lines []string) {
	for _, o := range all {
		line := strings.TrimSpace(o.Subject+" "+o.Key) + ": " + plainJSON(o.Got)
		switch {
		case o.Want != "" && o.OK:
			line += ", as expected: " + o.Want
		case o.Want != "":
			line += ", expected " + o.Want
		}
		if o.Decided == "watched" {
			line += " (watched)"
		}
		lines = append(lines, line)
	}
	return lines
}

// plainJSON is a value without the escapes that JSON has for HTML.
func plainJSON(raw json.RawMessage) string {
	var v any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return string(raw)
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return string(raw)
	}
	return strings.TrimSpace(out.String())
}

func problems(p *Problem) []string {
	if p == nil {
		return nil
	}
	c := canon{}
	c.problem("", p)
	return []string{strings.TrimSuffix(strings.TrimPrefix(c.lines[0], "problem "), " at")} // expected and seen stand in it, or in what was seen
}

func findings(all []Finding) (lines []string) {
	for _, f := range all {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s: %s: %s", f.Policy, f.Problem.Verdict, f.Problem.What)))
	}
	return lines
}

func ofRun(r Record) []string {
	var lines []string
	for _, p := range r.Problems {
		lines = append(lines, problems(&p)...)
	}
	return lines
}

func firstLine(a, b string) *Parting {
	linesA, linesB := strings.Split(a, "\n"), strings.Split(b, "\n")
	line := func(lines []string, i int) []string {
		if i >= len(lines) || lines[i] == "" {
			return nil
		}
		return []string{strings.TrimSpace(lines[i])}
	}
	for i := range max(len(linesA), len(linesB)) {
		if la, lb := line(linesA, i), line(linesB, i); !slices.Equal(la, lb) {
			return &Parting{At: "the order or the identity of what happened", A: la, B: lb}
		}
	}
	return nil
}
