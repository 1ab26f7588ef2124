package cli_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/cli"
	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/suite/feature"
	"github.com/understudy-dev/understudy/world"
)

const acceptance = "../examples/acceptance"

// tokens is what every secret that the forge mints looks like.
var tokens = regexp.MustCompile(`gh[a-z]_[A-Za-z0-9]{16,}`)

// scenariosOf counts the scenarios of a suite, and the example rows of its outlines.
func scenariosOf(t *testing.T, suite string) int {
	t.Helper()
	return scenariosIn(t, suite, ".")
}

// scenariosIn counts those of some of its feature files.
func scenariosIn(t *testing.T, suite string, files ...string) int {
	t.Helper()
	loaded, err := feature.Load(os.DirFS(filepath.Join(suite, "features")), files)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range loaded {
		n += len(f.Scenarios)
	}
	return n
}

func TestAcceptance(t *testing.T) {
	all := scenariosOf(t, acceptance)
	out := t.TempDir()
	code, text := run(t, cli.Options{}, "run", acceptance, "--out", out)
	if code != 0 || !strings.Contains(text, fmt.Sprintf("%d passed in", all)) || !strings.Contains(text, "✓ triage.feature:6") {
		t.Fatalf("exit code %d\n%s", code, text)
	}
	rec, err := result.Read(filepath.Join(out, "record.json"))
	if err != nil {
		t.Fatal(err)
	}
	if got := rec.Counts(); got.Passed != all || got.Total() != all {
		t.Errorf("counts: got %+v", got)
	}
	if rec.Platform.Digest["crew"] == "" {
		t.Error("the record does not say which crew was run")
	}
	for sc := range rec.Scenarios() {
		observations, links := 0, 0
		for _, st := range sc.Steps {
			observations += len(st.Observations)
		}
		for _, ref := range sc.Evidence {
			if _, err := os.Stat(filepath.Join(out, "runs", runDir(t, out), ref.Path)); err == nil {
				links++
			}
		}
		if observations == 0 || links == 0 || links != len(sc.Evidence) || len(sc.Journal) == 0 {
			t.Errorf("%s: %d observations, %d of %d pieces of evidence, %d journal entries: a pass must show what was seen",
				sc.ID, observations, links, len(sc.Evidence), len(sc.Journal))
		}
	}
	nothingSecret(t, out)
}

func runDir(t *testing.T, out string) string {
	t.Helper()
	dirs, err := os.ReadDir(filepath.Join(out, "runs"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("runs: got %v, %v", dirs, err)
	}
	return dirs[0].Name()
}

func nothingSecret(t *testing.T, out string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if m := tokens.Find(data); m != nil {
			t.Errorf("%s holds a token", path)
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("looked into %d files: %v", files, err)
	}
}

// strictPack holds steps that go wrong in ways of their own.
var strictPack = suite.Pack{Name: "strict", Steps: []suite.Step{
	{Pattern: `a step that panics`, Do: func(context.Context) error { panic("oh no") }, Doc: "Panics.", Example: `a step that panics`},
	{Pattern: `a step nobody wrote`, Do: func(context.Context) error { return suite.ErrPending }, Doc: "Pending.", Example: `a step nobody wrote`},
	{Pattern: `a clean-up that fails`, Do: func(ctx context.Context) error {
		world.From(ctx).Cleanup("sweep", func(context.Context) error { return errors.New("the broom broke") })
		return nil
	}, Doc: "Fails afterwards.", Example: `a clean-up that fails`},
	{Pattern: `an? (\w+)-fold step`, Do: func(context.Context, string) error { return nil }, Doc: "One.", Example: `a 1-fold step`},
	{Pattern: `a two-(\w+) step`, Do: func(context.Context, string) error { return nil }, Doc: "Two.", Example: `a two-part step`},
	{Pattern: `the platform calls an endpoint that is not served`, Do: callUnserved, Doc: "Calls it.",
		Example: `the platform calls an endpoint that is not served`},
}}

func callUnserved(ctx context.Context) error {
	w := world.From(ctx)
	r, err := world.Shared[driver.Repo](ctx, world.TheRepository)
	if err != nil {
		return err
	}
	info, err := w.As("observer").Repos.Get(ctx, r)
	if err != nil {
		return err
	}
	base, _, _ := strings.Cut(info.CloneURL, "/"+r.Owner+"/")
	resp, err := http.Get(base + "/api/v3/marketplace_listing/plans")
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

const setting = `
    Given the enrolled test repository
    And an issue
    And a dummy agent that would:
      | description      | op            | args                                                      |
`

// TestNothingPassesByAccident runs, on the real environment, what must never be green.
func TestNothingPassesByAccident(t *testing.T) {
	for _, tt := range []struct {
		name, steps string
		code        int
		want        string
	}{
		{"undefined", "    Given a step that nobody knows\n", 3, `the step is undefined: "a step that nobody knows"`},
		{"pending", "    Given a step nobody wrote\n", 3, "not written yet"},
		{"ambiguous", "    Given a two-fold step\n", 3, "ambiguous"},
		{"no steps", "", 3, "no steps"},
		{"panic", "    Given a step that panics\n", 3, "oh no"},
		{"clean-up", "    Given a clean-up that fails\n", 3, "the broom broke"},
		{"unserved endpoint", "    Given the enrolled test repository\n    When the platform calls an endpoint that is not served\n", 3,
			"/marketplace_listing/plans"},
		{"unclaimed operation", setting + `
      | Emit triage JSON | write_fixture | output/agent-result.json, fixtures/triage/sufficient.json |
      | Read what is not | read_file     | no-such-file                                              |
    When the issue is labeled "ready-for-triage"
    Then the triage workflow completes successfully
`, 1, "Read what is not"},
		{"unexpected failed run", setting + `
      | Take notes       | write_fixture | output/notes.txt, fixtures/agent/notes.txt                |
    When the issue is labeled "ready-for-triage"
    Then the agent will succeed to Take notes
`, 1, "no step expected it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			abs, err := filepath.Abs(acceptance)
			if err != nil {
				t.Fatal(err)
			}
			dir := writeSuite(t, map[string]string{
				"understudy.yaml":    "platform: " + abs + "/platform.yaml\nfeatures: features\nfixtures: " + abs + "\n",
				"features/f.feature": "Feature: F\n\n  Scenario: S\n" + tt.steps,
			})
			code, text := run(t, cli.Options{Packs: []suite.Pack{strictPack}}, "run", dir, "--out", t.TempDir())
			if code != tt.code || !strings.Contains(text, tt.want) {
				t.Errorf("exit code %d, want %d; output\n%s\nwant it to contain %q", code, tt.code, text, tt.want)
			}
		})
	}
}
