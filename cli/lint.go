package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/trial"
)

// lintFinding is one thing that lint has to say.
type lintFinding struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Rule string `json:"rule"`
	What string `json:"what"`
	Hint string `json:"hint,omitempty"`
}

const lintHelp = `Find what can be known to be wrong without running anything, in all scenarios, also those that a
plan would skip. A finding is one line, "file:line: what (rule)", in order of place.

  gherkin             the feature file cannot be read
  platform            the platform file cannot be used
  platform-word       <platform:NAME> is no word of the platform file
  undefined-step      no definition matches; a definition that would is shown
  ambiguous-step      more than one definition matches
  unfit-step          values, table or docstring do not fit the definition
  unused-step         no scenario uses a definition of a pack of one's own
  agent               a dummy agent's table or fixture, or what fixtures.yaml says of one; the
                      findings of any other step pack bear that pack's name
  missing-result      a scenario dispatches a stage, and its dummy agent does not write the stage's
                      result; such as expect the run to fail, or not to happen, are right
  unused-fixture      a file below fixtures/ that no scenario names; those of another suite are its own
  unknown-capability  a tag asks for a capability that nobody offers or declares, or is malformed, as
                      may be @skip, @lock and @serial
  unknown-tag         a tag is almost one of the kit's, or skips in a place that there is not
  skip-reason         a scenario is skipped somewhere, and no comment at the tag says why
  runtime-capability  a scenario needs a real runtime, and no @requires:capability:runtime-NAME says so
  no-then             a scenario expects nothing
  configured-run      a run of understudy.yaml selects nothing, or asks for what there is not
  hole                a capability, runtime, stage, tag or scenario that no configured run covers, or a
                      stage whose selected runtime no step looks at; understudy plan --holes lists all
  hole-entry          a known hole without reason or date, or that says what cannot be
  stale-hole          a known hole that is none, or no longer
  budget              the time-out of the test command is not less than the limit of its CI job without
                      collection, or less than leases and scenarios may take; or that cannot be read
  portability         a feature names a vendor, a CI service, an install mode, or a leased repository;
                      tags and comments may

PATH is a suite's directory, a directory of features, or a feature file; what lies elsewhere in the
suite is read, too, and not told.

Exit codes: 0 nothing was found · 2 something was, or usage.`

func lintCommand(o Options) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "lint PATH…",
		Short:             "Find what can be known to be wrong without running anything",
		Long:              lintHelp,
		Example:           "  understudy lint examples/acceptance\n  understudy lint e2e --json",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completePaths,
		RunE: func(_ *cobra.Command, paths []string) error {
			l, err := lintPaths(o.packs(), paths)
			if err != nil {
				return explain(err)
			}
			if asJSON {
				err = writeJSON(o.Stdout, l)
			} else {
				l.print(o.Stdout)
			}
			if err == nil && len(l.Findings) > 0 {
				return exitError(exitUsage)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the findings as JSON")
	return cmd
}

// linted is what `understudy lint` shows.
type linted struct {
	Scenarios int           `json:"scenarios"`
	Findings  []lintFinding `json:"findings"`
}

func (l linted) print(w io.Writer) {
	for _, f := range l.Findings {
		fmt.Fprintf(w, "%s:%d: %s (%s)\n", f.File, f.Line, f.What, f.Rule)
		if f.Hint != "" {
			fmt.Fprintf(w, "    %s\n", f.Hint)
		}
	}
	if len(l.Findings) == 0 {
		fmt.Fprintf(w, "%s, nothing found\n", counted(l.Scenarios, "scenario"))
		return
	}
	fmt.Fprintf(w, "%s, %s\n", counted(l.Scenarios, "scenario"), counted(len(l.Findings), "finding"))
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

var atLine = regexp.MustCompile(`^(.+\.feature):\d+$`)

// lintPaths looks at each suite once, whatever number of paths lie in it.
func lintPaths(packs []suite.Pack, paths []string) (linted, error) {
	if err := suite.Check(packs); err != nil {
		return linted{}, fmt.Errorf("check step packs: %w", err)
	}
	var order []string
	suites, wanted := map[string]trial.Config{}, map[string][]string{}
	for _, p := range paths {
		if m := atLine.FindStringSubmatch(p); m != nil {
			return linted{}, &hinted{fmt.Errorf("lint %s: it looks at whole files", p), "name " + m[1]}
		}
		c, err := trial.FindConfig(p, "")
		if errors.Is(err, trial.ErrNoConfig) {
			err = &hinted{err, "write one with `features: DIR`; steps of a Go test's own are known to a program of yours that calls cli.Main with them"}
		}
		if err != nil {
			return linted{}, err
		}
		abs, err := filepath.Abs(p)
		if err != nil {
			return linted{}, err
		}
		if _, ok := suites[c.Root]; !ok {
			order = append(order, c.Root)
		}
		suites[c.Root], wanted[c.Root] = c, append(wanted[c.Root], abs)
	}
	out := linted{Findings: []lintFinding{}}
	for _, root := range order {
		l, err := newLinter(packs, suites[root])
		if err != nil {
			return linted{}, err
		}
		err = l.all()
		if err = errors.Join(err, l.fixtures.Close()); err != nil {
			return linted{}, fmt.Errorf("lint %s: %w", fromHere(root), err)
		}
		n, err := l.below(wanted[root])
		if err != nil {
			return linted{}, err
		}
		out.Scenarios += n
		out.Findings = append(out.Findings, l.findings...)
	}
	slices.SortFunc(out.Findings, func(a, b lintFinding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.What, b.What))
	})
	out.Findings = slices.Compact(out.Findings)
	for i := range out.Findings {
		out.Findings[i].File = fromHere(out.Findings[i].File)
	}
	return out, nil
}

// below keeps the findings and counts the scenarios that lie in the wanted paths. At or above the
// features, all is wanted.
func (l *linter) below(wanted []string) (scenarios int, err error) {
	in := func(file string) bool {
		return slices.ContainsFunc(wanted, func(w string) bool {
			rel, err := filepath.Rel(w, file)
			return err == nil && filepath.IsLocal(rel)
		})
	}
	whole := in(l.config.Features) || in(filepath.Join(l.config.Root, trial.ConfigFile)) // the features may lie elsewhere
	if !whole {
		for _, w := range wanted {
			if rel, err := filepath.Rel(l.config.Features, w); err != nil || !filepath.IsLocal(rel) {
				return 0, fmt.Errorf("lint %s: it is outside %s, the features of suite %s", fromHere(w), fromHere(l.config.Features), l.config.Name)
			}
		}
		l.findings = slices.DeleteFunc(l.findings, func(f lintFinding) bool { return !in(f.File) })
	}
	for _, s := range l.scenarios() {
		if whole || in(l.place(s.URI)) {
			scenarios++
		}
	}
	return scenarios, nil
}

var placed = regexp.MustCompile(`^([^:\n]+):(\d+): (?s:(.*))$`)

// problems adds each of the errors joined in err, by the place that its text begins with.
func (l *linter) problems(rule, elsewhere string, err error) {
	if err == nil {
		return
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			l.problems(rule, elsewhere, e)
		}
		return
	}
	f := lintFinding{File: elsewhere, Line: 1, Rule: rule, What: err.Error()}
	if m := placed.FindStringSubmatch(f.What); m != nil {
		if line, err := strconv.Atoi(m[2]); err == nil {
			f.File, f.Line, f.What = l.place(m[1]), line, m[3]
		}
	}
	f.What = strings.Join(strings.Fields(f.What), " ")
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		f.Hint = h.Hint()
	}
	l.findings = append(l.findings, f)
}
