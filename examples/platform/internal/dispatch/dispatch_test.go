package dispatch_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/crew/internal/config"
	"example.com/crew/internal/defect"
	"example.com/crew/internal/dispatch"
	"example.com/crew/internal/event"
	"example.com/crew/internal/harness"
)

func issue(kind, label, action, role string) event.Event {
	e := event.Event{
		Repo: "acme/app", Entity: event.Entity{Kind: event.WorkItem, ID: 7, URL: "https://h/7"}, Transition: event.Transition{Kind: kind},
		Actor: event.Actor{ID: "mallory", Kind: event.Human, Role: role}, State: event.State{Labels: []string{}},
		Source: event.Source{System: event.GitHub, RawType: "issues"},
	}
	if kind == event.LabelChanged {
		e.Transition.Label = &event.Label{Name: label, Action: action}
	}
	return e
}

func pull(kind, role string, fork bool) event.Event {
	e := issue(kind, "guard", event.Added, role)
	e.Entity.Kind = event.ChangeProposal
	e.State.ChangeProposal = &event.Proposal{ID: 7, HeadRef: "f", HeadSHA: "h", BaseRef: "main", BaseRepo: "acme/app", IsFork: fork}
	if !fork {
		e.State.ChangeProposal.HeadRepo = "acme/app"
	}
	return e
}

func review(kind string) event.Event {
	e := pull(event.ReviewSubmitted, "none", false)
	e.Actor.Kind, e.Transition.Review = kind, &event.Review{State: "changes_requested", ReviewerID: "bot"}
	return e
}

const added = "event.transition.kind == 'label_changed' && event.transition.label.action == 'added' && event.transition.label.name == "

