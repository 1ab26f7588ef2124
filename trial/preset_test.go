package trial_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/trial"
)

// TestPresetRefused: what is wrong with a preset is said before anything is built.
func TestPresetRefused(t *testing.T) {
	dir := t.TempDir()
	platform := `name: p
get: {run: [true, "{gives}"], gives: p}
install: {run: [p]}
actors: {admin: {role: admin}, write: {role: write}}
places: {script: s.yaml, results: r.json}
names: {artifact: "a-{stage}", workflow: w.yml, job: "run ({stage})"}
stages: {triage: {label: ready}}
`
	files := map[string]string{
		"understudy.yaml": "features: .\nplatform: platform.yaml\n", "platform.yaml": platform,
		"a.feature": "Feature: A\n  Scenario: B\n    Given an issue\n", "empty.yaml": "", "p.yaml": "a: b\n", "long.yaml": strings.Repeat("#", 1<<20+1),
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	prepare := func(preset string) error {
		_, err := trial.Prepare(trial.Options{Paths: []string{dir}, Packs: trial.Packs(), Preset: preset})
		return err
	}
	if err := prepare(at("p.yaml")); err == nil || !strings.Contains(err.Error(), "preset.install is missing; it says how preset "+at("p.yaml")+" reaches the platform") {
		t.Errorf("a platform that takes none: %v", err)
	}
	if err := os.WriteFile(at("platform.yaml"), []byte(platform+"preset: {install: [--config, \"{preset}\"]}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for preset, want := range map[string]string{
		at("p.yaml"): "", "https://presets.test/p.yaml": "", "": "",
		"http://presets.test/p.yaml": "preset http://presets.test/p.yaml: it is a file or an https URL",
		at("empty.yaml"):             "it is empty", at("long.yaml"): "it has more than 1048576 bytes", dir: "it is no file",
		at("none.yaml"): "no such file",
	} {
		err := prepare(preset)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", preset, err, want)
		}
	}
	if err := prepare(at("none.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("none: %v", err)
	}
}
