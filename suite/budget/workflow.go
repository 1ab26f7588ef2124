package budget

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// jobLimit is what a job has without timeout-minutes
// (https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#jobsjob_idtimeout-minutes).
const jobLimit = 360 * time.Minute

// Read reads the limit of the job and the time-out of the test command. Files are read by read, and named by
// their paths. With a problem what was found is of no use.
func Read(b Budget, read func(string) ([]byte, error)) (f Found, problems []Problem) {
	own := Place{b.File, b.Line}
	fail := func(at Place, hint string, err error) (Found, []Problem) {
		return f, []Problem{{at, err.Error(), hint}}
	}
	data, err := read(b.Workflow)
	if err != nil {
		return fail(own, "", fmt.Errorf("read the CI file: %w", err))
	}
	j, at, err := readJob(b.Workflow, data, b.Job)
	if err != nil {
		return fail(at, "", err)
	}
	f.Job = j.limit
	tests, where, err := b.tests(j, read)
	if err != nil {
		return fail(own, "", err)
	}
	switch {
	case len(tests) == 0 && b.Command.Text != "":
		return fail(Place{b.File, b.Command.Line}, "name the file that has it: command: {file: Makefile}",
			fmt.Errorf("%q runs neither go test nor understudy run", b.Command.Text))
	case len(tests) == 0:
		return fail(where, "say what it is: command: go test ./e2e -timeout 40m, or command: {file: Makefile, contains: e2e}",
			fmt.Errorf("nothing here runs go test or understudy run%s", b.Command.told()))
	case len(tests) > 1:
		var lines []string
		for _, t := range tests {
			lines = append(lines, fmt.Sprintf("line %d: %s", t.at.Line, t.text))
		}
		return fail(where, "say which: command: {contains: TEXT}", fmt.Errorf("%d commands here run tests%s: %s", len(tests), b.Command.told(), strings.Join(lines, "; ")))
	}
	t := tests[0]
	f.Step, f.Jobs, f.Repeat = t.step, t.jobs, t.repeat
	if f.Command, err = t.limit(t.at); err != nil {
		return fail(t.at, "write it out, such as 40m", err)
	}
	return f, nil
}

func (c Command) told() string {
	if c.Contains == "" {
		return ""
	}
	return fmt.Sprintf(" and contains %q", c.Contains)
}

// placedTest is a test command with its place.
type placedTest struct {
	test
	at   Place
	step Limit
}

// tests are the test commands that may be meant, and where they were looked for.
func (b Budget) tests(j job, read func(string) ([]byte, error)) (found []placedTest, where Place, err error) {
	add := func(script, file string, line int, step Limit) {
		for _, c := range split(script) {
			if t, ok := testCommand(c); ok && strings.Contains(t.text, b.Command.Contains) {
				found = append(found, placedTest{t, Place{file, line + c.line - 1}, step})
			}
		}
	}
	switch {
	case b.Command.Text != "":
		where = Place{b.File, b.Command.Line}
		add(strings.ReplaceAll(b.Command.Text, "\n", " "), b.File, b.Command.Line, Limit{})
	case b.Command.File != "":
		where = Place{b.Command.File, 1}
		data, err := read(b.Command.File)
		if err != nil {
			return nil, where, fmt.Errorf("read the test command: %w", err)
		}
		for _, l := range logicalLines(string(data)) { // a quote that nobody closes ends with its line
			add(l.text, b.Command.File, l.number, Limit{})
		}
	default:
		where = Place{b.Workflow, j.line}
		for _, s := range j.steps {
			add(s.script, b.Workflow, s.line, s.limit)
		}
	}
	return found, where, nil
}

// job is what is read of a job.
type job struct {
	line  int
	limit Limit
	steps []step
}

type step struct {
	script string
	line   int // of the script's first line
	limit  Limit
}

var yamlError = regexp.MustCompile(`(?s)^(?:yaml: )?(?:line (\d+): )?(.*)$`)

