package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
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

// ofMachine are things that doctor finds on whatever machine it runs.
var ofMachine = []string{"temp-dir", "disk-space", "open-files", "namespaces", "namespace."}

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
	}{"doctor_good": {good(), 0}, "doctor_missing": {old, 3}} {
		t.Run(name, func(t *testing.T) {
			dir, env := machine(t, tt.versions)
			code, out := run(t, cli.Options{Env: env}, "doctor", "--suite", dir)
			if code != tt.code {
				t.Errorf("exit code %d, want %d", code, tt.code)
			}
			var kept []string
			drop := false
			for l := range strings.SplitSeq(strings.ReplaceAll(out, dir, "$BIN"), "\n") {
				if !strings.HasPrefix(l, "    ") {
					drop = slices.ContainsFunc(ofMachine, func(name string) bool { return strings.Contains(l, " "+name) })
				}
				if !drop {
					kept = append(kept, l)
				}
			}
			golden(t, name, strings.Replace(strings.Join(kept, "\n"), cli.Version, "$VERSION", 1))
			code, out = run(t, cli.Options{Env: env}, "doctor", "--json", "--suite", dir)
			var d struct {
				Things []struct {
					Name, Path, Version string
					Get                 struct{ Debian, Fedora, MacOS string }
				}
				Missing []string
			}
			if err := json.Unmarshal([]byte(out), &d); err != nil || code != tt.code || len(d.Things) < 15 || d.Things[1].Get.Fedora != "dnf install git" {
				t.Errorf("exit code %d, %v\n%s", code, err, out)
			}
			if want := map[int]string{0: "", 3: "git bash"}[tt.code]; strings.Join(d.Missing, " ") != want {
				t.Errorf("missing %v, want %s", d.Missing, want)
			}
		})
	}
}

// A program that tells its version and does nothing else is none.
func TestDoctorTriesWhatItFinds(t *testing.T) {
	for name, want := range map[string]string{
		"git": "git init: exit status 1: cannot", "bash": "exit status 1: cannot", "curl": "exit status 1: cannot",
		"node": "exit status 1: cannot", "python3": "exit status 1: cannot", "chromium": "exit status 1: cannot", "docker": "exit status 1: cannot",
	} {
		dir := t.TempDir()
		script := "#!/bin/sh\n[ \"$*\" = --version ] && echo version 9.9.9 && exit 0\necho cannot >&2\nexit 1\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		code, out := run(t, cli.Options{Env: []string{"PATH=" + dir}}, "doctor", "--capability", name, "--suite", dir)
		want = name + ": " + dir + "/" + name + " 9.9.9 is there, but does not work: " + want + "\nto get it: run it by hand and see what it lacks\n"
		if code != 3 || out != want {
			t.Errorf("%s: exit code %d\n%s\nwant\n%s", name, code, out, want)
		}
	}
}

func TestDoctorOfOneCapability(t *testing.T) {
	dir := writeSuite(t, map[string]string{"platform.yaml": platformYAML + "capabilities: {slow: false, quick: true}\n"})
	broken := writeSuite(t, map[string]string{"platform.yaml": platformYAML + "extra: 1\n"})
	for _, tt := range []struct {
		env  []string
		args []string
		code int
		want string
	}{
		{nil, []string{"--capability", "ledger"}, 0, "ledger: offered by the local environment\n"},
		{nil, []string{"--capability", "quick"}, 0, "quick: declared by "},
		{nil, []string{"--capability", "slow"}, 3, "it runs with --capabilities slow, or BEHAVIOUR_CAPABILITIES=slow under go test"},
		{[]string{"BEHAVIOUR_CAPABILITIES=slow"}, []string{"--capability", "slow"}, 0, "slow: declared by BEHAVIOUR_CAPABILITIES"},
		{[]string{"BEHAVIOUR_CAPABILITIES="}, []string{"--capability", "quick"}, 3, "quick: left out by BEHAVIOUR_CAPABILITIES"},
		{nil, []string{"--capability", "temp-dir"}, 0, "temp-dir: "},
		{nil, []string{"--capability", "gh"}, 3, "gh: not found\nto get it: Debian: apt-get install gh"},
		{nil, []string{"--capability", "kubctl"}, 2, "did you mean kubectl?"},
		{nil, []string{"--capability", ""}, 2, "nobody knows it"},
		{nil, []string{"--suite", dir + "/none"}, 2, "there is no"},
		{nil, []string{"--suite", broken}, 2, `unknown key "extra"`},
	} {
		args := append([]string{"doctor", "--suite", dir}, tt.args...)
		code, out := run(t, cli.Options{Env: append([]string{"PATH=/nowhere"}, tt.env...)}, args...)
		if code != tt.code || !strings.Contains(out, tt.want) {
			t.Errorf("%v %v: exit code %d\n%s\nwant %s", tt.env, tt.args, code, out, tt.want)
		}
	}
}

func TestDoctorNamesAFullOrLockedMachine(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	if code, out := run(t, cli.Options{}, "doctor"); code != 2 || !strings.Contains(out, "make a directory to try things in") {
		t.Errorf("exit code %d\n%s", code, out)
	}
}

// TestDoctorOfThisMachine looks at the machine that runs the tests, which has what they need.
func TestDoctorOfThisMachine(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	code, out := run(t, cli.Options{}, "doctor")
	if code != 0 || !strings.Contains(out, "✓ git") || !strings.Contains(out, "✓ ledger ") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if built, _ := os.ReadDir(filepath.Join(cache, "understudy")); len(built) > 0 || !strings.Contains(out, "not built yet") {
		t.Errorf("something was built: %v\n%s", built, out)
	}
}
