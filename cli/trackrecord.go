package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/result"
)

// track is what a suite caught: each defect against each scenario.
type track struct {
	suite   string
	clean   result.Record
	defects []caught
}

func (t *track) add(c caught) { t.defects = append(t.defects, c) }

func (t *track) caught() int {
	n := 0
	for _, c := range t.defects {
		if c.ok {
			n++
		}
	}
	return n
}

// seen is a scenario with the defects under which it did not pass.
type seen struct {
	id, name string
	own      []string // that it must catch
	also     []string
}

// scenarios returns those that ran clean, in the order of the files.
func (t *track) scenarios() []seen {
	var out []seen
	for sc := range t.clean.Scenarios() {
		if sc.Verdict == result.Skipped || slices.ContainsFunc(out, func(s seen) bool { return s.id == sc.ID }) {
			continue
		}
		s := seen{id: sc.ID, name: sc.Name}
		for _, c := range t.defects {
			switch {
			case c.ok && c.scenario == sc.ID:
				s.own = append(s.own, c.name)
			case slices.Contains(c.failed, sc.ID):
				s.also = append(s.also, c.name)
			}
		}
		out = append(out, s)
	}
	return out
}

// table shows per scenario how many defects it sees, and the ones that see none.
func (t *track) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%-28s %5s %5s  %s\n", "scenario", "own", "also", "defects that it must catch")
	for _, s := range t.scenarios() {
		fmt.Fprintf(&b, "%-28s %5d %5d  %s\n", s.id, len(s.own), len(s.also), strings.Join(s.own, ", "))
	}
	b.WriteString("\n")
	return b.String()
}

// markdown is the table for people to read; it has no times, so that a change of it is a change of what is caught.
func (t *track) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Track record of %s\n\n", t.suite)
	b.WriteString("<!-- Written by `understudy run … --defects=full --track-record FILE`. -->\n\n")
	fmt.Fprintf(&b, "%d of %d seeded defects caught by %d scenarios. Each defect was planted alone and the whole suite run with it; its\n"+
		"scenario has to fail, broken does not count, and not everything may fail with it.\n\n", t.caught(), len(t.defects), len(t.scenarios()))
	b.WriteString("| defect | what goes wrong | caught by | others that failed |\n|---|---|---|---|\n")
	names := map[string]string{}
	all := t.scenarios()
	for _, s := range all {
		names[s.id] = s.name
	}
	for _, c := range t.defects {
		fmt.Fprintf(&b, "| `%s` | %s | `%s` %s | %d |\n", c.name, cell(c.what), c.scenario, cell(names[c.scenario]), len(c.failed))
	}
	b.WriteString("\n## What each scenario sees\n\n| scenario | its own | also fails under |\n|---|---|---|\n")
	for _, s := range all {
		fmt.Fprintf(&b, "| `%s` %s | %s | %s |\n", s.id, cell(s.name), strings.Join(s.own, ", "), strings.Join(s.also, ", "))
	}
	return b.String()
}

func cell(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", `\|`)
}

func (t *track) write(file string) error {
	if err := os.WriteFile(file, []byte(t.markdown()), 0o644); err != nil {
		return fmt.Errorf("write the track record: %w", err)
	}
	return nil
}
