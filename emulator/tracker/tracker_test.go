package tracker_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/understudy-dev/understudy/emulator/tracker"
	"github.com/understudy-dev/understudy/internal/clock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// site is a tracker with an administrator, ada, and somebody else, bob.
type site struct {
	*tracker.Server
	tokens map[string]string
	http   *http.Client
}

func newSite(t *testing.T) *site {
	t.Helper()
	day := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	srv, err := tracker.New(tracker.Options{Clock: clock.New(func() time.Time { return day })})
	if err != nil {
		t.Fatal(err)
	}
	s := &site{Server: srv, tokens: map[string]string{}, http: &http.Client{Transport: &http.Transport{}}}
	t.Cleanup(func() {
		s.http.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := srv.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	for _, a := range []tracker.Account{{ID: "ada", Admin: true}, {ID: "bob", Name: "Bob B."}} {
		if err := srv.Admin().AddAccount(a); err != nil {
			t.Fatal(err)
		}
		if s.tokens[a.ID], err = srv.Admin().MintToken(tracker.TokenSpec{Account: a.ID, Cause: "step:7"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := srv.Admin().AddProject("APP", "The app"); err != nil {
		t.Fatal(err)
	}
	return s
}

// do makes one request as somebody; "" is nobody. The body comes back with the site's address taken out.
func (s *site) do(t *testing.T, who, method, path, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL()+"/rest/api/"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if who != "" {
		req.SetBasicAuth(who+"@example.test", s.tokens[who])
	}
	res, err := s.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, strings.TrimSpace(strings.ReplaceAll(string(data), s.URL(), ""))
}

// exchange is a request and what Jira's documentation has it answer: a status, and the parts of the body that matter.
type exchange struct {
	who, method, path, body string
	status                  int
	want                    string // JSON that is part of the answer; "" is an empty body
}

func (s *site) play(t *testing.T, all []exchange) {
	t.Helper()
	for i, x := range all {
		status, body := s.do(t, x.who, x.method, x.path, x.body)
		name := fmt.Sprintf("%d: %s %s %s %s", i, x.who, x.method, x.path, x.body)
		if status != x.status {
			t.Fatalf("%s: got %d %s, want %d", name, status, body, x.status)
		}
		if x.want == "" {
			if body != "" {
				t.Errorf("%s: got a body: %s", name, body)
			}
			continue
		}
		var got, want any
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatalf("%s: %v in %s", name, err, body)
		}
		if err := json.Unmarshal([]byte(x.want), &want); err != nil {
			t.Fatalf("%s: the test: %v", name, err)
		}
		if diff := cmp.Diff(want, part(want, got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s\nin %s", name, diff, body)
		}
	}
}

// part is as much of got as want speaks of.
func part(want, got any) any {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return got
		}
		out := map[string]any{}
		for k := range w {
			if v, there := g[k]; there {
				out[k] = part(w[k], v)
			}
		}
		return out
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return got
		}
		out := make([]any, len(w))
		for i := range w {
			out[i] = part(w[i], g[i])
		}
		return out
	}
	return got
}

const newIssue = `{"fields":{"project":{"key":"APP"},"issuetype":{"name":"Bug"},"summary":"It breaks","labels":["b","a"]}}`

func TestIssues(t *testing.T) {
	s := newSite(t)
	s.play(t, []exchange{
		{"", "GET", "3/myself", "", 401, `{"errorMessages":["Client must be authenticated to access this resource."],"errors":{}}`},
		{"bob", "GET", "3/myself", "", 200, `{"accountId":"bob","accountType":"atlassian","displayName":"Bob B.","active":true}`},
		{"bob", "POST", "3/issue", `{"fields":{"labels":["a b"]}}`, 400, `{"errors":{"labels":"The label 'a b' contains spaces which is invalid."}}`},
		{"bob", "POST", "3/issue", `{"fields":{}}`, 400, `{"errors":{"project":"valid project is required","summary":"You must specify a summary of the issue.","issuetype":"Specify a valid issue type"}}`},
		{"bob", "POST", "3/issue", `{"fields":{"colour":"red"}}`, 400, `{"errors":{"colour":"Field 'colour' cannot be set. It is not on the appropriate screen, or unknown."}}`},
		{"bob", "POST", "3/issue", `{"fields":`, 400, `{"errors":{}}`},
		{"bob", "POST", "3/issue", newIssue, 201, `{"id":"10003","key":"APP-1","self":"/rest/api/3/issue/10003"}`},
		{"bob", "GET", "3/issue/APP-1", "", 200, `{"id":"10003","key":"APP-1","fields":{"summary":"It breaks","labels":["a","b"],"description":null,
			"created":"2026-01-02T03:04:05.000+0000","creator":{"accountId":"bob"},"status":{"name":"To Do"},"issuetype":{"name":"Bug"},"project":{"key":"APP"}}}`},
		{"bob", "GET", "3/issue/app-1?fields=summary", "", 200, `{"fields":{"summary":"It breaks"}}`},
		{"bob", "GET", "3/issue/APP-2", "", 404, `{"errorMessages":["Issue does not exist or you do not have permission to see it."],"errors":{}}`},
		{"ada", "PUT", "3/issue/APP-1", `{"update":{"labels":[{"add":"c"},{"remove":"a"}]}}`, 204, ""},
		{"ada", "PUT", "3/issue/APP-1", `{"update":{"labels":[{"add":"c"}]}}`, 204, ""}, // changes nothing
		{"ada", "PUT", "3/issue/APP-1", `{"fields":{"labels":[]},"update":{"labels":[{"add":"c"}]}}`, 400, `{"errors":{"labels":"Field 'labels' cannot appear in both 'fields' and 'update'"}}`},
		{"ada", "PUT", "2/issue/APP-1", `{"fields":{"summary":"It broke","description":"one\n\ntwo"}}`, 204, ""},
		{"bob", "GET", "3/issue/APP-1?expand=changelog&fields=description,labels", "", 200, `{"fields":{"labels":["b","c"],
			"description":{"type":"doc","version":1,"content":[{"type":"paragraph","content":[{"type":"text","text":"one"}]},{"type":"paragraph","content":[{"type":"text","text":"two"}]}]}},
			"changelog":{"startAt":0,"maxResults":2,"total":2,"histories":[
				{"author":{"accountId":"ada"},"items":[{"field":"summary","fromString":"It breaks","toString":"It broke"},{"field":"description","fromString":"","toString":"one\n\ntwo"}]},
				{"id":"10004","author":{"accountId":"ada"},"created":"2026-01-02T03:04:05.000+0000","items":[{"field":"labels","fieldtype":"jira","fieldId":"labels","from":null,"fromString":"a b","to":null,"toString":"b c"}]}]}}`},
		{"bob", "GET", "3/issue/APP-1/changelog?maxResults=1", "", 200, `{"startAt":0,"maxResults":1,"total":2,"isLast":false,"values":[{"id":"10004"}]}`},
		{"bob", "GET", "3/issue/APP-1?expand=names", "", 501, `{"errorMessages":["This tracker does not speak expand=names."]}`},
		{"bob", "GET", "3/issue/APP-1?colour=red", "", 501, `{"errors":{}}`},
		{"bob", "GET", "3/issue/APP-1/watchers", "", 501, `{"errorMessages":["This tracker does not speak GET /rest/api/3/issue/APP-1/watchers."]}`},
		{"bob", "GET", "4/issue/APP-1", "", 501, `{"errors":{}}`},
	})
}

func TestComments(t *testing.T) {
	s := newSite(t)
	doc := `{"type":"doc","version":1,"content":[{"type":"paragraph","content":[{"type":"text","text":"/crew-triage","marks":[{"type":"strong"}]}]}]}`
	s.play(t, []exchange{
		{"bob", "POST", "3/issue", newIssue, 201, `{"key":"APP-1"}`},
		{"bob", "POST", "3/issue/APP-1/comment", `{"body":"plain"}`, 400, `{"errors":{"comment":"Operation value must be an Atlassian Document (see the Atlassian Document Format)"}}`},
		{"bob", "POST", "3/issue/APP-1/comment", `{"body":` + doc + `}`, 201, `{"id":"20001","author":{"accountId":"bob"},"body":` + doc + `}`},
		{"ada", "POST", "2/issue/APP-1/comment", `{"body":"two\nlines"}`, 201, `{"id":"20002","body":"two\nlines"}`},
		{"ada", "POST", "2/issue/APP-1/comment", `{"body":" "}`, 400, `{"errors":{"comment":"Comment body can not be empty!"}}`},
		{"ada", "GET", "2/issue/APP-1/comment", "", 200, `{"startAt":0,"maxResults":100,"total":2,"comments":[{"body":"/crew-triage"},{"body":"two\nlines"}]}`},
		{"ada", "GET", "3/issue/APP-1/comment?orderBy=-created&maxResults=1", "", 200, `{"total":2,"comments":[{"id":"20002","body":{"type":"doc"}}]}`},
		{"ada", "GET", "2/issue/APP-1/comment/20001", "", 200, `{"body":"/crew-triage","created":"2026-01-02T03:04:05.000+0000"}`},
		{"ada", "GET", "2/issue/APP-1/comment/1", "", 404, `{"errorMessages":["Can not find a comment for the id: 1."]}`},
	})
}

func TestProperties(t *testing.T) {
	s := newSite(t)
	const p = "3/issue/APP-1/properties"
	s.play(t, []exchange{
		{"bob", "POST", "3/issue", newIssue, 201, `{"key":"APP-1"}`},
		{"bob", "GET", p + "/crew", "", 404, `{"errorMessages":["The property with the key 'crew' does not exist."]}`},
		{"bob", "PUT", p + "/crew", `{"n":1}`, 201, ""},
		{"bob", "PUT", p + "/crew", `{"n":2}`, 200, ""},
		{"bob", "PUT", p + "/crew", `{"n":`, 400, `{"errors":{}}`},
		{"bob", "PUT", p + "/crew", `"` + strings.Repeat("x", 32768) + `"`, 400, `{"errors":{}}`},
		{"bob", "GET", p, "", 200, `{"keys":[{"key":"crew"}]}`},
		{"bob", "GET", p + "/crew", "", 200, `{"key":"crew","value":{"n":2}}`},
		{"bob", "DELETE", p + "/crew", "", 204, ""},
		{"bob", "DELETE", p + "/crew", "", 404, `{"errors":{}}`},
	})
}

func TestRolesAreBackedByGroups(t *testing.T) {
	s := newSite(t)
	s.play(t, []exchange{
		{"bob", "POST", "3/group", `{"name":"devs"}`, 403, `{"errors":{}}`},
		{"ada", "POST", "3/group", `{"name":"devs"}`, 201, `{"name":"devs"}`},
		{"ada", "POST", "3/group", `{"name":"devs"}`, 400, `{"errors":{}}`},
		{"ada", "POST", "3/group/user?groupname=devs", `{"accountId":"bob"}`, 201, `{"name":"devs"}`},
		{"ada", "POST", "3/group/user?groupname=devs", `{"accountId":"eve"}`, 404, `{"errors":{}}`},
		{"ada", "GET", "3/group/member?groupname=devs", "", 200, `{"isLast":true,"total":1,"values":[{"accountId":"bob"}]}`},
		{"ada", "GET", "3/group/member?groupname=ops", "", 404, `{"errorMessages":["The group named 'ops' does not exist."]}`},
		{"bob", "GET", "3/user/groups?accountId=bob", "", 200, `[{"name":"devs"}]`},
		{"ada", "POST", "3/role", `{"name":"Developers"}`, 200, `{"id":10003,"name":"Developers"}`},
		{"ada", "POST", "3/role", `{"name":"Developers"}`, 409, `{"errors":{}}`},
		{"ada", "POST", "3/project/APP/role/10003", `{"group":["ops"]}`, 404, `{"errors":{}}`},
		{"ada", "POST", "3/project/APP/role/10003", `{"group":["devs"]}`, 200, `{"actors":[{"type":"atlassian-group-role-actor","name":"devs"}]}`},
		{"bob", "GET", "3/project/APP/role", "", 200, `{"Developers":"/rest/api/3/project/10002/role/10003"}`},
		{"ada", "GET", "3/project/APP/role/10003", "", 200, `{"name":"Developers","actors":[{"displayName":"devs","actorGroup":{"name":"devs"}}]}`},
		{"ada", "GET", "3/project/NOPE", "", 404, `{"errorMessages":["No project could be found with key 'NOPE'."]}`},
		{"ada", "POST", "3/project", `{"key":"nope","name":"x"}`, 400, `{"errors":{}}`},
		{"ada", "POST", "3/project", `{"key":"OPS","name":"x","projectTypeKey":"software","leadAccountId":"ada"}`, 201, `{"key":"OPS"}`},
	})
	if err := s.Admin().SetPrivate("OPS"); err != nil {
		t.Fatal(err)
	}
	s.play(t, []exchange{
		{"bob", "GET", "3/project/OPS", "", 404, `{"errors":{}}`},
		{"ada", "POST", "3/project/OPS/role/10003", `{"group":["devs"]}`, 200, `{}`},
		{"bob", "GET", "3/project/OPS", "", 200, `{"key":"OPS"}`},
		{"ada", "DELETE", "3/group/user?groupname=devs&accountId=bob", "", 200, ""},
		{"bob", "GET", "3/project/OPS", "", 404, `{"errors":{}}`},
	})
}

func TestSearch(t *testing.T) {
	s := newSite(t)
	for range 3 {
		s.play(t, []exchange{{"bob", "POST", "3/issue", newIssue, 201, `{}`}})
	}
	if err := s.Admin().NextIssue("APP", 42); err != nil {
		t.Fatal(err)
	}
	if err := s.Admin().NextIssue("APP", 3); err == nil {
		t.Error("a number was given away twice")
	}
	s.play(t, []exchange{
		{"bob", "POST", "3/issue", `{"fields":{"project":{"key":"APP"},"issuetype":{"name":"Task"},"summary":"x"}}`, 201, `{"key":"APP-42"}`},
		{"bob", "GET", "3/search/jql?jql=order+by+created", "", 400, `{"errorMessages":["Unbounded JQL queries are not allowed here. Please add a search restriction to your query."],"errors":{}}`},
		{"bob", "GET", "3/search/jql?jql=project=APP&maxResults=0", "", 400, `{"errors":{}}`},
		{"bob", "POST", "3/search/jql", `{"jql":"project = APP ORDER BY key","maxResults":3,"fields":["labels"],"expand":"changelog"}`, 200,
			`{"isLast":false,"issues":[{"key":"APP-1","fields":{"labels":["a","b"]},"changelog":{"total":0}},{"key":"APP-2"},{"key":"APP-3"}]}`},
		{"bob", "GET", "3/search/jql?jql=project=APP+and+labels+is+empty", "", 200, `{"isLast":true,"issues":[{"id":"10006"}]}`},
		{"bob", "GET", "3/search/jql?jql=project=APP&nextPageToken=zzz", "", 400, `{"errors":{}}`},
		{"bob", "GET", "2/search?jql=labels+in+(a,+%22c%22)+order+by+key+desc&maxResults=2&startAt=1", "", 200, `{"startAt":1,"maxResults":2,"total":3,"issues":[{"key":"APP-2"},{"key":"APP-1"}]}`},
		{"bob", "GET", "2/search?jql=issuetype+!=+Bug", "", 200, `{"total":1,"issues":[{"key":"APP-42"}]}`},
		{"bob", "GET", "2/search?jql=updated+%3E=+%222026-01-02+03:05%22", "", 200, `{"total":0}`},
		{"bob", "GET", "2/search?jql=updated+%3E=+-5m&maxResults=0", "", 200, `{"total":4,"issues":[]}`},
	})
	status, body := s.do(t, "bob", "POST", "3/search/jql", `{"jql":"project = APP ORDER BY key","maxResults":3}`)
	var p struct{ NextPageToken string }
	if err := json.Unmarshal([]byte(body), &p); status != 200 || err != nil || p.NextPageToken == "" {
		t.Fatalf("%d %s: %v", status, body, err)
	}
	s.play(t, []exchange{
		{"bob", "POST", "3/search/jql", `{"jql":"project = APP ORDER BY key","nextPageToken":"` + p.NextPageToken + `"}`, 200, `{"isLast":true,"issues":[{"id":"10006"}]}`},
		{"bob", "POST", "3/search/jql", `{"jql":"project = APP","nextPageToken":"` + p.NextPageToken + `"}`, 400, `{"errors":{}}`},
	})
}

// TestJQLThatIsNotSpoken is loud, and says what it was.
func TestJQLThatIsNotSpoken(t *testing.T) {
	s := newSite(t)
	for jql, want := range map[string]string{
		`project = APP OR project = OPS`: `501 This tracker does not speak JQL's OR.`,
		`assignee = bob`:                 `501 This tracker does not speak the JQL field "assignee".`,
		`creator = currentUser()`:        `501 This tracker does not speak the JQL function currentUser.`,
		`labels ~ a`:                     `501 This tracker does not speak the JQL operator "~" with the field labels.`,
		`labels > a`:                     `501 This tracker does not speak the JQL operator ">" with the field labels.`,
		`updated = "2026-01-02"`:         `501 This tracker does not speak the JQL operator = with a time.`,
		`project = APP order by rank`:    `501 This tracker does not speak JQL's ORDER BY "rank".`,
		`project = APP labels = a`:       `400 Error in the JQL Query: Expecting AND but got 'labels'. (line 1, character 15)`,
		`project =`:                      `400 Error in the JQL Query: Expecting a value before the end of the query.`,
		`project`:                        `400 Error in the JQL Query: Expecting operator before the end of the query.`,
		`labels in (a, b`:                `400 Error in the JQL Query: Expecting ')' or ',' before the end of the query.`,
		`project = "APP`:                 `400 Error in the JQL Query: The quoted string 'APP' has not been completed. (line 1, character 11)`,
		`updated >= soon`:                `400 Error in the JQL Query: Date value 'soon' for field 'updated' is invalid. Valid formats include: 'yyyy/MM/dd HH:mm', 'yyyy-MM-dd HH:mm', 'yyyy/MM/dd', 'yyyy-MM-dd', or a period format e.g. '-5d', '4w 2d'.`,
	} {
		in, err := json.Marshal(map[string]string{"jql": jql})
		if err != nil {
			t.Fatal(err)
		}
		status, body := s.do(t, "bob", "POST", "2/search", string(in))
		var f struct{ ErrorMessages []string }
		if err := json.Unmarshal([]byte(body), &f); err != nil || len(f.ErrorMessages) != 1 {
			t.Errorf("%s: %d %s", jql, status, body)
			continue
		}
		if got := fmt.Sprint(status, " ", f.ErrorMessages[0]); got != want {
			t.Errorf("%s\n got %s\nwant %s", jql, got, want)
		}
	}
}

// TestCredentials: a token is good with its own account's address only, or as a bearer.
func TestCredentials(t *testing.T) {
	s := newSite(t)
	for _, x := range []struct {
		header string
		status int
	}{
		{"Bearer " + s.tokens["bob"], 200},
		{"bearer " + s.tokens["bob"], 200},
		{"Bearer nobody", 401},
		{"Token " + s.tokens["bob"], 401},
		{"Basic " + "bm9ib2R5", 401},
	} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", s.URL()+"/rest/api/3/myself", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", x.header)
		res, err := s.http.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != x.status {
			t.Errorf("%.7s…: %d, want %d", x.header, res.StatusCode, x.status)
		}
	}
	s.tokens["eve"] = s.tokens["bob"]
	if status, _ := s.do(t, "eve", "GET", "3/myself", ""); status != 401 {
		t.Errorf("bob's token with another's address: %d", status)
	}
}

