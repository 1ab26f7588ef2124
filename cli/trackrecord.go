package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/trial"
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

// runTrackRecord makes the table from records that were kept.
func runTrackRecord(f reportFlags, paths []string) error {
	config, err := trial.FindConfig(f.suite, "")
	if err != nil {
		return err
	}
	if config.Defects == "" {
		return fmt.Errorf("suite %s lists no defects", config.Name)
	}
	defects, err := readDefects(config.Defects)
	if err != nil {
		return err
	}
	latest := map[string]result.Record{} // by defect; "" is clean
	for _, p := range paths {
		r, _, err := readRecord(p)
		if err != nil {
			return err
		}
		if old, ok := latest[r.Platform.Defect]; !ok || old.Started.Before(r.Started) {
			latest[r.Platform.Defect] = r
		}
	}
	t, err := newTrack(config.Name, latest, defects)
	if err != nil {
		return err
	}
	return t.write(f.trackRecord)
}

// newTrack judges the records of the defects; one is needed of each, and a clean one.
func newTrack(suite string, latest map[string]result.Record, defects []defect) (track, error) {
	clean, ok := latest[""]
	if !ok {
		return track{}, &hinted{errors.New("no record is of a run without a defect"), "understudy run SUITE --out DIR makes one"}
	}
	t := track{suite: suite, clean: clean}
	var missing []string
	for _, d := range defects {
		r, ok := latest[d.name]
		if !ok {
			missing = append(missing, d.name)
			continue
		}
		if !ran(r, d.scenario) || !ran(clean, d.scenario) {
			return track{}, fmt.Errorf("defect %q: its scenario %s is not in the records of it and of the clean run", d.name, d.scenario)
		}
		t.add(judgeDefect(r, d))
	}
	if len(missing) > 0 {
		text := strings.Join(missing[:min(len(missing), 5)], ", ")
		if more := len(missing) - 5; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		return track{}, &hinted{errors.New("no record is of a run with " + text), "understudy run SUITE --defect NAME --out DIR makes one"}
	}
	return t, nil
}

func ran(r result.Record, id string) bool {
	for sc := range r.Scenarios() {
		if sc.ID == id {
			return true
		}
	}
	return false
}

func cell(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", `\|`)
}

func (t *track) write(file string) error {
	if err := replace(file, []byte(t.markdown())); err != nil {
		return fmt.Errorf("write the track record: %w", err)
	}
	return nil
}
