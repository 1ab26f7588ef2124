package forge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/emulator/forge"
)

const checkRuns = "/repos/acme/app/check-runs"

// app returns an account of a program and a token of its that may write checks.
func (w *world) app(login string) actor {
	w.t.Helper()
	must(w.t, w.admin.AddUser(forge.User{Login: login, Bot: true}))
	return w.mint(forge.TokenSpec{Login: login, Repo: "acme/app", Permissions: map[string]string{"checks": "write", "statuses": "write"}})
}

// TestJobsAreCheckRuns looks at a run as check suite and at its jobs as check runs.
func TestJobsAreCheckRuns(t *testing.T) {
	w := newWorld(t)
	_, job, _ := seedRun(t, w)
	r := w.ada.want(200, "GET", checkRuns+"/1", nil)
	r.is("name", "build (a)")
	r.is("head_sha", w.head("acme/app", "main"))
	r.is("status", "completed")
	r.is("conclusion", "failure")
	r.is("app.slug", "github-actions")
	r.is("app.id", 15368.0)
	r.is("details_url", w.forge.URL()+"/acme/app/actions/runs/1/job/1")
	r.is("output.annotations_count", 3.0)
	r.is("output.summary", nil)
	r.is("check_suite.id", 1.0)
	notes := w.ada.want(200, "GET", checkRuns+"/1/annotations", nil)
	notes.is("1.annotation_level", "warning")
	notes.is("1.path", "a/b.go")
	notes.is("1.start_line", 3.0)
	notes.is("1.start_column", nil)
	suite := w.ada.want(200, "GET", "/repos/acme/app/check-suites/1", nil)
	suite.is("status", "completed")
	suite.is("conclusion", "failure")
	suite.is("latest_check_runs_count", 1.0)
	suite.is("repository.full_name", "acme/app")
	w.ada.want(200, "GET", "/repos/acme/app/check-suites/1/check-runs?filter=all", nil).is("total_count", 1.0)
	w.ada.want(404, "GET", "/repos/acme/app/check-suites/9", nil)
	w.ada.want(404, "GET", checkRuns+"/9", nil)

	// Another attempt has a job of the same name: the latest stands for both.
	w.ada.want(201, "POST", actions+"/runs/1/rerun", nil)
	job.ID, job.Status, job.Conclusion = 0, "completed", "success"
	_, err := w.admin.SaveJob(job)
	must(t, err)
	latest := w.ada.want(200, "GET", "/repos/acme/app/check-suites/1/check-runs", nil)
	latest.is("total_count", 1.0)
	latest.is("check_runs.0.conclusion", "success")
	w.ada.want(200, "GET", "/repos/acme/app/check-suites/1/check-runs?filter=all", nil).is("total_count", 2.0)
	for _, e := range w.admin.Journal().Entries(0) {
		if strings.HasPrefix(e.Type, "check_") && e.Detail["starts_runs"] != "no" {
			t.Errorf("%s of a job may start runs", e.Type)
		}
	}
}