// TestChangesAreJournalledWithTheirCause, and what changed nothing is not.
func TestChangesAreJournalledWithTheirCause(t *testing.T) {
	s := newSite(t)
	token, err := s.Admin().MintToken(tracker.TokenSpec{Account: "ada", Kit: true})
	if err != nil {
		t.Fatal(err)
	}
	s.do(t, "bob", "POST", "3/issue", newIssue)
	s.tokens["ada"] = token
	s.Admin().Mark("step:2")
	s.do(t, "ada", "PUT", "3/issue/APP-1", `{"fields":{"labels":["z"]}}`)
	s.do(t, "ada", "PUT", "3/issue/APP-1", `{"fields":{"labels":["z"]}}`)
	s.do(t, "ada", "POST", "2/issue/APP-1/comment", `{"body":"hello"}`)
	var got []string
	for _, e := range s.Admin().Journal().Entries(0) {
		if e.Kind == "change" {
			got = append(got, fmt.Sprint(e.Type, " ", e.Cause, " ", e.Actor, " ", e.Subject, " ", e.Detail))
		}
	}
	want := []string{
		"jira.issue_created step:7 bob APP-1 map[labels:a b]",
		"jira.issue_updated step:2 ada APP-1 map[changelog:10004 from:a b to:z]",
		"jira.comment_created step:2 ada APP-1 map[comment:20001]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
