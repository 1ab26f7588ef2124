package result_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/result"
)

func sample(t *testing.T, name string) result.Record {
	t.Helper()
	r, err := result.Read("../report/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCanonGolden(t *testing.T) {
	const golden = "testdata/canon_red.golden"
	got := result.Canon(sample(t, "red.json"))
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Error(diff)
	}
}

// words are what a program may have said in its last moment, with the places where it ran.
const words = "no such file: /tmp/understudy-1634218820/lease-634218820/jobs/job-2-4045243781/work/act/f0087b2d8260acc5/output"

// changed returns the sample, in which a job has last words, with its JSON text rewritten.
func changed(t *testing.T, rewrite func(string) string) result.Record {
	t.Helper()
	r := sample(t, "red.json")
	told := false
	for _, e := range r.Cells[0].Trials[0].Scenarios[0].Journal {
		if e.Type == "job.completed" {
			e.Detail["error"], told = words, true
		}
	}
	if !told {
		t.Fatal("the sample has no job")
	}
	if rewrite == nil {
		return r
	}
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	r = result.Record{}
	if err := json.Unmarshal([]byte(rewrite(string(b))), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestCanonIgnoresWhatIsNotOurs(t *testing.T) {
	want := string(result.Canon(changed(t, nil)))
	for name, rewrite := range map[string]func(string) string{
		"ids of runs":     strings.NewReplacer("run:1", "run:71", "run 1", "run 71").Replace,
		"ids of jobs":     strings.NewReplacer("job:2", "job:902", "job:1", "job:33", "job 2", "job 902").Replace,
		"ids of requests": strings.NewReplacer(`"detail":{"status":`, `"detail":{"request_id":"8F0A:1","status":`).Replace,
		"leased name":     strings.NewReplacer("test-repo-01", "test-repo-07").Replace,
		"times":           strings.NewReplacer("09:14:", "10:59:").Replace,
		"digests":         func(s string) string { return regexp.MustCompile(`sha256:[0-9a-f]`).ReplaceAllString(s, "sha256:e") },
		"directories": strings.NewReplacer("/tmp/understudy-1634218820/lease-634218820/jobs/job-2-4045243781/work/act/f0087b2d8260acc5/output",
			"/tmp/understudy-724607561/lease-24607561/jobs/job-2-26142383/work/act/2dfe926454d34a05/output").Replace,
		"when it held":     strings.NewReplacer(`"ok":true,"decided":"exact"`, `"ok":true`, `"ok":true,"tries":2,"decided":"exact"`, `"ok":true,"tries":2`).Replace,
		"seconds":          func(s string) string { return regexp.MustCompile(`"seconds":[0-9]`).ReplaceAllString(s, `"seconds":7`) },
		"tries":            func(s string) string { return regexp.MustCompile(`"tries":[0-9]`).ReplaceAllString(s, `"tries":8`) },
		"which were open":  strings.NewReplacer(`["run 1 crew.yml","job 2 run (triage)"]`, `["run 1 crew.yml"]`, "(2 open)", "(1 open)").Replace,
		"order of workers": func(s string) string { return regexp.MustCompile(`"worker":[0-9]`).ReplaceAllString(s, `"worker":5`) },
	} {
		got := string(result.Canon(changed(t, rewrite)))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s make a difference:\n%s", name, diff)
		}
	}
}

func TestCanonSortsSiblings(t *testing.T) {
	want := sample(t, "green.json")
	got := sample(t, "green.json")
	journal := got.Cells[0].Trials[0].Scenarios[4].Journal
	var door []int
	for i, e := range journal {
		if e.Type == "door.request" {
			door = append(door, i)
		}
	}
	a, b := door[0], door[1] // two calls of one job change places
	journal[a].Seq, journal[b].Seq = journal[b].Seq, journal[a].Seq
	journal[a], journal[b] = journal[b], journal[a]
	if diff := cmp.Diff(string(result.Canon(want)), string(result.Canon(got))); diff != "" {
		t.Errorf("the order of siblings makes a difference:\n%s", diff)
	}
}

func TestCanonSeesWhatIsOurs(t *testing.T) {
	want := string(result.Canon(changed(t, nil)))
	for name, rewrite := range map[string]func(string) string{
		"small id":    strings.NewReplacer(`"got":["ready-for-triage"]`, `"got":{"id":"sufficient"}`).Replace,
		"verdict":     func(s string) string { return strings.Replace(s, `"verdict":"failed"`, `"verdict":"broken"`, 1) },
		"observation": func(s string) string { return strings.Replace(s, `"got":["ready-for-triage"]`, `"got":[]`, 1) },
		"exactness":   strings.NewReplacer(`"exact"`, `"watched"`).Replace,
		"conclusion":  strings.NewReplacer(`"conclusion":"failure"`, `"conclusion":"timed_out"`).Replace,
		"finding":     strings.NewReplacer("unexpected-failed-run", "cleanup").Replace,
		"cause":       strings.NewReplacer(`"cause":"job:2"`, `"cause":"job:1"`).Replace,
		"issue":       strings.NewReplacer("test-repo-01#1", "test-repo-01#2").Replace,
		"new request": strings.NewReplacer("PUT /repos", "POST /repos").Replace,
	} {
		if got := string(result.Canon(changed(t, rewrite))); got == want {
			t.Errorf("another %s makes no difference", name)
		}
	}
}

// TestCanonLeavesOutWhatWasInstalled compares a scenario that installed with one that got a copy of
// another build; that nothing was installed does make a difference.
func TestCanonLeavesOutWhatWasInstalled(t *testing.T) {
	with := func(detail map[string]string) string {
		r := changed(t, nil)
		s := &r.Cells[0].Trials[0].Scenarios[0]
		if detail != nil {
			s.Journal = append(s.Journal, driver.Entry{Seq: 9_000, Type: "platform.installed", Cause: "step:1", Subject: "acme/test-repo-01", Detail: detail})
		}
		return string(result.Canon(r))
	}
	installed := with(map[string]string{"from": "install", "digest": "sha256:1"})
	if diff := cmp.Diff(installed, with(map[string]string{"from": "copy", "digest": "sha256:2", "defect": "x"})); diff != "" {
		t.Error(diff)
	}
	if installed == with(nil) {
		t.Error("an installation makes no difference")
	}
}
