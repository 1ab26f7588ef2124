package cli

import (
	"errors"

	"github.com/spf13/cobra"
)

// asFlag adds --as to a command that plans.
func (f *runFlags) asFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.as, "as", "", "with the tags and capabilities of this run of understudy.yaml")
}

// checkAs refuses what a configured run decides.
func (f *runFlags) checkAs(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	if given("as") && (f.as == "" || given("tags") || given("capabilities")) {
		return errors.New("--as names a run of understudy.yaml, which has tags and capabilities of its own")
	}
	return nil
}
