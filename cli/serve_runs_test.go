package cli

import (
	"testing"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// TestRunLine shows each job with its sign, and why there is none.
func TestRunLine(t *testing.T) {
	run := forge.Run{ID: 7, Repo: "acme/app", Workflow: ".github/workflows/ci.yml", Conclusion: "failure"}
	reasoned := run
	reasoned.Conclusion, reasoned.Reason = "startup_failure", "jobs.a: no steps"
	for _, tt := range []struct {
		view      forge.RunView
		artifacts int
		want      string
	}{
		{forge.RunView{Run: run, Jobs: []forge.Job{{Name: "a", Conclusion: "success"}, {Name: "b", Conclusion: "failure"}, {Name: "c", Conclusion: "skipped"}, {Name: "d", Conclusion: "cancelled"}, {Name: "e", Conclusion: "timed_out"}}},
			1, "run 7  acme/app ci.yml  ✓ a  ✗ b  – c  – d  ✗ e  1 artifact"},
		{forge.RunView{Run: run, Jobs: []forge.Job{{Name: "a", Conclusion: "success"}}}, 2, "run 7  acme/app ci.yml  ✓ a  2 artifacts"},
		{forge.RunView{Run: reasoned}, 0, "run 7  acme/app ci.yml  ✗ startup_failure: jobs.a: no steps"},
	} {
		if got := runLine(tt.view, tt.artifacts); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
