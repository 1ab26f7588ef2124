package forge_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge"
)

const actions = "/repos/acme/app/actions"

// seedRun makes a run with one failed job, a log and an artifact.
func seedRun(t testing.TB, w *world) (forge.Run, forge.Job, forge.Artifact) {
	t.Helper()
	head, _ := w.ada.want(201, "PUT", contents+".github/workflows/ci.yml", map[string]any{"message": "m", "content": encode("name: CI\non: push\n")}).at("commit.sha").(string)
	run, err := w.admin.SaveRun(forge.Run{Repo: "acme/app", Workflow: ".github/workflows/ci.yml", Name: "CI", Title: "m", Event: "push",
		Actor: "ada", Cause: "event:41", HeadSHA: head, HeadBranch: "main", Status: "queued"})
	must(t, err)
	run.Status = "in_progress"
	run, err = w.admin.SaveRun(run)
	must(t, err)
	job, err := w.admin.SaveJob(forge.Job{RunID: run.ID, Key: "a", Name: "build (a)", Status: "queued"})
	must(t, err)
	job.Status = "in_progress"
	job, err = w.admin.SaveJob(job)
	must(t, err)
	must(t, w.admin.AppendLog(job.ID, []byte("line 1\n")))
	must(t, w.admin.AppendLog(job.ID, []byte("line 2\n")))
	art, err := w.admin.PutArtifact(forge.Artifact{RunID: run.ID, JobID: job.ID, Name: "out"}, strings.NewReader("zip bytes"))
	must(t, err)
	job.Status, job.Conclusion = "completed", "failure"
	job.Steps = []forge.Step{{Number: 1, Name: "build", Status: "completed", Conclusion: "failure"}}
	for _, level := range []string{"notice", "warning", "failure"} {
		job.Annotations = append(job.Annotations, forge.Annotation{Level: level, Path: "a/b.go", StartLine: 3, EndLine: 4, Title: "T", Message: "m", Step: 1})
	}
	job, err = w.admin.SaveJob(job)
	must(t, err)
	run.Status, run.Conclusion = "completed", "failure"
	run, err = w.admin.SaveRun(run)
	must(t, err)
	return run, job, art
}

func TestRunsAsObjects(t *testing.T) {
	w := newWorld(t)
	after := w.seq()
	run, job, art := seedRun(t, w)
	want := []string{
		"push", "run.created", "workflow_run.requested", "run.started", "workflow_run.in_progress", "job.created", "workflow_job.queued",
		"check_run.created", "job.started", "workflow_job.in_progress", "artifact.created", "job.completed", "workflow_job.completed", "check_run.completed",
		"run.completed", "workflow_run.completed", "check_suite.completed",
	}
	if got := w.changes(after); !cmp.Equal(got, want) {
		t.Errorf("changes = %v, want %v", got, want)
	}
	if e := w.lastEntry("run.completed"); e.Cause != "event:41" || e.Subject != "run:1" || e.Detail["conclusion"] != "failure" || e.Detail["repo"] != "acme/app" {
		t.Errorf("run.completed = %+v", e)
	}
	if e := w.lastEntry("workflow_run.completed"); e.Cause != "run:1" || e.Detail["event"] != "workflow_run" || e.Detail["action"] != "completed" {
		t.Errorf("workflow_run.completed = %+v", e)
	}
	if e := w.lastEntry("job.completed"); e.Cause != "run:1" || e.Subject != "job:1" || e.Detail["failed_step"] != "build" || e.Detail["name"] != "build (a)" {
		t.Errorf("job.completed = %+v", e)
	}
	if run.Number != 1 || run.Created.IsZero() || run.Started.IsZero() || run.Completed.IsZero() || job.Repo != "acme/app" {
		t.Errorf("run = %+v, job = %+v", run, job)
	}
	if got := w.admin.Artifacts(run.ID); !cmp.Equal(got, []forge.Artifact{art}) || art.Size != 9 || !strings.HasPrefix(art.Digest, "sha256:") {
		t.Errorf("artifacts = %+v", got)
	}
	if _, err := w.admin.PutArtifact(forge.Artifact{RunID: run.ID, Name: "out"}, strings.NewReader("x")); err == nil {
		t.Error("a second artifact of one name was taken")
	}
	if _, err := w.admin.PutArtifact(forge.Artifact{RunID: run.ID, Name: "x", Digest: "sha256:00"}, strings.NewReader("x")); err == nil {
		t.Error("a wrong digest was taken")
	}
	run.Status = "queued"
	if _, err := w.admin.SaveRun(run); err == nil {
		t.Error("a run went back")
	}
	if _, err := w.admin.SaveJob(forge.Job{RunID: 99, Status: "queued"}); err == nil {
		t.Error("a job without a run was taken")
	}
	second, err := w.admin.SaveRun(forge.Run{Repo: "acme/app", HeadSHA: w.head("acme/app", "main"), Workflow: ".github/workflows/ci.yml", Status: "completed", Conclusion: "startup_failure", Reason: "ci.yml:2: container: is not supported"})
	must(t, err)
	if e := w.lastEntry("run.completed"); second.Number != 2 || !strings.HasPrefix(e.Detail["reason"], "ci.yml:2") {
		t.Errorf("second = %+v, entry %+v", second, e)
	}
}

