package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/envvar"
	"github.com/understudy-dev/understudy/trial"
)

// fromEnvironment takes from environment variables what no flag says, and returns the capabilities that one of them
// declares; nil is none declared.
func (f *runFlags) fromEnvironment(cmd *cobra.Command, environ []string) ([]driver.Capability, error) {
	v, err := envvar.Read(environ)
	if err != nil {
		return nil, err
	}
	given := cmd.Flags().Changed
	if !given("jobs") {
		f.jobs = v.Jobs
	}
	if !given("tags") {
		f.tags = v.Tags
	}
	if !given("out") && v.Artifacts != "" {
		f.out = v.Artifacts
	}
	if !given("preset") {
		if err := trial.CheckPreset(v.Preset); err != nil {
			return nil, fmt.Errorf("BEHAVIOUR_CONFIG_PRESET=%s: %w", v.Preset, err)
		}
		f.preset = v.Preset
	}
	if v.Capabilities == nil || given("capabilities") || given("as") {
		return f.declared(cmd)
	}
	return trial.Declared(v.Capabilities), nil
}
