package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/trial"
)

func planCommand(o Options) *cobra.Command {
	var asJSON, holes bool
	var f runFlags
	cmd := &cobra.Command{
		Use:   "plan PATH…",
		Short: "Show what would run, and why some will not",
		Long: `Show what would run, in file order, and what the plan leaves out and why. Nothing is started, and
no tool is needed.

--holes shows instead what of the whole suite no configured run (runs: in understudy.yaml) covers, and since
when and why that is known (holes:). understudy lint finds those that nobody knows of.

Exit codes: 0 there is something to run · 2 usage, or nothing to run.`,
		Example: `  understudy plan examples/acceptance
  understudy plan examples/acceptance --tags "not @slow" --json
  understudy plan examples/acceptance --holes`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completePaths,
		RunE: func(c *cobra.Command, paths []string) error {
			declared, err := f.declared(c)
			if err := cmp.Or(f.checkAs(c), err); err != nil {
				return err
			}
			if holes {
				return planHoles(o, paths, asJSON)
			}
			p, err := trial.Prepare(trial.Options{Paths: paths, Tags: f.tags, As: f.as, Declared: declared, Packs: o.packs(), Kit: Version, CallerEnv: o.Env})
			if err != nil {
				return explain(err)
			}
			out := planned(p.Config, p.Plan())
			if asJSON {
				return writeJSON(o.Stdout, out)
			}
			out.print(o.Stdout)
			return nil
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.tags, "tags", "", "plan only scenarios that match this tag expression")
	fl.BoolVar(&asJSON, "json", false, "print the plan as JSON")
	fl.BoolVar(&holes, "holes", false, "show what no configured run covers")
	f.capabilitiesFlag(cmd)
	f.asFlag(cmd)
	for _, other := range []string{"tags", "capabilities", "as"} {
		cmd.MarkFlagsMutuallyExclusive("holes", other)
	}
	return cmd
}

// plan is what `understudy plan` shows.
type plan struct {
	Suite     string         `json:"suite"`
	Run       int            `json:"run"`
	Skipped   int            `json:"skipped"`
	Scenarios []planScenario `json:"scenarios"`
}

type planScenario struct {
	ID      string   `json:"id"`
	Feature string   `json:"feature"`
	Rule    string   `json:"rule,omitempty"`
	Name    string   `json:"name"`
	Tags    []string `json:"tags,omitempty"`
	Steps   int      `json:"steps"`
	Skip    string   `json:"skip,omitempty"`
	ToRun   string   `json:"to_run,omitempty"` // what would make a skipped one run
}

func planned(c trial.Config, p suite.Planned) plan {
	out := plan{Suite: c.Name}
	for _, s := range p.Scenarios {
		ps := planScenario{ID: s.ID, Feature: s.Feature, Rule: s.Rule, Name: s.Name, Tags: s.Tags, Steps: len(s.Steps), Skip: s.Skip}
		if s.Skip == "" {
			out.Run++
		} else {
			out.Skipped++
			ps.ToRun = toRun(c, s)
		}
		out.Scenarios = append(out.Scenarios, ps)
	}
	return out
}

// toRun is what a person does to make a skipped scenario run. What is declared on the command line
// replaces the defaults, so all that the scenario requires is named.
func toRun(c trial.Config, s suite.PlannedScenario) string {
	var away, needed []string
	for _, tag := range s.Tags {
		if name, ok := strings.CutPrefix(tag, "@requires:capability:"); ok && !slices.Contains(needed, name) {
			needed = append(needed, name)
		}
		if strings.HasPrefix(tag, "@skip:") && strings.Contains(s.Skip, tag) {
			away = append(away, tag)
		}
	}
	command := "understudy run " + fromHere(c.Features) + "/" + s.ID
	if len(needed) > 0 {
		command += " --capabilities " + strings.Join(needed, ",")
	}
	if len(away) > 0 {
		return "take " + strings.Join(away, " and ") + " away, then " + command
	}
	return command
}

// fromHere shows a path from the working directory when it lies below it.
func fromHere(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(wd, path)
	if err != nil || strings.HasPrefix(rel, "..") {
		return path
	}
	return rel
}

func (p plan) print(w io.Writer) {
	width := 0
	for _, s := range p.Scenarios {
		width = max(width, len(s.ID))
	}
	for _, s := range p.Scenarios {
		what := "run "
		if s.Skip != "" {
			what = "skip"
		}
		fmt.Fprintf(w, "%s  %-*s  %s\n", what, width, s.ID, s.Name)
		if s.Skip != "" {
			fmt.Fprintf(w, "      %s\n      to run it: %s\n", s.Skip, s.ToRun)
		}
	}
	fmt.Fprintf(w, "%d to run, %d skipped\n", p.Run, p.Skipped)
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
