package event_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"example.com/crew/internal/event"
)

const repo = "acme/app"

const (
	issue  = `"issue":{"number":7,"html_url":"u","user":{"login":"ada"},"labels":[{"name":"bug"}]},"sender":{"login":"ada","type":"User"}`
	pulled = `"issue":{"number":7,"user":{"login":"ada"},"pull_request":{"html_url":"p"}},"sender":{"login":"x[bot]"}`
	pull   = `"pull_request":{"number":7,"user":{"login":"eve"},"labels":[],"head":{"ref":"f","sha":"h","repo":%s},"base":{"ref":"main","repo":{"full_name":"acme/app"}},"merged":%t},"sender":{"login":"ada"}`
)

func read(t *testing.T, name, data string) event.Event {
	t.Helper()
	e, err := event.FromGitHub(name, repo, []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestFromGitHubIssue(t *testing.T) {
	got := read(t, "issues", `{"action":"unlabeled","label":{"name":"x"},`+issue+`}`)
	want := event.Event{
		Repo: repo, Entity: event.Entity{Kind: "work_item", ID: 7, URL: "u"},
		Transition: event.Transition{Kind: "label_changed", Label: &event.Label{Name: "x", Action: "removed"}},
		Actor:      event.Actor{ID: "ada", Kind: "human", Role: "none", IsEntityAuthor: true},
		State:      event.State{Labels: []string{"bug"}},
		Source:     event.Source{System: "github", RawType: "issues", RawAction: "unlabeled"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if title := got.Title(); title != `label "x" removed on issue 7` {
		t.Errorf("title %q", title)
	}
	if got.SetRole("maintain"); got.Actor.Role != "maintain" {
		t.Errorf("role %q", got.Actor.Role)
	}
	if got.SetRole("release-captain"); got.Actor.Role != "none" {
		t.Errorf("a custom role is %q", got.Actor.Role)
	}
}

func TestFromGitHubKinds(t *testing.T) {
	sides := func(action, head string, merged bool) string {
		return `{"action":"` + action + `",` + fmt.Sprintf(pull, head, merged) + `}`
	}
	const same, fork = `{"full_name":"acme/app"}`, `{"full_name":"eve/app"}`
	for _, tc := range []struct{ name, data, kind string }{
		{"issues", `{"action":"opened",` + issue + `}`, "opened"},
		{"issues", `{"action":"pinned",` + issue + `}`, "updated"},
		{"issues", `{"action":"labeled","label":{"name":"x"},` + issue + `}`, "label_changed"},
		{"issue_comment", `{"action":"created","comment":{"id":1,"body":"hi"},` + issue + `}`, "comment_added"},
		{"issue_comment", `{"action":"deleted","comment":{"id":1,"body":"hi"},` + pulled + `}`, "comment_deleted"},
		{"pull_request", sides("opened", same, false), "opened"},
		{"pull_request_target", sides("synchronize", fork, false), "synchronized"},
		{"pull_request_target", sides("ready_for_review", fork, false), "marked_ready"},
		{"pull_request_target", sides("closed", fork, false), "closed"},
		{"pull_request_target", sides("closed", "null", true), "merged"},
		{"pull_request_review", `{"action":"submitted","review":{"state":"APPROVED","user":{"login":"r"}},` + sides("", fork, false)[13:], "review_submitted"},
		{"pull_request_review", `{"action":"dismissed","review":{"state":"dismissed"},` + sides("", fork, false)[13:], "updated"},
	} {
		e := read(t, tc.name, tc.data)
		if e.Transition.Kind != tc.kind {
			t.Errorf("%s %s: kind %q, want %q", tc.name, tc.data, e.Transition.Kind, tc.kind)
		}
		p := e.State.ChangeProposal
		if p != nil && p.IsFork == strings.Contains(tc.data, `"head":{"ref":"f","sha":"h","repo":`+same) {
			t.Errorf("%s: fork %t", tc.data, p.IsFork)
		}
		if data, err := json.Marshal(e); err != nil {
			t.Error(err)
		} else if again, err := event.Parse(data); err != nil || !reflect.DeepEqual(again, e) {
			t.Errorf("%s: read back %+v, %v", data, again, err)
		}
	}
}

func TestCommentOnPullRequest(t *testing.T) {
	e := read(t, "issue_comment", `{"action":"created","comment":{"id":1,"body":" /crew-fix  please\nnow "},`+pulled+`}`)
	if c := *e.Transition.Comment; c.Command != "/crew-fix" || c.Instruction != "please\nnow" || e.Actor.Kind != event.Bot {
		t.Errorf("comment %+v, actor %+v", c, e.Actor)
	}
	if !e.NeedsProposal() || !e.State.ChangeProposal.IsFork {
		t.Errorf("not known yet: %+v", e.State.ChangeProposal)
	}
	if err := e.SetProposal([]byte(`{"number":8}`)); err == nil || !e.State.ChangeProposal.IsFork {
		t.Errorf("another pull request was taken: %v", err)
	}
	answer := `{"number":7,"user":{"login":"ada"},"head":{"ref":"f","sha":"h","repo":{"full_name":"acme/app"}},"base":{"ref":"main","repo":{"full_name":"acme/app"}}}`
	if err := e.SetProposal([]byte(answer)); err != nil || e.State.ChangeProposal.IsFork || e.NeedsProposal() || e.State.ChangeProposal.HeadRef != "f" {
		t.Errorf("%+v, %v", e.State.ChangeProposal, err)
	}
	long := event.NewComment("1", "/crew-x "+strings.Repeat("é", 5000))
	if n := len([]rune(long.Body)); n != 4096 || len([]rune(long.Instruction)) != 4096 {
		t.Errorf("the body has %d runes", n)
	}
	for _, plain := range []string{"see /crew-fix", "/crewfix", "", "crew-fix"} {
		if c := event.NewComment("1", plain); c.Command != "" || c.Instruction != "" {
			t.Errorf("%q is the command %q", plain, c.Command)
		}
	}
}

func TestFromGitHubRefuses(t *testing.T) {
	for _, tc := range []struct{ name, data, want string }{
		{"push", "{}", `event "push" starts nothing`},
		{"issues", "{", "the payload of issues: unexpected end"},
		{"issues", `{"action":"labeled"}`, "it names no issue"},
		{"issues", `{"action":"labeled",` + issue + `}`, "it names no label"},
		{"issues", `{"action":"opened","issue":{"number":0},"sender":{"login":"ada"}}`, "entity.id is 0"},
		{"issues", `{"action":"opened","issue":{"number":3}}`, "actor.id is missing"},
		{"issue_comment", `{"action":"created",` + issue + `}`, "no comment"},
		{"issue_comment", `{"action":"pinned","comment":{"id":1},` + issue + `}`, `action "pinned" is unknown`},
		{"pull_request_target", `{"action":"opened",` + issue + `}`, "it names no pull request"},
		{"pull_request_review", `{"action":"submitted",` + fmt.Sprintf(pull, "null", false) + `}`, "no review"},
	} {
		if _, err := event.FromGitHub(tc.name, repo, []byte(tc.data)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s %s: %v, want %q", tc.name, tc.data, err, tc.want)
		}
	}
}

const normal = `{"repo":"acme/app","entity":{"kind":"work_item","id":7},"transition":{"kind":"opened"},` +
	`"actor":{"id":"ada","kind":"human","role":"write","is_entity_author":true},"state":{"labels":[]},"source":{"system":"github"}}`

func TestParseRefuses(t *testing.T) {
	if _, err := event.Parse([]byte(normal)); err != nil {
		t.Fatal(err)
	}
	const proposal = `"change_proposal":{"id":7,"is_fork":true}`
	for _, tc := range []struct{ old, new, want string }{
		{`"repo":"acme/app"`, `"repo":""`, "repo is missing"},
		{`acme/app`, `acme/../app`, `repo "acme/../app"`},
		{`acme/app`, `acme`, `repo "acme" is not`},
		{`"repo"`, `"rep"`, `unknown field "rep"`},
		{`}}`, `}}{}`, "something follows it"},
		{`"id":7`, `"id":-1`, "entity.id is -1"},
		{`"kind":"work_item"`, `"kind":"epic"`, `entity.kind "epic" is unknown; it is one of work_item, change_proposal, conversation`},
		{`"system":"github"`, `"system":"jira"`, "entity.key is missing"},
		{`"system":"github"`, `"system":"svn"`, `source.system "svn"`},
		{`"kind":"opened"`, `"kind":"label_changed"`, "transition.label is missing"},
		{`"kind":"opened"`, `"kind":"label_changed","label":{"name":"x","action":"moved"}`, `transition.label.action "moved"`},
		{`"kind":"opened"`, `"kind":"opened","label":{"name":"x","action":"added"}`, "transition.label is not for opened"},
		{`"kind":"opened"`, `"kind":"comment_added"`, "transition.comment is missing"},
		{`"kind":"opened"`, `"kind":"review_submitted"`, "transition.review is missing"},
		{`"role":"write"`, `"role":"owner"`, `actor.role "owner"`},
		{`{"labels":[]}`, `{}`, "state.labels is missing"},
		{`"labels":[]`, `"labels":[],` + proposal, "entity.linked_change_proposal is missing"},
		{`work_item`, `change_proposal`, "state.change_proposal is missing"},
		{`work_item`, `conversation`, "state.conversation.category.name is missing"},
		{`"labels":[]`, `"labels":[],"conversation":{"category":{"name":"x"}}`, "state.conversation is not for a work_item"},
		{`"id":7`, `"id":7,"linked_change_proposal":{"id":0}`, "linked_change_proposal.id is 0"},
		{`"id":"ada"`, `"id":"` + strings.Repeat("a", 5000) + `"`, "actor.id is longer than 4096 bytes"},
		{`"labels":[]`, `"labels":["` + strings.Repeat("a", 5000) + `"]`, "state.labels is longer"},
		{`"id":"ada"`, `"id":"` + strings.Repeat("a", 1<<20) + `"`, "the event is larger than"},
	} {
		_, err := event.Parse([]byte(strings.Replace(normal, tc.old, tc.new, 1)))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s → %.80s: %v, want %q", tc.old, tc.new, err, tc.want)
		}
	}
	fork := strings.NewReplacer("work_item", "change_proposal", `"labels":[]`, `"labels":[],"change_proposal":{"id":7,"head_repo":"eve/app","base_repo":"acme/app","is_fork":false}`).Replace(normal)
	if _, err := event.Parse([]byte(fork)); err == nil || !strings.Contains(err.Error(), "is_fork must be true") {
		t.Errorf("a fork that says it is none: %v", err)
	}
}

// FuzzParse: what is accepted is valid and reads back the same.
func FuzzParse(f *testing.F) {
	f.Add([]byte(normal))
	f.Add([]byte(strings.Replace(normal, `"kind":"opened"`, `"kind":"comment_added","comment":{"body":"/crew-fix now"}`, 1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := event.Parse(data)
		if err != nil {
			return
		}
		out, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := event.Parse(out); err != nil || !reflect.DeepEqual(again, e) {
			t.Errorf("%s: read back %+v, %v; want %+v", out, again, err, e)
		}
	})
}

// FuzzFromGitHub: whatever a payload says, what comes out is valid, and a fork is never lost.
func FuzzFromGitHub(f *testing.F) {
	f.Add("issues", []byte(`{"action":"labeled","label":{"name":"x"},`+issue+`}`))
	f.Add("issue_comment", []byte(`{"action":"created","comment":{"id":1,"body":"/crew-fix"},`+pulled+`}`))
	f.Add("pull_request_target", []byte(`{"action":"closed",`+fmt.Sprintf(pull, "null", true)+`}`))
	f.Add("pull_request_review", []byte(`{"action":"submitted","review":{"state":"APPROVED"},`+fmt.Sprintf(pull, `{"full_name":"a/b"}`, false)+`}`))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		e, err := event.FromGitHub(name, repo, data)
		if err != nil {
			return
		}
		if err := e.Validate(); err != nil {
			t.Error(err)
		}
		_ = e.Title()
		if p := e.State.ChangeProposal; p != nil && !p.IsFork && p.HeadRepo != p.BaseRepo {
			t.Errorf("a fork is lost: %+v", p)
		}
	})
}
