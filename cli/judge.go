package cli

import (
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/spf13/cobra"

	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/result/policy"
)

type judgeFlags struct {
	strict     bool
	out        string
	runs, ops  bool // are allowed to fail unexpectedly
	strictness []string
}

func judgeCommand(o Options) *cobra.Command {
	var f judgeFlags
	cmd := &cobra.Command{
		Use:   "judge RECORD",
		Short: "Judge a stored record again",
		Long: `Judge a stored record again: the expectations of its steps are applied to what was seen, and the
policies to what happened, without running anything. What changes against the stored verdicts is
listed; a record that nobody touched, judged by the understudy that wrote it, gives the same.

An expectation that was not kept (of a matcher of somebody's own, or about a value too large to
keep) stands as it was judged then; --strict makes its scenario broken.

Exit codes are those of run, by the new verdicts: 0 all passed · 1 failed · 2 usage · 3 broken.`,
		Example: `  understudy judge out/record.json
  understudy judge out --allow-failed-runs`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runJudge(o, f, args[0]) },
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.strict, "strict", false, "what cannot be judged again is broken")
	fl.BoolVar(&f.runs, "allow-failed-runs", false, "a failed run that no step expected is no finding")
	fl.BoolVar(&f.ops, "allow-unclaimed-operations", false, "a failed operation that no step expected is no finding")
	fl.StringArrayVar(&f.strictness, "strictness", nil, "POLICY=red|warn|off: how grave its findings are; else as the record says")
	fl.StringVar(&f.out, "out", "", "file for the record as judged now")
	return cmd
}

func runJudge(o Options, f judgeFlags, path string) error {
	stored, file, err := readRecord(path)
	if err != nil {
		return err
	}
	strictness, err := f.strictnessOf(stored)
	if err != nil {
		return err
	}
	j := judgement{strict: f.strict, policies: policy.Judge(policy.Options{Strictness: strictness})}
	judged, err := j.record(stored)
	if err != nil {
		return &hinted{fmt.Errorf("judge %s: %w", file, err), "the record was written by another understudy, or changed by hand"}
	}
	judged = strictness.Spend(judged)
	if f.out != "" {
		base, err := evidenceBase(file, f.out)
		if err != nil {
			return err
		}
		if err := result.Write(f.out, result.Rebase(judged, base)); err != nil {
			return err
		}
	}
	j.print(o.Stdout, judged)
	if code := result.ExitCode(judged); code != exitPassed {
		return exitError(code)
	}
	return nil
}

// strictnessOf is the record's with what the flags change of it.
func (f judgeFlags) strictnessOf(r result.Record) (policy.Strictness, error) {
	told := maps.Clone(r.Strictness)
	if told == nil {
		told = map[string]string{}
	}
	if f.runs {
		told[policy.UnexpectedRun] = string(policy.Off)
	}
	if f.ops {
		told[policy.UnclaimedOperation] = string(policy.Off)
	}
	for _, s := range f.strictness {
		name, level, ok := strings.Cut(s, "=")
		if !ok {
			return nil, fmt.Errorf("--strictness %s: the form is POLICY=LEVEL, such as %s=red", s, policy.UnreadOutput)
		}
		told[name] = level
	}
	s, err := policy.ReadStrictness(told)
	if err != nil {
		return nil, fmt.Errorf("strictness: %w", err)
	}
	return s, nil
}

func (j *judgement) print(w io.Writer, r result.Record) {
	changed := 0
	for _, c := range j.changes {
		what := c.id
		if c.trial > 1 {
			what += fmt.Sprintf(" (trial %d)", c.trial)
		}
		verdict := string(c.now)
		if c.before != c.now {
			verdict = fmt.Sprintf("%s → %s", c.before, c.now)
			changed++
		}
		fmt.Fprintf(w, "%s  %s  %s\n", what, c.name, verdict)
		for _, line := range c.lines {
			fmt.Fprintf(w, "    %s\n", line)
		}
	}
	counts := r.Counts()
	var told []string
	for _, n := range []struct {
		count int
		what  result.Verdict
	}{{counts.Passed, result.Passed}, {counts.Failed, result.Failed}, {counts.Broken, result.Broken}, {counts.Skipped, result.Skipped}} {
		if n.count > 0 {
			told = append(told, fmt.Sprintf("%d %s", n.count, n.what))
		}
	}
	head := "same verdicts"
	if changed > 0 {
		head = fmt.Sprintf("%d of %d verdicts changed", changed, counts.Total())
	}
	fmt.Fprintf(w, "%s: %s\n", head, strings.Join(told, ", "))
	fmt.Fprintf(w, "%d expectations judged again", j.again)
	if j.kept > 0 {
		fmt.Fprintf(w, ", %d stand as they were judged then", j.kept)
	}
	fmt.Fprintln(w)
	if spent := r.Spent(); spent != "" {
		fmt.Fprintln(w, spent)
	}
	for _, text := range r.Warnings {
		if strings.HasPrefix(text, policy.OverBudget) { // the others were found while it ran
			fmt.Fprintf(w, "warning of the run: %s\n", text)
		}
	}
	for _, p := range r.Problems {
		fmt.Fprintf(w, "problem of the run: %s\n", p.What)
	}
}
