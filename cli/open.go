package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/evidence"
	"github.com/understudy-dev/understudy/result"
)

type openFlags struct {
	at    string
	trial int
	port  int
}

func openCommand(o Options) *cobra.Command {
	var f openFlags
	cmd := &cobra.Command{
		Use:   "open RECORD SCENARIO",
		Short: "Bring the forge of a recorded scenario back as it was",
		Long: `Bring the forge of a recorded scenario back as it was at its end, or after one of its steps: to look at
in a browser, to clone from and to talk to, until it is interrupted. Its journal goes up to there; logs
and artifacts can be read. Its actors get new tokens, and nothing that it held as a secret is in it.

RECORD is a run's record.json or its directory, also one that came from another machine; the evidence
has to lie beside it. SCENARIO is an id or a name. Workflows do not run: what was under way stays so.

Exit codes: 0 interrupted · 2 usage, or there is nothing to open · 3 it did not end well.`,
		Example: `  understudy open out triage.feature:6
  understudy open out/runs/20260820T091401Z-1 triage.feature:44 --at 4
  understudy open out triage.feature:44 --at 'the issue is labeled "ready-for-triage"'`,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case c.Flags().Changed("port") && (f.port < 1 || f.port > 65535):
				return fmt.Errorf("--port is 1 to 65535, not %d; without it a free one is taken", f.port)
			case c.Flags().Changed("trial") && f.trial < 1:
				return fmt.Errorf("--trial is 1 or more, not %d", f.trial)
			case c.Flags().Changed("at") && f.at == "":
				return errors.New("--at is empty; it is a step's number or text")
			}
			return runOpen(c.Context(), o, f, args[0], args[1])
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.at, "at", "", "after this step, by number or text; without it at the end")
	fl.IntVar(&f.trial, "trial", 0, "of this trial; without it the first that did not pass, else the first")
	fl.IntVar(&f.port, "port", 0, "port of the loopback interface; without it a free one is taken")
	return cmd
}

func runOpen(ctx context.Context, o Options, f openFlags, path, asked string) error {
	p, err := findPast(f, path, asked)
	if err != nil {
		return err
	}
	op, err := openForge(o, f, p)
	if err != nil {
		return explainServe(err, f.port)
	}
	o.screen.printf("%s", op.welcome(o.Env))
	<-ctx.Done()
	if err := op.close(context.WithoutCancel(ctx)); err != nil {
		return o.screen.broken(err)
	}
	return nil
}

// past is a recorded scenario at one of its steps.
type past struct {
	scenario result.Scenario
	trial    int
	step     int // 0 is the end
	archive  *forge.Archive
}

func findPast(f openFlags, path, asked string) (past, error) {
	r, file, err := readRecord(path)
	if err != nil {
		return past{}, err
	}
	id, err := scenarioID(asked, r)
	if err != nil {
		return past{}, err
	}
	var p past
	if p.scenario, p.trial, err = pickTrial(r, id, f.trial); err != nil {
		return past{}, err
	}
	if p.step, err = pickStep(p.scenario, f.at); err != nil {
		return past{}, err
	}
	p.archive, err = archiveOf(p.scenario, file)
	return p, err
}

// pickTrial takes the trial that is asked for; 0 is the first that did not pass, else the first.
func pickTrial(r result.Record, id string, asked int) (result.Scenario, int, error) {
	var found result.Scenario
	number, last := 0, 0
	for _, c := range r.Cells {
		for _, t := range c.Trials {
			for _, s := range t.Scenarios {
				if s.ID != id {
					continue
				}
				last = max(last, t.Number)
				red := s.Verdict == result.Failed || s.Verdict == result.Broken
				if number == 0 && (asked == 0 || asked == t.Number) || asked == 0 && red && found.Verdict == result.Passed {
					found, number = s, t.Number
				}
			}
		}
	}
	if number == 0 {
		return found, 0, fmt.Errorf("%s has no trial %d; the last is %d", id, asked, last)
	}
	if found.Verdict == result.Skipped {
		return found, 0, fmt.Errorf("%s was skipped (%s): there is nothing to go back to", id, found.Reason)
	}
	return found, number, nil
}

// pickStep finds a step by its number or its text among those that ran; "" is 0, the end.
func pickStep(s result.Scenario, at string) (int, error) {
	if at == "" {
		return 0, nil
	}
	ran := 0
	for _, st := range s.Steps {
		if st.Verdict != result.Skipped {
			ran = st.Number
		}
	}
	number, err := strconv.Atoi(at)
	if err != nil {
		var found []string
		for _, st := range s.Steps {
			if text := st.Keyword + " " + st.Text; st.Text == at || strings.TrimSpace(text) == at || strings.Contains(st.Text, at) {
				number, found = st.Number, append(found, strconv.Itoa(st.Number))
			}
		}
		if len(found) > 1 {
			return 0, fmt.Errorf("--at %q is in the steps %s of %s: give a number", at, strings.Join(found, ", "), s.ID)
		}
		if len(found) == 0 {
			return 0, &hinted{fmt.Errorf("--at %q is in no step of %s", at, s.ID), fmt.Sprintf("it has %d steps; give the number of one", len(s.Steps))}
		}
	}
	switch {
	case number < 1 || number > len(s.Steps):
		return 0, fmt.Errorf("--at %d: %s has the steps 1 to %d", number, s.ID, len(s.Steps))
	case number > ran:
		return 0, fmt.Errorf("--at %d: %s ended at step %d (%s); step %d was not reached", number, s.ID, ran, s.Verdict, number)
	}
	return number, nil
}

// archiveOf reads the archive that the scenario's evidence has, from beside the record.
func archiveOf(s result.Scenario, record string) (*forge.Archive, error) {
	var ref *evidence.Ref
	for i := range s.Evidence {
		if s.Evidence[i].MediaType == driver.ForgeArchive {
			ref = &s.Evidence[i]
		}
	}
	if ref == nil {
		return nil, &hinted{fmt.Errorf("the record has no forge of %s", s.ID),
			"understudy run keeps one of each scenario that a local forge was leased for; run it again with this understudy"}
	}
	base, err := evidenceBase(record, record)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(filepath.Dir(record), filepath.FromSlash(base), filepath.FromSlash(ref.Path))
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &hinted{fmt.Errorf("the record is here, but not the evidence of %s: there is no %s", s.ID, file),
			"copy the run's whole directory, with evidence/ beside record.json"}
	}
	if err != nil {
		return nil, fmt.Errorf("read the forge of %s: %w", s.ID, err)
	}
	if sum := sha256.Sum256(data); "sha256:"+hex.EncodeToString(sum[:]) != ref.Digest {
		return nil, &hinted{fmt.Errorf("%s is not what the record says: its digest is another", file), "copy the run's directory again"}
	}
	a, err := forge.OpenArchive(strings.NewReader(string(data)))
	if errors.Is(err, forge.ErrArchiveVersion) {
		return nil, &hinted{err, "use the understudy that wrote it"}
	}
	return a, err
}
