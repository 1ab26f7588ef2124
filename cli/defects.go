package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/understudy-dev/understudy/internal/strictyaml"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/trial"
)

// defect is one seeded defect and the scenario that must catch it.
type defect struct {
	name     string
	scenario string // id
	what     string // what goes wrong, "" where the list does not say
}

// readDefects reads a file of `NAME  feature:line` lines; # begins a comment, which behind a defect says what it is.
func readDefects(file string) ([]defect, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read defects: %w", err)
	}
	var out []defect
	seen := map[string]bool{}
	sc := bufio.NewScanner(bytes.NewReader(data))
	for line := 1; sc.Scan(); line++ {
		text, what, _ := strings.Cut(sc.Text(), "#")
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
		out = append(out, defect{fields[0], fields[1], strings.TrimSpace(what)})
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

// defectsFlags adds --defects and --track-record.
func (f *runFlags) defectsFlags(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.defects, "defects", "", "run once clean and once with each seeded defect, and show which scenario catches it: "+
		"its own with six others by --seed (sample, meant without a value), or the whole suite with a table of who catches what (full)")
	fl.Lookup("defects").NoOptDefVal = sample
	fl.StringVar(&f.trackRecord, "track-record", "", "file for the table of --defects=full in Markdown")
}

// How much of the suite runs with each defect.
const (
	sample = "sample"
	full   = "full"
	others = 6 // scenarios of a sample besides the defect's own
)

func (f *runFlags) checkDefects() error {
	switch {
	case f.defects != "" && f.defect != "":
		return errors.New("--defects runs every defect; --defect runs one: give one of the two")
	case f.defects != "" && f.defects != sample && f.defects != full:
		return fmt.Errorf("--defects=%s: it is %s or %s", f.defects, sample, full)
	case f.trackRecord != "" && f.defects != full:
		return errors.New("--track-record is the table of --defects=full")
	}
	return nil
}

// runDefects runs the suite clean and then with each defect. Only when the clean platform passes and
// each defect is caught by its scenario is the suite worth something.
func (f *runFlags) runDefects(ctx context.Context, s *screen, base trial.Options, p *trial.Prepared, defects []defect) error {
	base.Progress = nil
	k, err := cleanRun(ctx, s, f.out, base, 32)
	if err != nil {
		return err
	}
	code := result.ExitCode(k.record)
	record := track{clean: k.record, suite: p.Config.Name}
	for _, d := range defects {
		base.Defect = d.name
		if f.defects == sample {
			base.Only = sampled(p.Plan(), d, base.Seed)
		}
		k, err := variedRun(ctx, s, f.out, base)
		if err != nil {
			return err
		}
		c := judgeDefect(k.record, d)
		record.add(c)
		s.printf("%-32s %s\n", d.name, c)
		if !c.ok {
			s.printf("  its run: %s\n", filepath.Join(k.dir, "index.html"))
			if c := k.record.Counts(); c.Failed == 0 && c.Broken > 0 {
				code = exitBroken // nothing about the product was found out
			}
		}
	}
	if f.defects == full {
		s.printf("%s", record.table())
	}
	s.printf("%d of %d defects caught\n", record.caught(), len(defects))
	if record.caught() < len(defects) && code == exitPassed {
		code = exitFailed
	}
	if f.trackRecord != "" && code == exitPassed {
		if err := record.write(f.trackRecord); err != nil {
			return s.broken(err)
		}
	}
	if code != exitPassed {
		return exitError(code)
	}
	return nil
}

// sampled accepts a defect's own scenario and some others, which the seed picks for each defect anew. It is by
// name, so that a defect more or less changes nothing for the others.
func sampled(plan suite.Planned, d defect, seed int64) func(id string) bool {
	var ids []string
	for _, sc := range plan.Running() {
		if sc.ID != d.scenario {
			ids = append(ids, sc.ID)
		}
	}
	slices.Sort(ids) // whatever the order in which the files were named
	name := fnv.New64a()
	name.Write([]byte(d.name))
	r := rand.New(rand.NewPCG(uint64(seed), name.Sum64()))
	r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	ids = append(ids[:min(others, len(ids))], d.scenario)
	return func(id string) bool { return slices.Contains(ids, id) }
}

// caught is what became of a suite with one defect.
type caught struct {
	defect
	ok     bool
	why    string   // where it is not caught
	failed []string // the other scenarios that did not pass
	ran    int      // scenarios besides its own
}

// String is the defect's line.
func (c caught) String() string {
	switch {
	case !c.ok:
		return c.why
	case len(c.failed) > 0:
		return fmt.Sprintf("caught by %s  (+%d others)", c.scenario, len(c.failed))
	}
	return "caught by " + c.scenario
}

// judgeDefect says whether the run caught the defect: its scenario failed in every trial, not merely
// broke, and not everything else failed with it. What the plan skipped says nothing.
func judgeDefect(rec result.Record, d defect) caught {
	c := caught{defect: d}
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
	c.failed, c.ran = slices.Sorted(maps.Keys(failed)), len(others)
	for _, v := range own {
		if v != result.Failed {
			c.why = fmt.Sprintf("NOT caught: %s %s", d.scenario, v)
			return c
		}
	}
	switch {
	case len(own) == 0:
		c.why = fmt.Sprintf("NOT caught: %s did not run", d.scenario)
	case len(others) > 0 && len(failed) == len(others):
		c.why = fmt.Sprintf("caught by %s, but every other scenario failed too: that proves nothing", d.scenario)
	default:
		c.ok = true
	}
	return c
}
