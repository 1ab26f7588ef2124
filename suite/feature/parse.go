package feature

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	gherkin "github.com/cucumber/gherkin/go/v42"
	messages "github.com/cucumber/messages/go/v34"
)

// parse returns the scenarios of one file in order of their lines.
func parse(uri, src string) ([]located, error) {
	n := 0
	id := func() string { n++; return strconv.Itoa(n) }
	doc, err := gherkin.ParseGherkinDocument(strings.NewReader(src), id)
	if err != nil {
		return nil, placed(uri, err)
	}
	if doc.Feature == nil {
		return nil, nil
	}
	ix := index(doc.Feature)
	if err := ix.hollow(uri, doc.Feature.Language); err != nil {
		return nil, err
	}
	var found []located
	for _, p := range gherkin.Pickles(*doc, uri, id) {
		found = append(found, ix.scenario(uri, doc.Feature.Name, p))
	}
	return found, nil
}

var parserLine = regexp.MustCompile(`^\((\d+):\d+\): (.*)$`)

// placed gives each complaint of the parser the form "file:line: what".
func placed(uri string, err error) error {
	var problems []error
	for line := range strings.Lines(err.Error()) {
		line = strings.TrimRight(line, "\r\n")
		if m := parserLine.FindStringSubmatch(line); m != nil {
			problems = append(problems, fmt.Errorf("%s:%s: %s", uri, m[1], m[2]))
		}
	}
	if len(problems) == 0 {
		return fmt.Errorf("parse %s: %w", uri, err)
	}
	return errors.Join(problems...)
}

// entry is one scenario of the source, before its example rows are filled in.
type entry struct {
	scenario *messages.Scenario
	rule     string
	span     span
}

// sources finds the source of what the compiler made, by the ids of its nodes.
type sources struct {
	entries map[string]*entry
	steps   map[string]*messages.Step
	order   []*entry
}

func index(f *messages.Feature) *sources {
	ix := &sources{entries: map[string]*entry{}, steps: map[string]*messages.Step{}}
	var starts []int
	add := func(rule string, b *messages.Background, s *messages.Scenario) {
		if b != nil {
			starts = append(starts, int(b.Location.Line))
			ix.addSteps(b.Steps)
		}
		if s != nil {
			e := &entry{scenario: s, rule: rule, span: span{first: firstLine(s.Location, s.Tags)}}
			starts = append(starts, e.span.first)
			ix.entries[s.Id] = e
			ix.order = append(ix.order, e)
			ix.addSteps(s.Steps)
		}
	}
	for _, c := range f.Children {
		add("", c.Background, c.Scenario)
		if c.Rule != nil {
			starts = append(starts, firstLine(c.Rule.Location, c.Rule.Tags))
			for _, rc := range c.Rule.Children {
				add(c.Rule.Name, rc.Background, rc.Scenario)
			}
		}
	}
	slices.Sort(starts)
	for _, e := range ix.order {
		e.span.last = endBefore(starts, e.span.first)
	}
	return ix
}

func (ix *sources) addSteps(steps []*messages.Step) {
	for _, s := range steps {
		ix.steps[s.Id] = s
	}
}

func firstLine(l *messages.Location, tags []*messages.Tag) int {
	first := int(l.Line)
	for _, t := range tags {
		first = min(first, int(t.Location.Line))
	}
	return first
}

// endBefore returns the line before the start that follows first.
func endBefore(starts []int, first int) int {
	for _, s := range starts {
		if s > first {
			return s - 1
		}
	}
	return int(^uint(0) >> 1)
}

// hollow refuses outlines that would vanish or run with their placeholders unfilled.
func (ix *sources) hollow(uri, language string) error {
	outline := gherkin.DialectsBuiltin().GetDialect(language)
	var problems []error
	for _, e := range ix.order {
		s := e.scenario
		if len(s.Examples) == 0 {
			if outline != nil && slices.Contains(outline.ScenarioOutlineKeywords(), s.Keyword) &&
				!slices.Contains(outline.ScenarioKeywords(), s.Keyword) {
				problems = append(problems, fmt.Errorf("%s:%d: the outline has no examples", uri, s.Location.Line))
			}
			continue
		}
		for _, ex := range s.Examples {
			if len(ex.TableBody) == 0 {
				problems = append(problems, fmt.Errorf("%s:%d: the examples have no row", uri, ex.Location.Line))
			}
		}
	}
	return errors.Join(problems...)
}

func (ix *sources) scenario(uri, feature string, p *messages.Pickle) located {
	e := ix.entries[p.AstNodeIds[0]]
	l := located{Scenario: Scenario{
		ID: fmt.Sprintf("%s:%d", uri, p.Location.Line), URI: uri, Line: int(p.Location.Line),
		Feature: feature, Rule: e.rule, Name: p.Name,
	}, spans: []span{e.span}}
	if len(p.AstNodeIds) > 1 {
		l.spans = rowSpans(e, p.AstNodeIds[1])
	}
	for _, t := range p.Tags {
		if !slices.Contains(l.Tags, t.Name) {
			l.Tags = append(l.Tags, t.Name)
		}
	}
	for _, s := range p.Steps {
		src := ix.steps[s.AstNodeIds[0]]
		st := Step{Keyword: strings.TrimSpace(src.Keyword), Type: stepType(s.Type), Text: s.Text, Line: int(src.Location.Line)}
		if s.Argument != nil {
			st.Table, st.DocString = s.Argument.DataTable, s.Argument.DocString
		}
		l.Steps = append(l.Steps, st)
	}
	return l
}

func stepType(t messages.PickleStepType) string {
	switch t {
	case messages.PickleStepType_CONTEXT:
		return "Given"
	case messages.PickleStepType_ACTION:
		return "When"
	case messages.PickleStepType_OUTCOME:
		return "Then"
	}
	return ""
}

// rowSpans returns the lines that select one example row: the outline down to its first examples,
// the head of the row's own examples, and the row.
func rowSpans(e *entry, row string) []span {
	head := span{first: e.span.first, last: e.span.last}
	for _, ex := range e.scenario.Examples {
		head.last = min(head.last, firstLine(ex.Location, ex.Tags)-1)
	}
	spans := []span{head}
	for _, ex := range e.scenario.Examples {
		for _, r := range ex.TableBody {
			if r.Id == row {
				spans = append(spans, span{firstLine(ex.Location, ex.Tags), int(ex.TableHeader.Location.Line)},
					span{int(r.Location.Line), int(r.Location.Line)})
			}
		}
	}
	return spans
}
