package markdown_test

import (
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/outline"
	"github.com/understudy-dev/understudy/report/markdown"
	"github.com/understudy-dev/understudy/result"
)

func TestWorkflows(t *testing.T) {
	const evil = "</details><img src=x>`|@all"
	f := outline.File{Path: evil, Digest: "sha256:1", Permissions: map[string]string{"issues": "write"}, Jobs: []outline.Job{
		{Key: "a", Line: 3, Steps: []outline.Step{{Name: "ran", Line: 5}, {Name: evil, Line: 6}}}}}
	o := outline.Outcome{Digest: "sha256:1", Job: "a", Run: "run:1", Steps: []string{"success", "skipped"}}
	s := result.Scenario{ID: "a.feature:1", Verdict: result.Passed, Journal: []driver.Entry{{Type: outline.JobEntry, Subject: "job:1", Detail: o.Detail()}}}
	r := result.Record{Workflows: []outline.File{f}, Cells: []result.Cell{{Trials: []result.Trial{{Number: 1, Scenarios: []result.Scenario{s}}}}}}
	got := render(t, markdown.Format{}, r)
	for _, want := range []string{
		"1 run in 1 scenario · jobs 1/1 · steps 1/2", "- line 6: job a: step 2", "- job a declares issues: write, used nothing of it", "```yaml\npermissions: {}\n```",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(got, "<img") || strings.Count(got, "</details>") != 1 {
		t.Error("a file's path ends the section")
	}
	if t.Failed() {
		t.Log(got)
	}
}
