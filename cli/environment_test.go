package cli_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/cli"
)

// TestEnvironmentVariables: they are checked before anything runs, hold where there is no flag, and a flag beats its
// variable.
func TestEnvironmentVariables(t *testing.T) {
	dir := writeSuite(t, map[string]string{"platform.yaml": platformYAML, "features/f.feature": someFeature})
	runs := writeSuite(t, map[string]string{"platform.yaml": platformYAML, "features/f.feature": someFeature,
		"understudy.yaml": "platform: platform.yaml\nfeatures: features\nruns: {all: {tags: \"@nowhere\"}}\n"})
	out := t.TempDir()
	for _, tt := range []struct {
		name string
		env  []string
		args []string
		want string
	}{
		{"not built", []string{"BEHAVIOUR_SCM=gitlab"}, nil, "BEHAVIOUR_SCM=gitlab: this value is not built yet; it is github"},
		{"no such name", []string{"BEHAVIOUR_SCN=x"}, nil, "is it BEHAVIOUR_SCM?"},
		{"tags", []string{"GODOG_TAGS=~@slow"}, nil, "no scenario is selected"},
		{"tags of the flag", []string{"GODOG_TAGS=@slow"}, []string{"--tags", "@fast"}, "no scenario is selected"},
		{"preset", []string{"BEHAVIOUR_CONFIG_PRESET=none.yaml"}, nil, "BEHAVIOUR_CONFIG_PRESET=none.yaml: stat none.yaml"},
		{"preset without a way", []string{"BEHAVIOUR_CONFIG_PRESET=" + dir + "/platform.yaml"}, nil, "preset.install is missing"},
		{"preset of the flag", []string{"BEHAVIOUR_CONFIG_PRESET=none.yaml"}, []string{"--preset", "other.yaml"}, "preset other.yaml: stat other.yaml: no such file or directory\nunderstudy: hint: a preset is a file"},
		{"directory", []string{"BEHAVIOUR_ARTIFACT_DIR=" + dir + "/platform.yaml"}, nil, "not a directory"},
		{"a configured run", []string{"GODOG_TAGS=not @nowhere", "BEHAVIOUR_CAPABILITIES=x"}, []string{"--as", "all"}, "no scenario is selected"},
		{"capabilities", []string{"BEHAVIOUR_CAPABILITIES=a,,b"}, nil, `"" is not a name`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := append([]string{"run", dir}, tt.args...)
			if slices.Contains(args, "--as") {
				args[1] = runs
			}
			if tt.name != "directory" {
				args = append(args, "--out", out)
			}
			code, got := run(t, cli.Options{Env: tt.env}, args...)
			if code != 2 || !strings.Contains(got, tt.want) {
				t.Errorf("exit code %d, want 2\n%s\nwant it to contain %q", code, got, tt.want)
			}
		})
	}
}