func TestAppsWriteChecks(t *testing.T) {
	w := newWorld(t)
	head := w.head("acme/app", "main")
	lint, other := w.app("lint[bot]"), w.app("other[bot]")
	body := map[string]any{"name": "lint", "head_sha": head, "external_id": "x", "details_url": "https://127.0.0.1/x"}
	if r := w.ada.want(403, "POST", checkRuns, body); r.at("message") != "You must authenticate via a GitHub App." {
		t.Errorf("message = %s", r.body)
	}
	made := lint.want(201, "POST", checkRuns, body)
	made.is("status", "queued")
	made.is("app.slug", "lint")
	id := checkRuns + "/1"
	if r := other.want(403, "PATCH", id, map[string]any{"status": "in_progress"}); !strings.Contains(r.at("message").(string), "can only be modified by the GitHub App that created it") {
		t.Errorf("message = %s", r.body)
	}
	w.ada.want(403, "PATCH", id, map[string]any{"status": "in_progress"})
	lint.want(200, "PATCH", id, map[string]any{"status": "in_progress"}).is("status", "in_progress")
	w.ada.want(200, "GET", "/repos/acme/app/check-suites/1", nil).is("status", "in_progress")
	note := map[string]any{"path": "README.md", "start_line": 1, "end_line": 1, "annotation_level": "warning", "message": "m"}
	out := map[string]any{"title": "t", "summary": "s", "annotations": []any{note}}
	for range 2 { // those of later requests are added
		lint.want(200, "PATCH", id, map[string]any{"output": out})
	}
	done := lint.want(200, "PATCH", id, map[string]any{"conclusion": "neutral"})
	done.is("status", "completed")
	done.is("output.annotations_count", 2.0)
	suite := w.ada.want(200, "GET", "/repos/acme/app/commits/main/check-suites?app_id=5", nil)
	suite.is("total_count", 0.0)
	suite = w.ada.want(200, "GET", "/repos/acme/app/commits/heads/main/check-suites", nil)
	suite.is("total_count", 1.0)
	suite.is("check_suites.0.conclusion", "neutral")
	suite.is("check_suites.0.head_branch", "main")
	suite.is("check_suites.0.head_commit.id", head)
	w.ada.want(200, "GET", "/repos/acme/app/commits/"+head+"/check-runs?check_name=other", nil).is("total_count", 0.0)
	w.ada.want(200, "GET", "/repos/acme/app/commits/refs/heads/main/check-runs?status=completed&check_name=lint", nil).is("total_count", 1.0)
	if got := w.types("check_"); !slices.Equal(got, []string{"check_run.created", "check_run.completed", "check_suite.completed"}) {
		t.Errorf("events = %v", got)
	}
	if e := w.lastEntry("check_suite.completed"); e.Detail["starts_runs"] != "" || e.Detail["event"] != "check_suite" {
		t.Errorf("an app's suite starts nothing: %v", e.Detail)
	}
}

// types are the types of all entries that begin with a prefix.
func (w *world) types(prefix string) (out []string) {
	for _, e := range w.admin.Journal().Entries(0) {
		if strings.HasPrefix(e.Type, prefix) {
			out = append(out, e.Type)
		}
	}
	return out
}

// TestJobTokensWriteChecks has a job make a check run: it goes into the suite of a run of its commit, and
// jobs themselves cannot be changed so.
func TestJobTokensWriteChecks(t *testing.T) {
	w := newWorld(t)
	seedRun(t, w)
	w.ada.want(201, "PUT", contents+"next", map[string]any{"message": "m", "content": encode("x")})
	head := w.head("acme/app", "main")
	run, err := w.admin.SaveRun(forge.Run{Repo: "acme/app", Workflow: ".github/workflows/ci.yml", Event: "push", Actor: "ada", HeadSHA: head, Status: "in_progress"})
	must(t, err)
	job := w.mint(forge.TokenSpec{Login: forge.ActionsLogin, Repo: "acme/app", Permissions: map[string]string{"checks": "write"}, Cause: "job:1", StartsNoRuns: true})
	made := job.want(201, "POST", checkRuns, map[string]any{"name": "report", "head_sha": head, "conclusion": "success", "output": map[string]any{"title": "t", "summary": "s"}})
	made.is("check_suite.id", float64(run.ID))
	made.is("app.slug", "github-actions")
	w.ada.want(200, "GET", "/repos/acme/app/check-suites/2/check-runs", nil).is("check_runs.0.name", "report")
	job.want(501, "PATCH", checkRuns+"/1", map[string]any{"conclusion": "success"})
	w.ada.want(204, "DELETE", actions+"/runs/1", nil)
	w.ada.want(404, "GET", checkRuns+"/1", nil)
	if e := w.lastEntry("check_run.completed"); e.Detail["starts_runs"] != "no" || e.Cause != "job:1" {
		t.Errorf("entry = %+v", e)
	}
}

