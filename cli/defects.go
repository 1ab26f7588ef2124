package cli

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/internal/strictyaml"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/trial"
)

// defect is one seeded defect and the scenario that must catch it.
type defect struct {
	name     string
	scenario string // id
}

// readDefects reads a file of `NAME  feature:line` lines; # begins a comment.
func readDefects(file string) ([]defect, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read defects: %w", err)
	}
	var out []defect
	seen := map[string]bool{}
	sc := bufio.NewScanner(bytes.NewReader(data))
	for line := 1; sc.Scan(); line++ {
		text, _, _ := strings.Cut(sc.Text(), "#")
		fields := strings.Fields(text)
		switch {
		case len(fields) == 0:
			continue
		case len(fields) != 2:
			return nil, strictyaml.Errorf(file, line, "a defect is `NAME  feature:line`, not %q", strings.TrimSpace(text))
		case seen[fields[0]]:
			return nil, strictyaml.Errorf(file, line, "defect %q is listed twice", fields[0])
		}
		seen[fields[0]] = true
		out = append(out, defect{fields[0], fields[1]})
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("read defects: %w", err)
	}
	if len(out) == 0 {
		return nil, strictyaml.Errorf(file, 1, "no defect is listed")
	}
	return out, nil
}

// seeded reads the defects of a suite and checks that each can be run and caught.
func seeded(p *trial.Prepared) ([]defect, error) {
	if p.Config.Defects == "" {
		return nil, &hinted{fmt.Errorf("suite %s lists no defects", p.Config.Name), "name a file as `defects:` in understudy.yaml"}
	}
	if len(p.Platform.Defect) == 0 {
		return nil, fmt.Errorf("%s: defect.install is missing; it says how a defect reaches the platform", p.Platform.File)
	}
	defects, err := readDefects(p.Config.Defects)
	if err != nil {
		return nil, err
	}
	for _, d := range defects {
		if !slices.Contains(p.IDs(), d.scenario) {
			return nil, fmt.Errorf("%s: defect %q names scenario %s, which is not among the selected ones", p.Config.Defects, d.name, d.scenario)
		}
	}
	return defects, nil
}

// known refuses a defect that the suite's list does not have; a suite without a list knows them all.
func known(p *trial.Prepared, name string) error {
	if name == "" || p.Config.Defects == "" {
		return nil
	}
	defects, err := readDefects(p.Config.Defects)
	if err != nil {
		return err
	}
	names := make([]string, len(defects))
	for i, d := range defects {
		if d.name == name {
			return nil
		}
		names[i] = d.name
	}
	return &hinted{fmt.Errorf("%s lists no defect %q", p.Config.Defects, name), "there are: " + strings.Join(names, ", ")}
}

// runDefects runs the suite clean and then with each defect. Only when the clean platform passes and
// each defect is caught by its scenario is the suite worth something.
func runDefects(ctx context.Context, s *screen, out string, base trial.Options, defects []defect) error {
	base.Progress = nil
	k, err := cleanRun(ctx, s, out, base, 32)
	if err != nil {
		return err
	}
	code := result.ExitCode(k.record)
	caught := 0
	for _, d := range defects {
		base.Defect = d.name
		k, err := variedRun(ctx, s, out, base)
		if err != nil {
			return err
		}
		verdict, ok := judgeDefect(k.record, d)
		if ok {
			caught++
		}
		s.printf("%-32s %s\n", d.name, verdict)
		if !ok {
			s.printf("  its run: %s\n", filepath.Join(k.dir, "index.html"))
			if c := k.record.Counts(); c.Failed == 0 && c.Broken > 0 {
				code = exitBroken // nothing about the product was found out
			}
		}
	}
	s.printf("%d of %d defects caught\n", caught, len(defects))
	if caught < len(defects) && code == exitPassed {
		code = exitFailed
	}
	if code != exitPassed {
		return exitError(code)
	}
	return nil
}

// judgeDefect says whether the run caught the defect: its scenario failed in every trial, not merely
// broke, and not everything else failed with it. What the plan skipped says nothing.
func judgeDefect(rec result.Record, d defect) (string, bool) {
	var own []result.Verdict
	others, failed := map[string]bool{}, map[string]bool{}
	for sc := range rec.Scenarios() {
		switch {
		case sc.ID == d.scenario:
			own = append(own, sc.Verdict)
		case sc.Verdict != result.Skipped:
			others[sc.ID] = true
			if sc.Verdict != result.Passed {
				failed[sc.ID] = true
			}
		}
	}
	for _, v := range own {
		if v != result.Failed {
			return fmt.Sprintf("NOT caught: %s %s", d.scenario, v), false
		}
	}
	switch {
	case len(own) == 0:
		return fmt.Sprintf("NOT caught: %s did not run", d.scenario), false
	case len(others) > 0 && len(failed) == len(others):
		return fmt.Sprintf("caught by %s, but every other scenario failed too: that proves nothing", d.scenario), false
	case len(failed) > 0:
		return fmt.Sprintf("caught by %s  (+%d others)", d.scenario, len(failed)), true
	}
	return "caught by " + d.scenario, true
}
