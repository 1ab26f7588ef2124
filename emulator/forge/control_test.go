package forge_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/forge"
)

const byHand = `
on:
  workflow_dispatch:
    inputs:
      who: {required: true}
      level: {type: choice, options: [low, high], default: low}
      dry: {type: boolean, default: false}
      many: {type: number}
`

// TestDispatchWorkflow: what GitHub says to a workflow started by hand, and the event that comes of it.
func TestDispatchPromisesTheRun(t *testing.T) {
	w := newWorld(t)
	w.ada.want(201, "PUT", contents+".github/workflows/hand.yml", map[string]any{"message": "m", "content": encode("on: workflow_dispatch\n")})
	told := w.ada.want(200, "POST", actions+"/workflows/hand.yml/dispatches", map[string]any{"ref": "main", "return_run_details": true})
	told.is("workflow_run_id", 1.0)
	told.is("run_url", w.forge.APIURL()+"/repos/acme/app/actions/runs/1")
	told.is("html_url", w.forge.URL()+"/acme/app/actions/runs/1")
	event := fmt.Sprintf("event:%d", w.lastEntry("workflow_dispatch").Seq)
	for _, cause := range []string{"event:1", event, event} { // another came between; the promise holds once
		run, err := w.admin.SaveRun(forge.Run{Repo: "acme/app", HeadSHA: w.head("acme/app", "main"), Workflow: ".github/workflows/hand.yml", Event: "workflow_dispatch", Cause: cause, Actor: "ada", Status: "completed"})
		must(t, err)
		w.ada.want(200, "GET", fmt.Sprint(actions, "/runs/", run.ID), nil).is("understudy_cause", cause)
	}
	w.ada.want(200, "GET", actions+"/runs/1", nil).is("understudy_cause", event)
	all := w.ada.want(200, "GET", actions+"/runs", nil)
	all.is("workflow_runs.0.id", 3.0)
	all.is("workflow_runs.2.id", 1.0)
	w.ada.want(200, "GET", actions+"/runs/1/timing", nil).is("run_duration_ms", 0.0)
}

func TestDispatchWorkflow(t *testing.T) {
	w := newWorld(t)
	put := func(name, text string) {
		w.ada.want(201, "PUT", contents+".github/workflows/"+name, map[string]any{"message": "m", "content": encode(text)})
	}
	put("hand.yml", byHand)
	put("push.yml", "on: [push]\n")
	put("list.yml", "on: [push, workflow_dispatch]\n")
	put("bad.yml", "on: {workflow_dispatch: [\n")
	many := map[string]string{}
	for i := range 26 {
		many[fmt.Sprint("i", i)] = "x"
	}
	for _, c := range []struct {
		name, workflow string
		body           map[string]any
		status         int
		message        string
	}{
		{"no ref", "hand.yml", nil, 422, `"ref" wasn't supplied`},
		{"unknown ref", "hand.yml", map[string]any{"ref": "nope"}, 422, "No ref found for: nope"},
		{"unknown workflow", "nope.yml", map[string]any{"ref": "main"}, 404, "Not Found"},
		{"no trigger", "push.yml", map[string]any{"ref": "main"}, 422, "Workflow does not have 'workflow_dispatch' trigger"},
		{"broken file", "bad.yml", map[string]any{"ref": "main"}, 422, "Failed to parse workflow: .github/workflows/bad.yml"},
		{"input missing", "hand.yml", map[string]any{"ref": "main"}, 422, "Required input 'who' not provided"},
		{"input unknown", "hand.yml", hand("who", "me", "b", "x", "a", "y"), 422, `Unexpected inputs provided: ["a", "b"]`},
		{"no inputs at all", "list.yml", hand("a", "y"), 422, `Unexpected inputs provided: ["a"]`},
		{"no such choice", "hand.yml", hand("who", "me", "level", "mid"), 422, "Provided value 'mid' for input 'level' not in the list of allowed values"},
		{"no boolean", "hand.yml", hand("who", "me", "dry", "maybe"), 422, "Provided value 'maybe' for input 'dry' is not a boolean"},
		{"no number", "hand.yml", hand("who", "me", "many", "few"), 422, "Provided value 'few' for input 'many' is not a number"},
		{"a list", "hand.yml", hand("who", []string{"x"}), 422, "is not a string"},
		{"too many", "hand.yml", map[string]any{"ref": "main", "inputs": many}, 422, "No more than 25 properties are allowed; 26 were supplied."},
		{"unknown field", "hand.yml", map[string]any{"ref": "main", "other": 1}, 501, "other"},
	} {
		got := w.ada.want(c.status, "POST", actions+"/workflows/"+c.workflow+"/dispatches", c.body)
		if text := got.at("message").(string); !strings.Contains(text, c.message) {
			t.Errorf("%s: %q, want %q", c.name, text, c.message)
		}
	}
	for _, e := range w.admin.Journal().Entries(0) {
		if e.Type == "workflow_dispatch" {
			t.Fatalf("a refused dispatch was journalled: %+v", e)
		}
	}
	w.ada.want(204, "POST", actions+"/workflows/hand.yml/dispatches", hand("who", "me", "dry", true))
	e := w.lastEntry("workflow_dispatch")
	var body struct {
		Inputs        map[string]string
		Ref, Workflow string
	}
	must(t, json.Unmarshal(e.Payload, &body))
	want := map[string]string{"who": "me", "level": "low", "dry": "true"}
	if d := cmp.Diff(want, body.Inputs); d != "" || body.Ref != "refs/heads/main" || body.Workflow != ".github/workflows/hand.yml" || len(e.Detail["sha"]) != 40 {
		t.Errorf("payload %+v, detail %v (-want +got):\n%s", body, e.Detail, d)
	}
	reader := w.user("rita", "read")
	reader.want(403, "POST", actions+"/workflows/hand.yml/dispatches", hand("who", "me"))
	w.ada.want(204, "PUT", actions+"/workflows/hand.yml/disable", nil)
	w.ada.want(200, "GET", actions+"/workflows/hand.yml", nil).is("state", "disabled_manually")
	if got := w.admin.DisabledWorkflows("acme/app"); !cmp.Equal(got, []string{".github/workflows/hand.yml"}) {
		t.Errorf("disabled = %v", got)
	}
	w.ada.want(422, "POST", actions+"/workflows/hand.yml/dispatches", hand("who", "me")).is("message", "Cannot trigger a 'workflow_dispatch' on a disabled workflow")
	reader.want(403, "PUT", actions+"/workflows/hand.yml/enable", nil)
	w.ada.want(204, "PUT", actions+"/workflows/hand.yml/enable", nil)
	w.ada.want(204, "POST", actions+"/workflows/hand.yml/dispatches", hand("who", "me"))
}

