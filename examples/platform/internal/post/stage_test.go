package post_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/crew/internal/defect"
	"example.com/crew/internal/forge"
	"example.com/crew/internal/forge/forgetest"
	"example.com/crew/internal/post"
	"example.com/crew/internal/push"
	"example.com/crew/internal/run"
	"example.com/crew/internal/stage"
)

const (
	head  = "0123456789abcdef0123456789abcdef01234567"
	older = "abcdef0123456789abcdef0123456789abcdef01"
)

// pull is the JSON of pull request 1.
func pull(branch, repo string) string {
	return fmt.Sprintf(`{"head":{"ref":%q,"sha":%q,"repo":{"full_name":%q}},"base":{"repo":{"full_name":"acme/app"}},"of":"its-own"}`, branch, head, repo)
}

// TestStages: what each stage does with a good result. branch is what the agent has left; push takes it
// as package push would.
func TestStages(t *testing.T) {
	for name, tc := range map[string]struct {
		role, result, branch, from string
		before, labels             []string
		opened, reviews            string
		comment, err               string
	}{
		"code": {role: "code", branch: "crew/1-a", result: `{"action":"implemented","title":"T","summary":"S"}`, labels: []string{"pr-open"},
			opened: "T|S\n\nCloses #1|crew/1-a|main", comment: "**Pull request #2**"},
		"code without a branch": {role: "code", result: `{"action":"implemented","title":"T","summary":"S"}`, comment: "**No pull request**\n\nThe agent left no branch."},
		"code with nothing":     {role: "code", branch: "crew/1-a", result: `{"action":"nothing","summary":"S"}`, comment: "**No pull request**\n\nS"},
		"code for another issue": {role: "code", branch: "crew/10-a", result: `{"action":"implemented","title":"T","summary":"S"}`,
			err: "Refusing to push branch crew/10-a: it has to begin with crew/1-, for issue 1", comment: "(agent code, branch)"},
		"review":               {role: "review", result: `{"action":"request_changes","body":"B","head_sha":"` + head + `"}`, reviews: "REQUEST_CHANGES|**Review: request_changes**\n\nB|" + head},
		"review of its own":    {role: "review", result: `{"action":"approve","head_sha":"` + head + `"}`, reviews: "COMMENT|**Review: approve**\n\n|" + head},
		"stale review":         {role: "review", result: `{"action":"approve","body":"B","head_sha":"` + older + `"}`, comment: "This is about " + older + ", which is no longer the head"},
		"fix":                  {role: "fix", branch: "topic", result: `{"action":"fixed","summary":"S"}`, comment: "**Fix: fixed**\n\nS\n\nPushed to topic."},
		"fix elsewhere":        {role: "fix", branch: "crew/other", result: `{"action":"fixed","summary":"S"}`, err: "Refusing to push branch crew/other: only topic", comment: "Refusing to push"},
		"fix of a fork":        {role: "fix", branch: "topic", from: "else/app", result: `{"action":"fixed","summary":"S"}`, err: "not of this repository", comment: "Refusing to push"},
		"fix without a branch": {role: "fix", result: `{"action":"fixed","summary":"S"}`, comment: "S\n\nNothing was pushed."},
		"retro":                {role: "retro", result: `{"action":"lessons","comment":"C","lessons":["L <!-- x -->"]}`, comment: "**Retrospective: lessons**\n\nC\n- L &lt;!--"},
		"prioritize": {role: "prioritize", result: `{"action":"high","reason":"R"}`, before: []string{"bug", "priority-low"}, labels: []string{"bug", "priority-high"},
			comment: "**Priority: high**\n\nR"},
	} {
		t.Run(name, func(t *testing.T) {
			f := forgetest.New(t)
			f.Issue = tc.before
			f.Pulls = map[string]string{"1": pull("topic", "acme/app")}
			if tc.from != "" {
				f.Pulls["1"] = pull("topic", tc.from)
			}
			job, _ := forge.New(f.URL, "job", forgetest.Repo)
			bot, err := forge.New(f.URL, "bot", forgetest.Repo)
			if err != nil {
				t.Fatal(err)
			}
			_, err = post.Post(t.Context(), post.Options{
				Job: job, Bot: bot, Agent: tc.role, Issue: 1, Base: "main", Output: output(t, run.Succeeded, "", tc.result),
				Push: func(_ context.Context, rule push.Rule) (string, error) {
					if tc.branch == "" {
						return "", nil
					}
					return tc.branch, rule.Check(tc.branch)
				},
			})
			if (tc.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("error %v, want %q", err, tc.err)
			}
			if !slices.Equal(f.Issue, tc.labels) {
				t.Errorf("labels %q, want %q", f.Issue, tc.labels)
			}
			if got := fields(f.Opened, "title", "body", "head", "base"); got != tc.opened {
				t.Errorf("pull requests %q, want %q", got, tc.opened)
			}
			if got := fields(f.Reviews, "event", "body", "commit_id"); got != tc.reviews {
				t.Errorf("reviews %q, want %q", got, tc.reviews)
			}
			if comments, _ := said(f); !strings.Contains(strings.Join(comments, "\x00"), tc.comment) || len(comments) > 1 {
				t.Errorf("comments %q, want %q", comments, tc.comment)
			}
		})
	}
}

