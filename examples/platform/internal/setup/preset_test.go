package setup_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/crew/internal/config"
	"example.com/crew/internal/defect"
	"example.com/crew/internal/forge/forgetest"
	"example.com/crew/internal/setup"
)

// TestInstallWithPreset: the preset decides on what the repository's own configuration leaves open, and that is the runtime.
func TestInstallWithPreset(t *testing.T) {
	for d, origin := range map[defect.Name]string{defect.None: "ops/crew/config.base.yaml", defect.PresetPinned: "ops/crew/config.yaml"} {
		f := forgetest.New(t)
		o := options(t, f)
		o.Defect, o.PresetName, o.Preset = d, "p.yaml", []byte("runtime: dummy\neffort: high\n")
		if _, err := setup.Install(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		files, dir := f.Commits[1].Files, t.TempDir()
		for name, text := range files {
			if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		c, err := config.Load(dir, "ops/crew")
		if err != nil {
			t.Fatal(err)
		}
		if c.Runtime != "dummy" || c.From("runtime") != origin || c.Effort != "high" || c.From("effort") != "ops/crew/config.base.yaml" {
			t.Errorf("with %q: runtime %s from %s, effort %s from %s", d, c.Runtime, c.From("runtime"), c.Effort, c.From("effort"))
		}
	}
}

// TestPresetOverWhatIsThere: another preset replaces the one before; what people edited stays.
func TestPresetOverWhatIsThere(t *testing.T) {
	f := forgetest.New(t)
	o := options(t, f)
	f.Commits[0].Files["ops/crew/config.yaml"] = "kept"
	for _, preset := range []string{"effort: low\n", "effort: high\n"} {
		o.PresetName, o.Preset = "p.yaml", []byte(preset)
		if _, err := setup.Install(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		files := f.Commits[len(f.Commits)-1].Files
		if files["ops/crew/config.base.yaml"] != preset || files["ops/crew/config.yaml"] != "kept" {
			t.Errorf("after %q: %q, %q", preset, files["ops/crew/config.base.yaml"], files["ops/crew/config.yaml"])
		}
	}
}

func TestPresetRefused(t *testing.T) {
	for preset, want := range map[string]string{
		"runtime: dummy\nefort: high\n":        "p.yaml:2: ",
		"effort: huge\n":                       "p.yaml:1: ",
		"runtime: nobody\n":                    `p.yaml:1: runtime "nobody" has no command`,
		strings.Repeat("#", setup.MaxPreset+1): "preset p.yaml has more than 1048576 bytes",
	} {
		f := forgetest.New(t)
		o := options(t, f)
		o.PresetName, o.Preset = "p.yaml", []byte(preset)
		if _, err := setup.Install(t.Context(), o); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", preset, err, want)
		}
		if len(f.Calls) > 0 {
			t.Errorf("%.40q: %q was done all the same", preset, f.Calls)
		}
	}
}
