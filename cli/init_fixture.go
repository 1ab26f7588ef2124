package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/environment"
	"github.com/understudy-dev/understudy/steps/agent"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/trial"
)

func initFixtureCommand(o Options) *cobra.Command {
	var out, dir string
	cmd := &cobra.Command{
		Use:   "fixture STAGE",
		Short: "Write the smallest result that a stage accepts, as a fixture",
		Long: `Write the smallest result that a stage accepts, made from the stage's JSON Schema and held to the
schema and the platform file's checks before it is written. A file that is there is not overwritten.

Exit codes: 0 written · 2 usage, or no such result could be made.`,
		Example: `  understudy init fixture triage
  understudy init fixture triage --suite e2e --out e2e/fixtures/triage/empty.json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeStages,
		RunE:              func(_ *cobra.Command, args []string) error { return runInitFixture(o, dir, args[0], out) },
	}
	cmd.Flags().StringVar(&dir, "suite", ".", "directory of the suite")
	cmd.Flags().StringVar(&out, "out", "", "file to write (default: fixtures/STAGE/minimal.json below the fixtures root)")
	return cmd
}

func runInitFixture(o Options, dir, name, out string) error {
	config, err := trial.FindConfig(dir, "")
	if err != nil {
		return err
	}
	if config.Platform == "" {
		return fmt.Errorf("suite %s names no platform file, so there is no stage %q", config.Name, name)
	}
	platform, err := environment.ReadPlatform(fromHere(config.Platform))
	if err != nil {
		return err
	}
	stage, err := stageWithSchema(platform, name)
	if err != nil {
		return err
	}
	doc, err := smallest(stage.Schema.Text, required(stage.Checks))
	if err == nil {
		err = accepted(stage, doc)
	}
	if err != nil {
		return &hinted{fmt.Errorf("make a fixture for stage %s: %w", name, err),
			"write it by hand after " + fromHere(stage.Schema.File) + "; `understudy fixtures` checks it"}
	}
	if out == "" {
		out = fromHere(filepath.Join(config.Fixtures, "fixtures", name, "minimal.json"))
	}
	if err := writeNew(out, doc); err != nil {
		return err
	}
	fmt.Fprintf(o.Stdout, "wrote %s\n", out)
	if key, ok := below(config.Fixtures, out); ok {
		fmt.Fprintf(o.Stdout, "\nSay in fixtures/fixtures.yaml what it is for:\n\n%s:\n  stage: %s\n  purpose: the least that the stage accepts\n", key, name)
	}
	return nil
}

func stageWithSchema(p environment.Platform, name string) (driver.Stage, error) {
	var names []string
	for _, s := range p.Stages {
		if s.Name == name {
			if s.Schema.Text == nil {
				return s, fmt.Errorf("%s: stage %q has no schema to make a fixture from", p.File, name)
			}
			return s, nil
		}
		names = append(names, s.Name)
	}
	return driver.Stage{}, fmt.Errorf("%s: there is no stage %q; there are: %s", p.File, name, strings.Join(names, ", "))
}

// required are the keys at the top that checks ask for, whatever the schema says of them.
func required(checks []driver.Check) []string {
	var keys []string
	for _, c := range checks {
		if c.When.Path == "" {
			key, _, _ := strings.Cut(c.Path, ".")
			keys = append(keys, key)
		}
	}
	return keys
}

// accepted holds a result to all that is asked of a fixture: it asks the agent's pack, which knows.
func accepted(s driver.Stage, doc []byte) (err error) {
	dir, err := os.MkdirTemp("", "understudy-fixture-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	declared := fmt.Appendf(nil, "result.json: {stage: %s, purpose: to be checked}\n", s.Name)
	for name, text := range map[string][]byte{"result.json": doc, "fixtures.yaml": declared} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return err
		}
	}
	draft := suite.Draft{Fixtures: os.DirFS(dir)}
	draft.Platform.Stages = []driver.Stage{s}
	if err := suite.Lint([]suite.Pack{agent.Pack}, draft); err != nil {
		_, why, _ := strings.Cut(err.Error(), "result.json is ")
		why, _, _ = strings.Cut(why, " (if that is meant")
		return fmt.Errorf("what its schema seems to ask for, %s, is %s", strings.Join(strings.Fields(string(doc)), " "), why)
	}
	return nil
}

// writeNew writes a file that must not be there yet.
func writeNew(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write fixture: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return &hinted{fmt.Errorf("%s is there already; it was left as it is", path), "name another file with --out"}
	}
	if err != nil {
		return fmt.Errorf("write fixture: %w", err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write fixture: %w", errors.Join(err, os.Remove(path)))
	}
	return nil
}

// below is a path as it is named from root; false when it lies elsewhere.
func below(root, path string) (string, bool) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", false
	}
	rel, err := filepath.Rel(root, abs)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}
