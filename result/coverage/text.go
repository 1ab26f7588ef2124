package coverage

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// WriteText writes the report for a terminal.
func (r Report) WriteText(w io.Writer) error {
	var b strings.Builder
	if len(r.Workflows) == 0 {
		b.WriteString("no workflows: no event of these scenarios looked at a workflow file\n")
	}
	for i, f := range r.Workflows {
		if i > 0 {
			b.WriteByte('\n')
		}
		f.text(&b)
	}
	_, err := io.WriteString(w, strings.Map(printable, b.String()))
	return err
}

// printable keeps what a file says from steering the terminal.
func printable(r rune) rune {
	if r != '\n' && unicode.IsControl(r) {
		return unicode.ReplacementChar
	}
	return r
}

func (w Workflow) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s  %s\n", w.Path, w.Summary())
	for _, g := range w.Gaps() {
		fmt.Fprintf(b, "  ○ %-4d %s\n", g.Line, g.What)
	}
	if w.Runs == 0 {
		return
	}
	for _, text := range w.Advice() {
		fmt.Fprintf(b, "  ! %s\n", text)
	}
	fmt.Fprintf(b, "  least permissions seen:\n    %s\n", strings.ReplaceAll(strings.TrimSpace(w.Permissions.Block()), "\n", "\n    "))
}

// Summary is what was taken of a file, in one line: "4 runs in 2 scenarios · jobs 2/3 · steps 7/9 · branches 3/4".
func (w Workflow) Summary() string {
	if w.Runs == 0 {
		return "never started"
	}
	t := w.Totals()
	out := []string{fmt.Sprintf("%s in %s", plural(w.Runs, "run"), plural(len(w.Scenarios), "scenario"))}
	for _, s := range []struct {
		name string
		Share
	}{{"jobs", t.Jobs}, {"steps", t.Steps}, {"branches", t.Branches}, {"cells", t.Cells}} {
		if s.All > 0 {
			out = append(out, fmt.Sprintf("%s %d/%d", s.name, s.Taken, s.All))
		}
	}
	return strings.Join(out, " · ")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Advice is that of all its jobs: "job a declares …".
func (w Workflow) Advice() []string {
	var out []string
	for _, j := range w.Jobs {
		for _, text := range j.Advice() {
			out = append(out, "job "+j.Key+" "+text)
		}
	}
	return out
}

// Advice says where the job's permissions and what it did part. A job that never ran gets none.
func (j Job) Advice() []string {
	if j.Taken == 0 {
		return nil
	}
	from := ""
	if !j.ownPermissions && len(j.Permissions.Declared) > 0 {
		from = " (from the file)"
	}
	var out []string
	for _, text := range j.Permissions.Excess() {
		out = append(out, text+from)
	}
	return append(out, j.Permissions.Lacking()...)
}

// Told is a report with what follows from it, for programs.
type Told struct {
	Workflows []ToldWorkflow `json:"workflows"`
}

// ToldWorkflow is a file with what follows from its counts.
type ToldWorkflow struct {
	Workflow
	Totals Totals              `json:"totals"`
	Gaps   []Gap               `json:"gaps"`
	Advice map[string][]string `json:"advice,omitempty"` // by job
	Least  string              `json:"least_permissions,omitempty"`
}

// Told adds totals, gaps and advice.
func (r Report) Told() Told {
	out := Told{Workflows: []ToldWorkflow{}}
	for _, w := range r.Workflows {
		t := ToldWorkflow{Workflow: w, Totals: w.Totals(), Gaps: append([]Gap{}, w.Gaps()...), Advice: map[string][]string{}}
		for _, j := range w.Jobs {
			if advice := j.Advice(); advice != nil {
				t.Advice[j.Key] = advice
			}
		}
		if w.Runs > 0 {
			t.Least = w.Permissions.Block()
		}
		out.Workflows = append(out.Workflows, t)
	}
	return out
}
