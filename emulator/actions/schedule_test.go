package actions_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/actions"
)

const everyFiveMinutes = "on: {schedule: [{cron: '*/5 * * * *'}]}\njobs: {a: {runs-on: ubuntu-latest, steps: [{run: 'true'}]}}\n"

// What is due at one moment comes by repository and file; a file that is disabled is never due.
func TestDueInOrder(t *testing.T) {
	p := start(t, everyFiveMinutes, func(_ *actions.Options, m *memory) {
		for _, path := range []string{"acme/lib@/.github/workflows/a.yml", ".github/workflows/b.yml", ".github/workflows/off.yml"} {
			m.files[path] = everyFiveMinutes
		}
		m.disabled = []string{".github/workflows/off.yml"}
	})
	from := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	due, err := p.engine.Due(t.Context(), []string{"acme/lib", "acme/app"}, from, from.Add(10*time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range due {
		got = append(got, fmt.Sprint(x.At.Sub(from), " ", x.Repo, " ", x.Workflow))
	}
	want := []string{
		"5m0s acme/app .github/workflows/b.yml", "5m0s acme/app .github/workflows/ci.yml", "5m0s acme/lib .github/workflows/a.yml",
		"10m0s acme/app .github/workflows/b.yml", "10m0s acme/app .github/workflows/ci.yml", "10m0s acme/lib .github/workflows/a.yml",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDueIsBounded(t *testing.T) {
	p := start(t, everyFiveMinutes)
	from := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	most := actions.MaxDue * 5 * time.Minute
	if due, err := p.engine.Due(t.Context(), []string{"acme/app"}, from, from.Add(most)); err != nil || len(due) != actions.MaxDue {
		t.Errorf("%d due, %v", len(due), err)
	}
	if due, err := p.engine.Due(t.Context(), []string{"acme/app"}, from, from.Add(most+5*time.Minute)); err == nil || !strings.Contains(err.Error(), "advance in shorter steps") {
		t.Errorf("one more: %d due, %v", len(due), err)
	}
}
