package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/understudy-dev/understudy/report/text"
	"github.com/understudy-dev/understudy/result"
)

type diffFlags struct {
	scenario string
	json     bool
}

func diffCommand(o Options) *cobra.Command {
	var f diffFlags
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Show where the causal chains of two records part",
		Long: `Show where the causal chains of two records part. A and B are a record.json, or the directory that
holds it.

For each scenario that both have and that is not alike: its verdicts, the first step that differs, and
the first node of the causal tree (event, run, job, request) that is not in both, with what A had there
and what B had. Ids, times, ports, digests and tokens are no difference, nor is the order of what ran
beside one another. Trials are not counted: what one record came to in any trial, the other one must
have come to as well.

Exit codes: 0 alike · 1 different · 2 usage, or no record.`,
		Example: `  understudy diff out/runs/20260820T091401Z-1 out
  understudy diff green/record.json red/record.json --scenario triage.feature:6
  understudy diff main pr --json`,
		Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error { return runDiff(o, f, args[0], args[1]) },
	}
	cmd.Flags().StringVar(&f.scenario, "scenario", "", "compare this scenario alone, by id or name")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

func runDiff(o Options, f diffFlags, pathA, pathB string) error {
	a, fileA, err := readRecord(pathA)
	if err != nil {
		return err
	}
	b, fileB, err := readRecord(pathB)
	if err != nil {
		return err
	}
	if f.scenario != "" {
		id, err := scenarioID(f.scenario, a, b)
		if err != nil {
			return err
		}
		a, b = a.Only(id), b.Only(id)
	}
	d := result.Diff(a, b)
	if f.json {
		err = writeJSON(o.Stdout, struct {
			A string `json:"a"`
			B string `json:"b"`
			result.Difference
		}{fileA, fileB, d})
	} else {
		heads := [2]string{headOf(fileA, a), headOf(fileB, b)}
		_, err = fmt.Fprint(o.Stdout, text.Difference(d, heads, o.screen.o))
	}
	if err != nil {
		return err
	}
	if !d.Equal() {
		return exitError(exitFailed)
	}
	return nil
}

// headOf says what a record is of, so that a reader knows which side is which.
func headOf(file string, r result.Record) string {
	text := fmt.Sprintf("%s  %s", file, r.Platform.Name)
	if r.Platform.Defect != "" {
		text += " with defect " + r.Platform.Defect
	}
	if r.Platform.Preset != "" {
		text += " with preset " + r.Platform.Preset
	}
	if !r.Started.IsZero() {
		text += r.Started.UTC().Format(", 2006-01-02 15:04:05Z")
	}
	return text
}