func TestRunsOverTheAPI(t *testing.T) {
	w := newWorld(t)
	seedRun(t, w)
	r := w.ada.want(200, "GET", actions+"/runs?event=push&branch=main&actor=ada&status=failure", nil)
	r.is("total_count", 1.0)
	r.is("workflow_runs.0.understudy_cause", "event:41")
	r.is("workflow_runs.0.path", ".github/workflows/ci.yml")
	r.is("workflow_runs.0.actor.login", "ada")
	w.ada.want(200, "GET", actions+"/runs?event=issues", nil).is("total_count", 0.0)
	w.ada.want(200, "GET", actions+"/workflows/ci.yml/runs", nil).is("workflow_runs.0.conclusion", "failure")
	w.ada.want(404, "GET", actions+"/workflows/nope.yml/runs", nil)
	w.ada.want(200, "GET", actions+"/workflows/ci.yml", nil).is("name", "CI")
	w.ada.want(200, "GET", actions+"/workflows", nil).is("total_count", 1.0)
	w.ada.want(200, "GET", actions+"/runs/1", nil).is("run_number", 1.0)
	w.ada.want(404, "GET", actions+"/runs/2", nil)
	jobs := w.ada.want(200, "GET", actions+"/runs/1/jobs", nil)
	jobs.is("jobs.0.name", "build (a)")
	jobs.is("jobs.0.steps.0.conclusion", "failure")
	w.ada.want(200, "GET", actions+"/jobs/1", nil).is("run_id", 1.0)
	w.ada.want(200, "GET", actions+"/runs/1/artifacts", nil).is("artifacts.0.workflow_run.id", 1.0)
	w.ada.want(200, "GET", actions+"/artifacts?name=other", nil).is("total_count", 0.0)
}

func TestDownloadsAreShortLivedSignedAddresses(t *testing.T) {
	w := newWorld(t)
	seedRun(t, w)
	for path, want := range map[string]string{"/jobs/1/logs": "line 1\nline 2\n", "/artifacts/1/zip": "zip bytes"} {
		r := w.ada.unredirected().want(302, "GET", actions+path, nil)
		at := r.header.Get("Location")
		nobody := actor{w, ""}
		if got := nobody.want(200, "GET", at, nil); string(got.body) != want {
			t.Errorf("%s = %q, want %q", path, got.body, want)
		}
		u, err := url.Parse(at)
		must(t, err)
		u.Path = u.Path[:len(u.Path)-1] + "2"
		nobody.want(403, "GET", u.String(), nil)
		if got := nobody.send("GET", actions+path, nil); got.status != 401 && got.status != 403 {
			t.Errorf("anonymous %s = %d", path, got.status)
		}
	}
	old, err := w.admin.PutArtifact(forge.Artifact{RunID: 1, Name: "old", Expires: time.Unix(1, 0)}, strings.NewReader("x"))
	must(t, err)
	w.ada.want(410, "GET", fmt.Sprintf("%s/artifacts/%d/zip", actions, old.ID), nil).is("message", "Artifact has expired")
	w.ada.want(200, "GET", fmt.Sprintf("%s/artifacts/%d", actions, old.ID), nil).is("expired", true)
	rc, err := w.admin.OpenArtifact(1)
	must(t, err)
	data, err := io.ReadAll(rc)
	must(t, err)
	must(t, rc.Close())
	if !bytes.Equal(data, []byte("zip bytes")) {
		t.Errorf("OpenArtifact = %q", data)
	}
	w.ada.want(204, "DELETE", actions+"/artifacts/1", nil)
	w.ada.want(404, "GET", actions+"/artifacts/1", nil)
	if _, err := w.admin.OpenArtifact(1); err == nil {
		t.Error("a deleted artifact can be opened")
	}
}

