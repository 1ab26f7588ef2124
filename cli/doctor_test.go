package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/cli"
)

// machine makes a PATH with these programs, each a script that tells its version, and a job runner
// under which no namespaces are to be had.
func machine(t *testing.T, versions map[string]string) (dir string, env []string) {
	t.Helper()
	dir = t.TempDir()
	versions["understudy-job"] = "refused: not permitted"
	for name, says := range versions {
		script := "#!/bin/sh\necho '" + says + "'\n"
		if name == "understudy-job" {
			script = "#!/bin/sh\necho '" + says + "' >&2\nexit 1\n"
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir, []string{"PATH=" + dir, "UNDERSTUDY_JOB=" + dir + "/understudy-job"}
}

func TestDoctor(t *testing.T) {
	good := func() map[string]string {
		return map[string]string{"go": "go version go1.26.1 linux/amd64", "git": "git version 2.51.0", "bash": "GNU bash, version 5.2.37(1)-release",
			"google-chrome": "Google Chrome 140.0.7339.80", "node": "v24.1.0"}
	}
	old := good()
	old["git"], old["node"] = "git version 2.37.9", "segmentation fault"
	delete(old, "bash")
	for name, tt := range map[string]struct {
		versions map[string]string
		code     int
	}{"doctor_good": {good(), 0}, "doctor_missing": {old, 2}} {
		t.Run(name, func(t *testing.T) {
			dir, env := machine(t, tt.versions)
			code, out := run(t, cli.Options{Env: env}, "doctor")
			if code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			var kept []string // why and how depend on the machine
			lines := strings.Split(strings.ReplaceAll(out, dir, "$BIN"), "\n")
			for i, l := range lines {
				if strings.Contains(l, " namespaces ") {
					l = strings.SplitAfter(l, "refused here:")[0]
				}
				if i < 2 || !strings.Contains(lines[i-2], " namespaces ") {
					kept = append(kept, l)
				}
			}
			golden(t, name, strings.Replace(strings.Join(kept, "\n"), cli.Version, "$VERSION", 1))
			code, out = run(t, cli.Options{Env: env}, "doctor", "--json")
			var d struct {
				Things  []struct{ Name, Path, Version, Get string }
				Missing []string
			}
			if err := json.Unmarshal([]byte(out), &d); err != nil || code != tt.code || len(d.Things) < 10 {
				t.Errorf("exit code %d, %v\n%s", code, err, out)
			}
			if want := map[int]string{0: "", 2: "git bash"}[tt.code]; strings.Join(d.Missing, " ") != want {
				t.Errorf("missing %v, want %s", d.Missing, want)
			}
		})
	}
}

// TestDoctorOfThisMachine looks at the machine that runs the tests, which has what they need.
func TestDoctorOfThisMachine(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	code, out := run(t, cli.Options{}, "doctor")
	if code != 0 || !strings.Contains(out, "✓ git") || !strings.Contains(out, "the local environment offers: ledger") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if built, _ := os.ReadDir(filepath.Join(cache, "understudy")); len(built) > 0 || !strings.Contains(out, "not built yet") {
		t.Errorf("something was built: %v\n%s", built, out)
	}
}