func hand(inputs ...any) map[string]any {
	in := map[string]any{}
	for i := 0; i+1 < len(inputs); i += 2 {
		in[inputs[i].(string)] = inputs[i+1]
	}
	return map[string]any{"ref": "main", "inputs": in}
}

func TestDispatchRepository(t *testing.T) {
	w := newWorld(t)
	const at = "/repos/acme/app/dispatches"
	w.ada.want(422, "POST", at, nil)
	w.ada.want(422, "POST", at, map[string]any{"event_type": strings.Repeat("x", 101)})
	w.ada.want(422, "POST", at, map[string]any{"event_type": "x", "client_payload": "text"})
	big := map[string]int{}
	for i := range 11 {
		big[fmt.Sprint(i)] = i
	}
	w.ada.want(422, "POST", at, map[string]any{"event_type": "x", "client_payload": big})
	w.ada.want(204, "POST", at, map[string]any{"event_type": "hello", "client_payload": map[string]any{"n": 1}})
	e := w.lastEntry("repository_dispatch.hello")
	if !strings.Contains(string(e.Payload), `"client_payload":{"n":1}`) || e.Detail["action"] != "hello" {
		t.Errorf("entry %+v", e)
	}
	w.user("rita", "read").want(403, "POST", at, map[string]any{"event_type": "x"})
}

// TestCancelRun: the wish is journalled for whoever runs the run; what has ended stays as it is.
func TestCancelRun(t *testing.T) {
	w := newWorld(t)
	seedRun(t, w) // has ended
	run, err := w.admin.SaveRun(forge.Run{Repo: "acme/app", HeadSHA: w.head("acme/app", "main"), Workflow: ".github/workflows/ci.yml", Event: "push", Actor: "ada", Status: "queued"})
	must(t, err)
	w.ada.want(409, "POST", actions+"/runs/1/cancel", nil).is("message", "Cannot cancel a workflow run that is completed.")
	w.ada.want(404, "POST", actions+"/runs/9/cancel", nil)
	w.user("rita", "read").want(403, "POST", fmt.Sprintf("%s/runs/%d/cancel", actions, run.ID), nil)
	w.ada.want(202, "POST", fmt.Sprintf("%s/runs/%d/cancel", actions, run.ID), nil)
	if e := w.lastEntry("run.cancel"); e.Subject != "run:2" || e.Detail["run"] != "2" || e.Actor != "ada" {
		t.Errorf("entry %+v", e)
	}
	w.ada.want(202, "POST", fmt.Sprintf("%s/runs/%d/force-cancel", actions, run.ID), nil)
	w.lastEntry("run.force_cancel")
}