// crew makes a configuration of agents with these files: name → harness.
func crew(t *testing.T, harnesses map[string]string, off ...string) (config.Config, harness.Loader) {
	t.Helper()
	dir := t.TempDir()
	c := config.Config{Agents: map[string]config.Entry{}}
	if err := os.Mkdir(filepath.Join(dir, "harness"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range harnesses {
		if err := os.WriteFile(filepath.Join(dir, "harness", name+".yaml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		enabled := !slices.Contains(off, name)
		c.Agents[name] = config.Entry{Source: "harness/" + name + ".yaml", Enabled: &enabled}
	}
	return c, harness.Loader{Dir: dir}
}

func decide(t *testing.T, c config.Config, l harness.Loader, e event.Event, d defect.Name) dispatch.Decision {
	t.Helper()
	l.Defect = d
	all, err := dispatch.List(t.Context(), c, l)
	if err != nil {
		t.Fatal(err)
	}
	return dispatch.Decide(dispatch.Options{
		Event: e, KillSwitch: c.KillSwitch, Defect: d, List: func() []dispatch.Candidate { return all },
	})
}

func TestDecide(t *testing.T) {
	c, l := crew(t, map[string]string{
		"triage": "trigger: " + added + "'ready-for-triage'", "echo": "trigger: " + added + "'ready-for-triage'",
		"code":   "role: code\ntrigger: " + added + "'ready-to-code'",
		"review": "trigger: event.transition.kind == 'opened' && event.entity.kind == 'change_proposal'",
		"guard":  "trigger: event.entity.kind == 'change_proposal' && event.transition.kind in ['synchronized', 'label_changed'] && !event.state.change_proposal.is_fork",
		"fix":    "trigger: event.transition.kind == 'review_submitted' && event.transition.review.state == 'changes_requested'",
		"idle":   "trigger: 'true'", "still": "role: x",
	}, "idle")
	killed := c
	killed.KillSwitch = true
	const may = "which may not start agents"
	for _, tc := range []struct {
		name   string
		e      event.Event
		c      config.Config
		d      defect.Name
		starts string // agents
		reason string
	}{
		{"one", issue("label_changed", "ready-to-code", "added", "none"), c, "", "code", "starts code"},
		{"two in order", issue("label_changed", "ready-for-triage", "added", "none"), c, "", "echo triage", "starts echo, triage"},
		{"other label", issue("label_changed", "bug", "added", "none"), c, "", "", "no agent's trigger matches"},
		{"case counts", issue("label_changed", "Ready-To-Code", "added", "none"), c, "", "", "no agent's trigger"},
		{"taken off by a stranger", issue("label_changed", "ready-to-code", "removed", "none"), c, "", "", may},
		{"taken off", issue("label_changed", "ready-to-code", "removed", "write"), c, "", "", "no agent's trigger"},
		{"taken off, defect", issue("label_changed", "ready-to-code", "removed", "write"), c, defect.TriggerOnUnlabelled, "code", ""},
		{"kill switch", issue("label_changed", "ready-to-code", "added", "write"), killed, "", "", "the kill switch is active"},
		{"kill switch first", issue("opened", "", "", "none"), killed, "", "", "the kill switch is active"},
		{"kill switch ignored", issue("label_changed", "ready-to-code", "added", "write"), killed, defect.KillSwitchIgnored, "code", ""},
		{"any label", issue("label_changed", "bug", "added", "none"), c, defect.AnyLabelTriggers, "code echo triage", ""},
		{"other defect", issue("label_changed", "bug", "added", "none"), c, defect.SchemaCheckKilled, "", ""},
		{"disabled, defect", issue("opened", "", "", "write"), c, defect.DisabledAgentDispatched, "idle", ""},
		{"opened", pull("opened", "write", false), c, "", "review", "starts review"},
		{"opened from a fork", pull("opened", "maintain", true), c, "", "review", ""},
		{"opened by a stranger", pull("opened", "none", true), c, "", "", "mallory has the role none, " + may + "; write, maintain or admin may"},
		{"opened by one who may triage", pull("opened", "triage", false), c, "", "", "has the role triage"},
		{"opened by one from outside", pull("opened", "external", false), c, "", "", "has the role external"},
		{"nobody looks who", pull("opened", "none", true), c, defect.UnauthorisedAccepted, "review", ""},
		{"a label needs no look", pull("label_changed", "none", false), c, "", "guard", ""},
		{"pushed", pull("synchronized", "admin", false), c, "", "guard", ""},
		{"pushed to a fork", pull("synchronized", "admin", true), c, "", "", ""},
		{"fork flag lost", pull("synchronized", "admin", true), c, defect.ForkFlagLost, "guard", ""},
		{"a bot's review", review("bot"), c, "", "fix", ""},
		{"a person's review", review("human"), c, "", "", may},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := decide(t, tc.c, l, tc.e, tc.d)
			var names []string
			for _, cell := range got.Matrix.Include {
				names = append(names, cell.Agent)
			}
			if strings.Join(names, " ") != tc.starts || !strings.Contains(got.Reason, tc.reason) || got.Reason == "" {
				t.Errorf("starts %q because %q, want %q because %q", names, got.Reason, tc.starts, tc.reason)
			}
			if (got.Decision == dispatch.Dispatched) != (tc.starts != "") {
				t.Errorf("decision %q", got.Decision)
			}
			if data, err := json.Marshal(got.Matrix); err != nil || strings.Contains(string(data), `"include":null`) {
				t.Errorf("matrix %s, %v", data, err)
			}
		})
	}
}

// TestAnswers: each agent has a reason of its own, and one that cannot be loaded hurts no other.
func TestAnswers(t *testing.T) {
	c, l := crew(t, map[string]string{
		"a-good": "trigger: 'true'", "b-typo": "triger: x", "c-wrong": "trigger: event.repository == 'x'", "d-none": "role: x", "e-off": "triger: x",
		"f-partless": "trigger: event.transition.label.name == 'x'", "g-other": "trigger: 'false'",
	}, "e-off")
	c.Agents["h-gone"] = config.Entry{Source: "harness/h-gone.yaml"}
	got := decide(t, c, l, issue("opened", "", "", "write"), "")
	want := []struct {
		name, decision, reason string
		failed                 bool
	}{
		{"a-good", "dispatched", "its trigger matches", false},
		{"b-typo", "skipped", `harness/b-typo.yaml:1: key "triger" is unknown`, true},
		{"c-wrong", "skipped", "harness/c-wrong.yaml:1:15: undefined field 'repository'\n    trigger: event.repository == 'x'\n                  ^", true},
		{"d-none", "skipped", "it has no trigger", false},
		{"e-off", "skipped", "it is disabled", false},
		{"f-partless", "skipped", "its trigger has no answer: no such key: label", true},
		{"g-other", "skipped", "its trigger does not match", false},
		{"h-gone", "skipped", "harness/h-gone.yaml: there is no such file in crew's directory", true},
	}
	if len(got.Agents) != len(want) {
		t.Fatalf("answers %+v", got.Agents)
	}
	for i, w := range want {
		if a := got.Agents[i]; a.Name != w.name || a.Decision != w.decision || a.Reason != w.reason || a.Failed != w.failed {
			t.Errorf("%+v\nwant %+v", a, w)
		}
	}
	if len(got.Matrix.Include) != 1 {
		t.Errorf("matrix %+v", got.Matrix)
	}
	if got := decide(t, c, l, issue("opened", "", "", "write"), defect.LoadFailureStopsAll); len(got.Matrix.Include) > 0 {
		t.Errorf("with the defect: %+v", got.Matrix)
	}
}

// TestOrder: nothing is looked up for a killed crew, and nothing is loaded for a stranger.
func TestOrder(t *testing.T) {
	var asked []string
	o := dispatch.Options{
		Event:    issue("opened", "", "", "none"),
		Complete: func(e *event.Event) { asked = append(asked, "complete"); e.SetRole("read") },
		List:     func() []dispatch.Candidate { asked = append(asked, "list"); return nil },
	}
	o.KillSwitch = true
	if dispatch.Decide(o); len(asked) > 0 {
		t.Errorf("killed, but asked for %q", asked)
	}
	o.KillSwitch = false
	if got := dispatch.Decide(o); !slices.Equal(asked, []string{"complete"}) || got.Event.Actor.Role != "read" {
		t.Errorf("unauthorised, but asked for %q", asked)
	}
	o.Complete = func(e *event.Event) { e.SetRole("write") }
	o.List = func() []dispatch.Candidate { return []dispatch.Candidate{{Name: "x", Err: errors.New("no")}} }
	if got := dispatch.Decide(o); len(got.Agents) != 1 || got.Decision != dispatch.Denied {
		t.Errorf("%+v", got)
	}
}

func TestCell(t *testing.T) {
	c := dispatch.Candidate{Name: "fix", Role: "fix"}
	e := pull(event.CommentAdded, "write", true)
	e.Transition.Label, e.Transition.Comment = nil, event.NewComment("1", "/crew-fix it")
	got := dispatch.NewCell(c, e)
	want := dispatch.Cell{
		Agent: "fix", Role: "fix", SourceRepo: "acme/app", EventType: "issues", Number: 7, StatusRepo: "acme/app", TriggerSource: "mallory",
		Payload: `{"pull_request":{"number":7,"html_url":"https://h/7","head":{"ref":"f","sha":"h","repo":null},` +
			`"base":{"ref":"main","repo":{"full_name":"acme/app"}}},"comment":{"body":"/crew-fix it"}}`,
	}
	if got != want {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if got := dispatch.NewCell(c, review("bot")); got.TriggerSource != "bot" {
		t.Errorf("review: %+v", got)
	}
	if got := dispatch.NewCell(c, issue("opened", "", "", "write")); got.Payload != `{"issue":{"number":7,"html_url":"https://h/7"}}` || got.TriggerSource != "" {
		t.Errorf("issue: %+v", got)
	}
}

// TestOwners: OWNERS files are asked of those whose role does not do, and a reviewer starts no agent that changes code.
func TestOwners(t *testing.T) {
	c, l := crew(t, map[string]string{"triage": "trigger: 'true'", "code": "trigger: 'true'", "mine": "role: mine\ntrigger: 'true'"})
	all, err := dispatch.List(t.Context(), c, l)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		role, owner string
		d           defect.Name
		want        string
	}{
		{"none", "approver", "", "starts code, mine, triage; mallory is authorised by OWNERS as approver"},
		{"none", "reviewer", "", "starts triage; mallory is authorised by OWNERS as reviewer"},
		{"none", "reviewer", defect.OwnersReviewerWrites, "starts code, mine, triage; mallory is authorised by OWNERS as reviewer"},
		{"none", "", "", "mallory has the role none, which may not start agents; write, maintain or admin may"},
		{"write", "asked", "", "starts code, mine, triage"},
	} {
		got := dispatch.Decide(dispatch.Options{
			Event: issue("opened", "", "", tc.role), Defect: tc.d, List: func() []dispatch.Candidate { return all },
			Owner: func(login string) string {
				if tc.owner == "asked" || login != "mallory" {
					t.Errorf("%s with the role %s was looked up", login, tc.role)
				}
				return tc.owner
			},
		})
		if got.Reason != tc.want {
			t.Errorf("role %s, %q, %s: %q, want %q", tc.role, tc.owner, tc.d, got.Reason, tc.want)
		}
	}
	got := dispatch.Decide(dispatch.Options{
		Event: issue("opened", "", "", "none"), List: func() []dispatch.Candidate { return all[:1] }, Owner: func(string) string { return "reviewer" },
	})
	const want = "no agent may start: code: its trigger matches, but mallory is only a reviewer of OWNERS, and it changes code"
	if got.Reason != want {
		t.Errorf("code alone, for a reviewer: %q, want %q", got.Reason, want)
	}
}
