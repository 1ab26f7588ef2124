package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/understudy-dev/understudy/steps/agent"
	"github.com/understudy-dev/understudy/trial"
)

func fixturesCommand(o Options) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "fixtures PATH…",
		Short: "Check the fixtures that scenarios write, and list what each is for",
		Long: `Check the fixtures that the dummy agent's tables write, and list them: the stage and the schema that
each was held to, its purpose, whether it is invalid on purpose, and the steps that use it. Purposes
and marks stand in fixtures/fixtures.yaml below the suite's fixtures root.

Exit codes: 0 all are as they should be · 2 usage, or a fixture is not.`,
		Example:           "  understudy fixtures examples/acceptance",
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completePaths,
		RunE: func(c *cobra.Command, paths []string) error {
			declared, err := f.declared(c)
			if err != nil {
				return err
			}
			p, err := trial.Prepare(trial.Options{Paths: paths, Tags: f.tags, Declared: declared, Packs: o.packs(), Kit: Version, CallerEnv: o.Env})
			if err != nil {
				return explain(err)
			}
			list, err := agent.Inventory(p.Draft())
			if err != nil {
				return err
			}
			for _, fixture := range list {
				fmt.Fprintln(o.Stdout, fixture)
			}
			fmt.Fprintln(o.Stdout, counted(len(list), "fixture"))
			return nil
		},
	}
	cmd.Flags().StringVar(&f.tags, "tags", "", "look only at scenarios that match this tag expression")
	f.capabilitiesFlag(cmd)
	return cmd
}
