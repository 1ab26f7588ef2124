package main_test

import (
	"os"
	"strings"
	"testing"

	"github.com/nektos/act/pkg/model"
)

// TestStarterWorkflow: the workflow that `understudy init --ci github` writes is one by the schema of
// workflows, and a mistake in it is seen.
func TestStarterWorkflow(t *testing.T) {
	text, err := os.ReadFile("../../../cli/initfiles/github.yml")
	if err != nil {
		t.Fatal(err)
	}
	w, err := model.ReadWorkflow(strings.NewReader(string(text)), true)
	if err != nil {
		t.Fatal(err)
	}
	if job := w.GetJob("behaviour"); job == nil || len(job.Steps) < 3 {
		t.Errorf("got %+v", job)
	}
	wrong := strings.Replace(string(text), "runs-on:", "run-on:", 1)
	if _, err := model.ReadWorkflow(strings.NewReader(wrong), true); err == nil {
		t.Error("a mistake is not seen")
	}
}
