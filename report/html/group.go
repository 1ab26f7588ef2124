package html

import (
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/result"
)

// featureView is a feature file of a cell.
type featureView struct {
	Cell  string // "" when there is only one
	Name  string
	File  string
	Rules []*ruleView
}

// ruleView is a rule, one acceptance criterion, with its own verdict. Scenarios outside of any rule
// stand in one without a name.
type ruleView struct {
	Name    string
	Verdict verdictView
	Tally   string
	Cases   []*caseView
}

// caseView is one scenario with all its trials.
type caseView struct {
	ID, Anchor string
	Name       string
	Tags       []string
	Verdict    verdictView // the gravest of its trials
	Reason     string      // why it did not pass, in one line
	Took       string
	Mixed      bool        // trials came to different verdicts
	Marks      []trialView // when there is more than one
	trials     []trial
}

type trialView struct {
	Verdict verdictView
	Number  int
}

type trial struct {
	number   int
	scenario result.Scenario
}

// Link is to the scenario on this page, readable where that is possible.
func (v *caseView) Link() template.URL {
	return template.URL("#" + (&url.URL{Fragment: v.Anchor}).EscapedFragment())
}

func (f *featureView) cases() []*caseView {
	var all []*caseView
	for _, r := range f.Rules {
		all = append(all, r.Cases...)
	}
	return all
}

// group puts the scenarios of a cell under their feature files and rules, in the order in which they
// come, and the trials of a scenario beside one another.
func group(c result.Cell, cell, prefix string) []*featureView {
	var features []*featureView
	byFile, byID := map[string]*featureView{}, map[string]*caseView{}
	for _, t := range c.Trials {
		for _, s := range t.Scenarios {
			if known := byID[s.ID]; known != nil {
				known.trials = append(known.trials, trial{t.Number, s})
				continue
			}
			file, _, _ := strings.Cut(s.ID, ":")
			f := byFile[file]
			if f == nil {
				f = &featureView{Cell: cell, Name: s.Feature, File: file}
				byFile[file] = f
				features = append(features, f)
			}
			v := &caseView{ID: s.ID, Anchor: prefix + s.ID, Name: s.Name, Tags: s.Tags, trials: []trial{{t.Number, s}}}
			byID[s.ID] = v
			f.put(s.Rule, v)
		}
	}
	for _, f := range features {
		for _, v := range f.cases() {
			v.sum()
		}
		for _, r := range f.Rules {
			r.sum()
		}
	}
	return features
}

func (f *featureView) put(rule string, v *caseView) {
	at := slices.IndexFunc(f.Rules, func(r *ruleView) bool { return r.Name == rule })
	if at < 0 {
		at = len(f.Rules)
		f.Rules = append(f.Rules, &ruleView{Name: rule})
	}
	f.Rules[at].Cases = append(f.Rules[at].Cases, v)
}

func (r *ruleView) sum() {
	verdict, passed, ran := result.Skipped, 0, 0
	for _, c := range r.Cases {
		verdict = result.Worse(verdict, result.Verdict(c.Verdict.Name))
		switch c.Verdict.Name {
		case "passed":
			passed++
			ran++
		case "failed", "broken":
			ran++
		}
	}
	r.Verdict = verdictOf(verdict)
	r.Tally = fmt.Sprintf("%d of %d passed", passed, ran)
	if ran == 0 {
		r.Tally = "skipped"
	}
}

func (v *caseView) sum() {
	verdict := result.Skipped
	var fast, slow float64
	for i, t := range v.trials {
		own := verdictOf(t.scenario.Verdict)
		verdict = result.Worse(verdict, result.Verdict(own.Name))
		v.Mixed = v.Mixed || own.Name != verdictOf(v.trials[0].scenario.Verdict).Name
		if i == 0 || t.scenario.Seconds < fast {
			fast = t.scenario.Seconds
		}
		slow = max(slow, t.scenario.Seconds)
		v.Marks = append(v.Marks, trialView{own, t.number})
		if v.Reason == "" {
			v.Reason = reason(t.scenario)
		}
	}
	if len(v.Marks) == 1 {
		v.Marks = nil
	}
	v.Verdict = verdictOf(verdict)
	v.Took = took(slow)
	if low := took(fast); low != v.Took && low != "" {
		v.Took = low + " – " + v.Took
	}
	if verdict == result.Skipped {
		v.Took = "skipped"
	}
}

// reason tells in one line why a scenario is not passed.
func reason(s result.Scenario) string {
	for _, st := range s.Steps {
		if st.Problem != nil {
			return line(st.Problem.What)
		}
	}
	for _, f := range s.Findings {
		return line(f.Policy + ": " + f.Problem.What)
	}
	return line(s.Reason)
}

const lineRunes = 180

func line(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > lineRunes {
		return string(r[:lineRunes-1]) + "…"
	}
	return s
}
