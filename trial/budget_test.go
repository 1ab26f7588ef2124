package trial_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/trial"
)

// budgeted writes a suite of one scenario beside its CI file, and runs it.
func budgeted(t *testing.T, ci, more string) (trial.Config, result.Record) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"ci.yml": ci, "suite/f.feature": "Feature: F\n  Scenario: S\n    Then all is well\n",
		"suite/understudy.yaml": "features: .\njobs: 2\nbudget: {ci: {workflow: ../ci.yml, job: e2e}, collection: 5m, lease: 3m, scenario: 2m}\n" + more,
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	well := suite.FromGodog("own", func(r suite.Registrar) { r.Step("^all is well$", func() error { return nil }) })
	p, err := trial.Prepare(trial.Options{Paths: []string{dir + "/suite"}, Packs: []suite.Pack{well}})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := p.Run(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i := range rec.Warnings {
		rec.Warnings[i] = strings.ReplaceAll(rec.Warnings[i], dir+"/", "")
	}
	return p.Config, rec
}

func TestRunHasItsBudget(t *testing.T) {
	ci := "jobs:\n  e2e:\n    timeout-minutes: 20\n    steps:\n      - run: understudy run suite --timeout 10m\n"
	want := &result.Budget{Limit: 600, Lease: 180, Scenario: 120}
	c, rec := budgeted(t, ci, "")
	if diff := cmp.Diff(want, rec.Budget); diff != "" || rec.Warnings != nil || !strings.HasSuffix(rec.Spent(), " of 10 m used") {
		t.Errorf("%q, warnings %q (-want +got)\n%s", rec.Spent(), rec.Warnings, diff)
	}
	if problems := c.CheckBudget(4); problems != nil {
		t.Errorf("four scenarios, two at once: %+v", problems)
	}
	if problems := c.CheckBudget(5); len(problems) != 1 || !strings.HasPrefix(problems[0].What, "--timeout 10m is less than what the suite may take: 5 leases × 3m + 5 scenarios × 2m, 2 at once = 15m") {
		t.Errorf("five scenarios, two at once: %+v", problems)
	}

	c, rec = budgeted(t, "jobs: {}\n", "")
	want.Limit = 0
	if diff := cmp.Diff(want, rec.Budget) + cmp.Diff([]string{`budget: ci.yml:1: there is no job "e2e"; the file has no jobs`}, rec.Warnings); diff != "" {
		t.Errorf("a CI file that cannot be used (-want +got)\n%s", diff)
	}
	if problems := c.CheckBudget(1); len(problems) != 1 {
		t.Errorf("a CI file that cannot be used: %+v", problems)
	}
}
