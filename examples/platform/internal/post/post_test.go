package post_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/crew/internal/defect"
	"example.com/crew/internal/forge"
	"example.com/crew/internal/forge/forgetest"
	"example.com/crew/internal/post"
	"example.com/crew/internal/push"
	"example.com/crew/internal/run"
	"example.com/crew/internal/schema"
)

// output makes an output directory as crew run leaves it. status "" leaves no record.
func output(t *testing.T, status run.Status, message, result string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "iteration-1/output"), 0o755); err != nil {
		t.Fatal(err)
	}
	rec, err := json.Marshal(run.Record{Agent: "triage", Issue: 1, Status: status, Message: message, Iteration: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"run.json": string(rec), "iteration-1/output/agent-result.json": result} {
		if text == "" || name == "run.json" && status == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestPost(t *testing.T) {
	const good = `{"action":"sufficient","reason":"r","comment":"Fix the <!-- crew:triage --> login"}`
	const reviewed = `{"action":"comment","body":"See <!-- crew:triage --> there","head_sha":%q}`
	for _, tc := range []struct {
		name    string
		agent   string // "" is triage
		status  run.Status
		message string
		result  string
		defect  defect.Name
		before  []string
		labels  []string
		comment []string // the only comment's parts; none is no comment
		err     string
		push    error // what pushing comes to
	}{
		{name: "sufficient", status: run.Succeeded, result: good, labels: []string{"triaged", "ready-to-code"},
			comment: []string{"<!-- crew:triage -->\n**Triage: sufficient**", "Fix the &lt;!-- crew:triage --> login"}},
		{name: "half done before", status: run.Succeeded, result: good, before: []string{"bug", "triaged"},
			labels: []string{"bug", "triaged", "ready-to-code"}, comment: []string{"sufficient"}},
		{name: "insufficient", status: run.Succeeded, result: `{"action":"insufficient","reason":"r","comment":"Unclear.","questions":["Which page?"]}`,
			labels: []string{"needs-info"}, comment: []string{"**Triage: insufficient**", "Unclear.", "- Which page?"}},
		{name: "invalid", status: run.Invalid, message: "Validation failed: FAIL: output/agent-result.json not found",
			comment: []string{"<!-- crew:triage:failed -->", "crew: failed", "\nValidation failed: FAIL: output/agent-result.json not found\n"}},
		{name: "invalid though it reads well", status: run.Invalid, message: "Validation failed: FAIL: x", result: good, comment: []string{"Validation failed: FAIL: x"}},
		{name: "fence", status: run.Invalid, message: "a ``` @everyone", comment: []string{"a ''' @everyone"}},
		{name: "broken", status: run.Broken, message: "start runtime dummy: not found", comment: []string{"crew: failed", "start runtime dummy: not found"}},
		{name: "no record", status: "", comment: []string{"crew: failed", "the run left no record"}},
		{name: "defect", status: run.Invalid, message: "Validation failed: FAIL: x", defect: defect.LabelDespiteFailure,
			labels: []string{"triaged", "ready-to-code"}, comment: []string{"Validation failed: FAIL: x"}},
		{name: "unknown action", status: run.Succeeded, result: `{"action":"maybe","reason":"r","comment":"s"}`, err: `the result's action "maybe" is unknown`,
			comment: []string{"(agent triage, result)"}},
		{name: "push refused", status: run.Succeeded, result: good, push: push.Refused("Refusing to push branch x"), err: "Refusing to push branch x",
			comment: []string{"crew: failed", "\nRefusing to push branch x\n"}},
		{name: "invalid is never pushed", status: run.Invalid, message: "FAIL", push: errors.New("pushed"), comment: []string{"FAIL"}},
		{name: "stale review", agent: "review", status: run.Succeeded, result: fmt.Sprintf(reviewed, older),
			comment: []string{"<!-- crew:review -->\n**Review: comment**", "See &lt;!-- crew:triage --> there"}},
		{name: "review of a cut commit name", agent: "review", status: run.Succeeded, result: fmt.Sprintf(reviewed, "0123456"),
			err: `head_sha "0123456" is no commit's full name`, comment: []string{"<!-- crew:review:failed -->", "\nthe result's head_sha \"0123456\" is no"}},
		{name: "review of a commit in capitals", agent: "review", status: run.Succeeded, result: fmt.Sprintf(reviewed, "0123456789ABCDEF0123456789ABCDEF01234567"),
			err: "is no commit's full name", comment: []string{"crew: failed"}},
		{name: "invalid review", agent: "review", status: run.Invalid, message: "FAIL", comment: []string{"<!-- crew:review:failed -->", "FAIL"}},
		{name: "no result", status: run.Succeeded, err: "read the result: ", comment: []string{"(agent triage, result)"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := forgetest.New(t)
			f.Issue = tc.before
			f.Pulls = map[string]string{"1": pull("topic", "acme/app")}
			job, errJob := forge.New(f.URL, "job", forgetest.Repo)
			bot, errBot := forge.New(f.URL, "bot", forgetest.Repo)
			if errJob != nil || errBot != nil {
				t.Fatal(errJob, errBot)
			}
			_, err := post.Post(t.Context(), post.Options{
				Job: job, Bot: bot, Agent: cmp.Or(tc.agent, "triage"), Issue: 1, Defect: tc.defect,
				Output: output(t, tc.status, tc.message, tc.result),
				Push:   func(context.Context, push.Rule) (string, error) { return "", tc.push },
			})
			if (tc.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("error %v, want %q", err, tc.err)
			}
			if !slices.Equal(f.Issue, tc.labels) {
				t.Errorf("labels %q, want %q", f.Issue, tc.labels)
			}
			comments, state := said(f)
			if len(comments) != min(1, len(tc.comment)) {
				t.Fatalf("comments %q", comments)
			}
			for _, part := range tc.comment {
				if !strings.Contains(comments[0], part) {
					t.Errorf("comment %q lacks %q", comments[0], part)
				}
			}
			want := "done"
			if tc.err != "" || tc.status != run.Succeeded {
				want = "failed"
			}
			if state != want {
				t.Errorf("status %q, want %q", state, want)
			}
			if last := f.Calls[len(f.Calls)-1]; slices.Contains(tc.labels, "ready-to-code") && last != "bot POST /issues/1/labels" {
				t.Errorf("last call %q: the hand-off comes last, and is the bot's", last)
			}
		})
	}
}

// said returns the comments but the status comment, and what that one says.
func said(f *forgetest.Forge) (comments []string, status string) {
	for _, c := range f.Comments {
		if _, state, ok := strings.Cut(c, ": "); ok && strings.HasPrefix(c, "<!-- crew:status:") {
			status += state
			continue
		}
		comments = append(comments, c)
	}
	return comments, status
}

func TestPostRefused(t *testing.T) {
	f := forgetest.New(t)
	c, err := forge.New(f.URL, "job", forgetest.Repo)
	if err != nil {
		t.Fatal(err)
	}
	o := post.Options{Job: c, Bot: c, Agent: "triage", Issue: 1, Output: output(t, run.Succeeded, "", `{"action":"sufficient","reason":"r","comment":"s"}`)}
	f.Fail["POST /issues/1/comments"] = 403
	if _, err := post.Post(t.Context(), o); err == nil || !strings.Contains(err.Error(), "comment on 1: ") {
		t.Errorf("comment refused: %v", err)
	}
	if len(f.Issue) > 0 {
		t.Errorf("labels %q although the comment failed", f.Issue)
	}
	o.Agent = "mine"
	delete(f.Fail, "POST /issues/1/comments")
	if said, err := post.Post(t.Context(), o); err != nil || said != "agent mine is done; role mine has no post step" {
		t.Errorf("other role: %q, %v", said, err)
	}
	o.Role = "triage"
	f.Fail["POST /issues/1/comments"] = 403
	if _, err := post.Post(t.Context(), o); err == nil || !strings.Contains(err.Error(), "comment on 1: ") {
		t.Errorf("a role under another name: %v", err)
	}
}

// TestPostAfterAChange: nothing is applied when the configuration is no longer that of the run, or nobody can tell.
func TestPostAfterAChange(t *testing.T) {
	for name, changed := range map[string]func(context.Context, map[string]string) ([]string, error){
		".crew/config.yaml changed while the agent ran; nothing was applied": func(context.Context, map[string]string) ([]string, error) { return []string{".crew/config.yaml"}, nil },
		"the forge is away": func(context.Context, map[string]string) ([]string, error) {
			return nil, errors.New("the forge is away")
		},
	} {
		f := forgetest.New(t)
		c, err := forge.New(f.URL, "job", forgetest.Repo)
		if err != nil {
			t.Fatal(err)
		}
		_, err = post.Post(t.Context(), post.Options{
			Job: c, Bot: c, Agent: "triage", Issue: 1, Output: output(t, run.Succeeded, "", `{"action":"sufficient","reason":"r","comment":"s"}`), Changed: changed,
		})
		comments, _ := said(f)
		if err == nil || !strings.Contains(err.Error(), name) || len(f.Issue) > 0 || len(comments) != 1 || !strings.Contains(comments[0], name) {
			t.Errorf("%s: %v, labels %q, said %q", name, err, f.Issue, comments)
		}
	}
}

func TestALostResultIsNamedWithoutItsPlace(t *testing.T) {
	f := forgetest.New(t)
	c, err := forge.New(f.URL, "job", forgetest.Repo)
	if err != nil {
		t.Fatal(err)
	}
	out := output(t, run.Succeeded, "", `{}`)
	if err := os.Remove(filepath.Join(run.IterationDir(out, 1), schema.Result)); err != nil {
		t.Fatal(err)
	}
	_, err = post.Post(t.Context(), post.Options{Job: c, Bot: c, Agent: "triage", Issue: 1, Output: out})
	if comments, _ := said(f); err == nil || len(comments) != 1 || !strings.Contains(comments[0], "read the result: output/agent-result.json: no such file") || strings.Contains(comments[0], out) {
		t.Errorf("%v, said %q", err, comments)
	}
}