func fields(all []map[string]any, keys ...string) string {
	var lines []string
	for _, m := range all {
		var parts []string
		for _, k := range keys {
			parts = append(parts, fmt.Sprint(m[k]))
		}
		lines = append(lines, strings.Join(parts, "|"))
	}
	return strings.Join(lines, "\n")
}

// TestEveryStage: no stage is without its step.
func TestEveryStage(t *testing.T) {
	for _, role := range stage.Roles() {
		f := forgetest.New(t)
		c, err := forge.New(f.URL, "job", forgetest.Repo)
		if err != nil {
			t.Fatal(err)
		}
		f.Pulls = map[string]string{"1": pull("topic", "acme/app")}
		text, err := post.Post(t.Context(), post.Options{Job: c, Bot: c, Agent: role, Issue: 1, Output: output(t, run.Succeeded, "", `{}`)})
		if strings.Contains(text, "no post step") {
			t.Errorf("role %s has none: %v", role, err)
		}
	}
}

func TestStart(t *testing.T) {
	f := forgetest.New(t)
	c, err := forge.New(f.URL, "job", forgetest.Repo)
	if err != nil {
		t.Fatal(err)
	}
	o := post.Options{Job: c, Bot: c, Agent: "triage", Issue: 1, Output: output(t, run.Invalid, "bad", "")}
	if err := post.Start(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if _, state := said(f); state != "running" {
		t.Errorf("status %q", state)
	}
	if _, err := post.Post(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if _, state := said(f); state != "failed" || len(f.Comments) != 2 {
		t.Errorf("status %q, comments %q: the status comment is edited", state, f.Comments)
	}
}

func TestReactions(t *testing.T) {
	const good = `{"action":"sufficient","reason":"r","comment":"Fine."}`
	for _, tc := range []struct {
		status run.Status
		react  bool
		defect defect.Name
		want   []string
	}{
		{run.Succeeded, true, "", []string{"rocket"}},
		{run.Invalid, true, "", []string{"confused"}},
		{run.Succeeded, false, "", nil},
		{run.Succeeded, true, defect.ReactionStuck, []string{"eyes"}},
		{run.Invalid, true, defect.ReactionWrong, []string{"rocket"}},
		{run.Succeeded, false, defect.ReactionUnasked, []string{"rocket"}},
	} {
		f := forgetest.New(t)
		job, err := forge.New(f.URL, "job", forgetest.Repo)
		if err != nil {
			t.Fatal(err)
		}
		o := post.Options{Job: job, Bot: job, Agent: "triage", Issue: 1, React: tc.react, Defect: tc.defect, Output: output(t, tc.status, "no", good)}
		if err := post.Start(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if _, err := post.Post(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(f.Reactions, tc.want) {
			t.Errorf("%s, asked %v, %s: reactions %q, want %q", tc.status, tc.react, tc.defect, f.Reactions, tc.want)
		}
	}
}