func TestSignedAddressEnds(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var mu sync.Mutex
	w := newForgeIn(t, forge.Options{Now: func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return now
	}})
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "auto_init": true}).is("created_at", "2026-01-02T03:04:05Z")
	seedRun(t, w)
	at := w.ada.unredirected().want(302, "GET", actions+"/jobs/1/logs", nil).header.Get("Location")
	w.ada.want(200, "GET", at, nil)
	mu.Lock()
	now = now.Add(2 * time.Minute)
	mu.Unlock()
	w.ada.want(403, "GET", at, nil)
}

func TestWorkflowFiles(t *testing.T) {
	w := newWorld(t)
	sha, err := w.admin.ResolveRef("acme/app", "")
	must(t, err)
	files, err := w.admin.WorkflowFiles("acme/app", sha)
	if err != nil || len(files) != 0 {
		t.Errorf("WorkflowFiles without any = %v, %v", files, err)
	}
	w.ada.want(201, "PUT", contents+".github/workflows/a.yml", map[string]any{"message": "m", "content": encode("on: push")})
	w.ada.want(201, "PUT", contents+".github/workflows/notes.txt", map[string]any{"message": "m", "content": ""})
	sha, err = w.admin.ResolveRef("acme/app", "refs/heads/main")
	must(t, err)
	files, err = w.admin.WorkflowFiles("acme/app", sha)
	if d := cmp.Diff(map[string][]byte{".github/workflows/a.yml": []byte("on: push")}, files); d != "" || err != nil {
		t.Errorf("WorkflowFiles: %v (-want +got):\n%s", err, d)
	}
	if _, err := w.admin.ResolveRef("acme/app", "nowhere"); err == nil {
		t.Error("an absent ref was resolved")
	}
}

// TestUnreadCommit: a commit that is a branch's head and that cannot be read is not one that is not there, unless
// the repository was deleted.
func TestUnreadCommit(t *testing.T) {
	dir := t.TempDir()
	w := newForgeIn(t, forge.Options{Dir: dir})
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "auto_init": true})
	sha, err := w.admin.ResolveRef("acme/app", "")
	must(t, err)
	lost, err := filepath.Glob(filepath.Join(dir, "*", "*.git", "objects", sha[:2], sha[2:]))
	if err != nil || len(lost) != 1 {
		t.Fatalf("the commit's file: %q, %v", lost, err)
	}
	must(t, os.Remove(lost[0]))
	if _, err := w.admin.ResolveRef("acme/app", sha); err == nil || errors.Is(err, driver.ErrNotFound) ||
		!strings.Contains(err.Error(), sha+" is the head of refs/heads/main and cannot be read") {
		t.Errorf("a head that is lost: %v", err)
	}
	other := strings.Repeat("1", 40)
	if _, err := w.admin.ResolveRef("acme/app", other); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("a commit that never was: %v", err)
	}
	id, _ := w.ada.want(200, "GET", "/repos/acme/app", nil).at("id").(float64)
	if !w.admin.Still("acme/app", int64(id)) {
		t.Error("a repository that is there is not")
	}
	w.ada.want(204, "DELETE", "/repos/acme/app", nil)
	if w.admin.Still("acme/app", int64(id)) {
		t.Error("a repository that was deleted is still there")
	}
	if _, err := w.admin.ResolveRef("acme/app", sha); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("of a repository that is gone: %v", err)
	}
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app"})
	if w.admin.Still("acme/app", int64(id)) {
		t.Error("another repository of the name is taken for the one before")
	}
}