// TestRerunOfRuns: who may repeat what, and what of earlier attempts stays.
func TestRerunOfRuns(t *testing.T) {
	w := newWorld(t)
	run, job, _ := seedRun(t, w) // has failed
	reader := w.user("rita", "read")
	at := actions + "/runs/1"
	reader.want(403, "POST", at+"/rerun", nil)
	w.ada.want(404, "POST", actions+"/runs/9/rerun", nil)
	w.ada.want(501, "POST", at+"/rerun", map[string]any{"enable_debug_logging": true})
	w.ada.want(201, "POST", at+"/rerun-failed-jobs", nil)
	e := w.lastEntry("run.rerun")
	if e.Subject != "run:1" || e.Detail["attempt"] != "2" || e.Detail["jobs"] != "failed" || e.Detail["origin"] != "event:41" || e.Actor != "ada" {
		t.Errorf("entry %+v", e)
	}
	w.ada.want(403, "POST", at+"/rerun", nil).is("message", "This workflow is already running")
	w.ada.want(403, "DELETE", at, nil)
	got := w.ada.want(200, "GET", at, nil)
	got.is("run_attempt", 2.0)
	got.is("status", "queued")
	got.is("conclusion", nil)
	got.is("previous_attempt_url", w.forge.APIURL()+"/repos/acme/app/actions/runs/1/attempts/1")
	got.is("understudy_cause", fmt.Sprint("event:", e.Seq))
	w.ada.want(200, "GET", at+"/attempts/1", nil).is("conclusion", "failure")
	w.ada.want(404, "GET", at+"/attempts/3", nil)
	w.ada.want(404, "GET", at+"/attempts/x", nil)
	kept := job
	kept.ID, kept.Kept = 0, job.ID
	kept, err := w.admin.SaveJob(kept)
	must(t, err)
	if log, err := w.admin.View().Log(kept.ID, 0, 100); err != nil || string(log.Text) != "line 1\nline 2\n" || kept.Attempt != 2 {
		t.Errorf("kept job %+v: %q %v", kept, log.Text, err)
	}
	w.ada.want(200, "GET", at+"/jobs", nil).is("total_count", 1.0)
	w.ada.want(200, "GET", at+"/jobs?filter=all", nil).is("total_count", 2.0)
	w.ada.want(422, "GET", at+"/jobs?filter=some", nil)
	w.ada.want(200, "GET", at+"/attempts/1/jobs", nil).is("jobs.0.id", 1.0)
	// What an earlier attempt uploaded is still the run's, until the same name comes again.
	art := func() any { return w.ada.want(200, "GET", at+"/artifacts", nil).at("artifacts.0.id") }
	if art() != 1.0 {
		t.Error("the artifact of the first attempt is not there in one of its failed jobs")
	}
	_, err = w.admin.PutArtifact(forge.Artifact{RunID: 1, Name: "out"}, strings.NewReader("again"))
	must(t, err)
	if art() != 2.0 {
		t.Error("the artifact of the second attempt does not stand for that of the first")
	}
	run.Status, run.Conclusion = "completed", "success"
	run, err = w.admin.SaveRun(run)
	must(t, err)
	if e := w.lastEntry("run.completed"); e.Detail["attempt"] != "2" || run.Attempt != 2 {
		t.Errorf("entry %+v of run %+v", e, run)
	}
	w.ada.want(201, "POST", at+"/rerun", nil)
	w.ada.want(200, "GET", at+"/artifacts", nil).is("total_count", 0.0)
	w.ada.want(200, "GET", actions+"/artifacts/1", nil).is("id", 1.0)
	_, err = w.admin.SaveRun(run)
	must(t, err)
	w.ada.want(204, "DELETE", at+"/logs", nil)
	if log, err := w.admin.View().Log(1, 0, 100); err != nil || len(log.Text) != 0 {
		t.Errorf("a deleted log: %q %v", log.Text, err)
	}
	w.ada.want(204, "DELETE", at, nil)
	w.ada.want(404, "GET", actions+"/artifacts/2", nil)
	if _, err := w.admin.OpenArtifact(2); err == nil {
		t.Error("the artifact of a deleted run is still there")
	}
}