func TestChecksAreRefused(t *testing.T) {
	w := newWorld(t)
	head := w.head("acme/app", "main")
	lint := w.app("lint[bot]")
	long := strings.Repeat("x", 65536)
	output := func(more map[string]any) map[string]any {
		out := map[string]any{"title": "t", "summary": "s"}
		for k, v := range more {
			out[k] = v
		}
		return map[string]any{"name": "a", "head_sha": head, "output": out}
	}
	note := func(more map[string]any) map[string]any {
		one := map[string]any{"path": "p", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m"}
		for k, v := range more {
			one[k] = v
		}
		return output(map[string]any{"annotations": []any{one}})
	}
	many := make([]any, 51)
	for i := range many {
		many[i] = map[string]any{"path": "p", "start_line": 1, "end_line": 1, "annotation_level": "notice", "message": "m"}
	}
	for name, body := range map[string]map[string]any{
		"no name": {"head_sha": head}, "blank name": {"name": " ", "head_sha": head}, "no commit": {"name": "a"},
		"foreign commit": {"name": "a", "head_sha": strings.Repeat("1", 40)}, "short commit": {"name": "a", "head_sha": head[:7]},
		"status":             {"name": "a", "head_sha": head, "status": "waiting"},
		"completed":          {"name": "a", "head_sha": head, "status": "completed"},
		"conclusion":         {"name": "a", "head_sha": head, "conclusion": "stale"},
		"address":            {"name": "a", "head_sha": head, "details_url": "ftp://x"},
		"no title":           {"name": "a", "head_sha": head, "output": map[string]any{"summary": "s"}},
		"no summary":         {"name": "a", "head_sha": head, "output": map[string]any{"title": "t"}},
		"summary":            output(map[string]any{"summary": long}),
		"text":               output(map[string]any{"text": long}),
		"annotations":        output(map[string]any{"annotations": many}),
		"annotation level":   note(map[string]any{"annotation_level": "error"}),
		"annotation lines":   note(map[string]any{"start_line": 3}),
		"annotation line 0":  note(map[string]any{"start_line": 0}),
		"annotation columns": note(map[string]any{"end_line": 2, "start_column": 1}),
		"annotation title":   note(map[string]any{"title": strings.Repeat("x", 256)}),
		"annotation path":    note(map[string]any{"path": ""}),
		"annotation message": note(map[string]any{"message": ""}),
	} {
		if r := lint.send("POST", checkRuns, body); r.status != 422 {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
	lint.want(501, "POST", checkRuns, map[string]any{"name": "a", "head_sha": head, "actions": []any{}})
	w.ada.want(422, "GET", "/repos/acme/app/commits/nothing/check-runs", nil)
	w.ada.want(422, "GET", "/repos/acme/app/commits/main/check-runs?app_id=x", nil)
	w.ada.want(200, "GET", "/repos/acme/app/commits/main/check-runs", nil).is("total_count", 0.0)
	if w.types("check_") != nil {
		t.Error("something was announced")
	}
}

func TestStatuses(t *testing.T) {
	w := newWorld(t)
	head := w.head("acme/app", "main")
	at := "/repos/acme/app/statuses/" + head
	combined := func() reply { return w.ada.want(200, "GET", "/repos/acme/app/commits/main/status", nil) }
	combined().is("state", "pending")
	w.ada.want(201, "POST", at, map[string]any{"state": "pending", "context": "ci/a", "description": "wait", "target_url": "https://127.0.0.1/"}).is("creator.login", "ada")
	w.ada.want(201, "POST", at, map[string]any{"state": "success"}).is("context", "default")
	combined().is("state", "pending")
	w.ada.want(201, "POST", at, map[string]any{"state": "success", "context": "CI/A"})
	r := combined()
	r.is("state", "success")
	r.is("total_count", 2.0)
	w.ada.want(201, "POST", at, map[string]any{"state": "error", "context": "x"})
	combined().is("state", "failure")
	list := w.ada.want(200, "GET", "/repos/acme/app/commits/heads/main/statuses", nil)
	list.is("0.state", "error")
	list.is("3.description", "wait")
	e := w.lastEntry("status")
	body := reply{t: t, body: e.Payload}
	body.is("state", "error")
	body.is("commit.sha", head)
	body.is("branches.0.name", "main")
	if e.Detail["event"] != "status" || e.Detail["ref"] != "refs/heads/main" {
		t.Errorf("entry = %+v", e)
	}
	for name, bad := range map[string]map[string]any{
		"no state": {}, "state": {"state": "neutral"}, "description": {"state": "success", "description": strings.Repeat("x", 141)},
		"address": {"state": "success", "target_url": "javascript:x"},
	} {
		if r := w.ada.send("POST", at, bad); r.status != 422 {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
	w.ada.want(422, "POST", "/repos/acme/app/statuses/"+strings.Repeat("1", 40), map[string]any{"state": "success"})
	w.user("eve", "read").want(403, "POST", at, map[string]any{"state": "success"})
}
