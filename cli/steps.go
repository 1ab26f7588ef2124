package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func stepsCommand(o Options) *cobra.Command {
	return &cobra.Command{
		Use:     "steps",
		Short:   "List the steps that scenarios can use",
		Example: "  understudy steps",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			for _, p := range o.packs() {
				fmt.Fprintf(o.Stdout, "%s\n", p.Name)
				for _, s := range p.Steps {
					fmt.Fprintf(o.Stdout, "  %s\n      %s\n      e.g. %s\n", s.Pattern, s.Doc, s.Example)
				}
			}
			return nil
		},
	}
}