// readJob finds a job in the text of a workflow. Keys that it does not need may be anything.
func readJob(file string, data []byte, name string) (j job, at Place, err error) {
	at = Place{file, 1}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		m := yamlError.FindStringSubmatch(err.Error())
		if n, convErr := strconv.Atoi(m[1]); convErr == nil {
			at.Line = min(max(n, 1), strings.Count(string(data), "\n")+1)
		}
		return j, at, fmt.Errorf("it is no YAML: %s", strings.Join(strings.Fields(m[2]), " "))
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) == 0 {
		return j, at, errors.New("the file is empty")
	}
	if j, at, ok, err := readGitLab(file, doc.Content[0], name); ok {
		return j, at, err
	}
	jobs := value(doc.Content[0], "jobs")
	n := value(jobs, name)
	if n == nil {
		if jobs != nil {
			at.Line = jobs.Line
		}
		return j, at, fmt.Errorf("there is no job %q; %s", name, jobNames(jobs))
	}
	j.line, at.Line = n.Line, n.Line
	if uses := value(n, "uses"); uses != nil {
		return j, Place{file, uses.Line}, fmt.Errorf("job %q calls %s: name that file and a job of it", name, uses.Value)
	}
	if j.limit, err = minutes(file, n, Limit{Time: jobLimit, As: "timeout-minutes 360"}); err != nil {
		return j, Place{file, j.limit.Line}, fmt.Errorf("job %q: %w", name, err)
	}
	steps := value(n, "steps")
	if steps == nil || steps.Kind != yaml.SequenceNode {
		return j, at, fmt.Errorf("job %q has no steps", name)
	}
	for _, s := range steps.Content {
		run := value(deref(s), "run")
		if run == nil || run.Kind != yaml.ScalarNode {
			continue
		}
		st := scriptOf(run)
		if st.limit, err = minutes(file, deref(s), Limit{}); err != nil {
			return j, Place{file, st.limit.Line}, fmt.Errorf("a step of job %q: %w", name, err)
		}
		j.steps = append(j.steps, st)
	}
	return j, at, nil
}

// scriptOf is the script that a text holds.
func scriptOf(n *yaml.Node) step {
	st := step{script: n.Value, line: n.Line}
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		st.line++ // behind the line of the | or >
	}
	return st
}

// minutes reads timeout-minutes of a job or a step; otherwise is what holds without it.
func minutes(file string, n *yaml.Node, otherwise Limit) (Limit, error) {
	v := value(n, "timeout-minutes")
	if v == nil {
		otherwise.Place = Place{file, n.Line}
		return otherwise, nil
	}
	l := Limit{Place: Place{file, v.Line}, Said: true, As: "timeout-minutes " + v.Value}
	m, err := strconv.ParseFloat(v.Value, 64)
	switch {
	case strings.Contains(v.Value, "${{"):
		return l, fmt.Errorf("timeout-minutes is the expression %s, which is known only when it runs", v.Value)
	case v.Kind != yaml.ScalarNode || err != nil || !(m > 0) || m > 1e6:
		return l, fmt.Errorf("timeout-minutes is %q, which is no number of minutes", v.Value)
	}
	l.Time = time.Duration(m * float64(time.Minute))
	return l, nil
}

// value is what a mapping has at a key; nil is nothing.
func value(n *yaml.Node, key string) *yaml.Node {
	if n = deref(n); n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return deref(n.Content[i+1])
		}
	}
	return nil
}

// deref follows an alias to its anchor, which is no alias itself.
func deref(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func jobNames(jobs *yaml.Node) string {
	if jobs = deref(jobs); jobs == nil || jobs.Kind != yaml.MappingNode || len(jobs.Content) == 0 {
		return "the file has no jobs"
	}
	var names []string
	for i := 0; i+1 < len(jobs.Content); i += 2 {
		names = append(names, jobs.Content[i].Value)
	}
	slices.Sort(names)
	return "there are " + strings.Join(names, ", ")
}
