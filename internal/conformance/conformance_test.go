package conformance_test

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/internal/conformance"
)

func newChecker(t *testing.T) *conformance.Checker {
	t.Helper()
	c, err := conformance.New()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestFind(t *testing.T) {
	c := newChecker(t)
	for _, x := range []struct{ method, path, id string }{
		{"GET", "/user", "users/get-authenticated"},
		{"HEAD", "/repos/acme/app", "repos/get"},
		{"GET", "/repos/acme/app/issues/comments/7", "issues/get-comment"},
		{"GET", "/repos/acme/app/issues/7/comments", "issues/list-comments"},
		{"GET", "/repos/acme/app/contents", "repos/get-content"},
		{"GET", "/repos/acme/app/contents/a/b%2Fc/d", "repos/get-content"},
		{"GET", "/repos/acme/app/branches/feature/x", "repos/get-branch"},
		{"GET", "/repos/acme/app/branches/feature/x/protection", "repos/get-branch-protection"},
		{"GET", "/repos/acme/app/commits/main/check-runs", "checks/list-for-ref"},
		{"GET", "/repos/acme/app/git/matching-refs/heads/feature/x", "git/list-matching-refs"},
		{"GET", "/repos/acme/app/git/matching-refs/", "git/list-matching-refs"},
		{"GET", "/repos/acme/app/", "repos/get"},
		{"PUT", "/repos/acme/app/issues/7", ""},
		{"GET", "/nowhere", ""},
	} {
		id := ""
		if o := c.Find(x.method, x.path); o != nil {
			id = o.ID
		}
		if id != x.id {
			t.Errorf("%s %s is %q, want %q", x.method, x.path, id, x.id)
		}
	}
}

const labels = "/repos/acme/app/labels"

const label = `{"id": 1, "node_id": "x", "url": "http://h/x", "name": "bug", "color": "ff0000", "default": true, "description": null}`

func TestCheck(t *testing.T) {
	c := newChecker(t)
	for name, x := range map[string]struct {
		of   conformance.Exchange
		want string // findings, one per line
	}{
		"as described": {conformance.Exchange{Method: "GET", Path: labels, Status: 200, Body: []byte("[" + label + "]")}, ""},
		"invented member": {conformance.Exchange{Method: "GET", Path: labels, Status: 200, Body: []byte(`[` + strings.Replace(label, "{", `{"colour": "red", `, 1) + `]`)},
			"issues/list-labels-for-repo: 200 /*/colour: is not in the description"},
		"null": {conformance.Exchange{Method: "GET", Path: labels, Status: 200, Body: []byte(strings.Replace("["+label+"]", `"ff0000"`, "null", 1))},
			"issues/list-labels-for-repo: 200 /*/color: got null, want string"},
		"missing member": {conformance.Exchange{Method: "GET", Path: labels, Status: 200, Body: []byte(strings.Replace("["+label+"]", `"name": "bug",`, "", 1))},
			"issues/list-labels-for-repo: 200 /*: missing property 'name'"},
		"one place for all of a list": {conformance.Exchange{Method: "GET", Path: labels, Status: 200, Body: []byte(strings.ReplaceAll("["+label+","+label+"]", `"http://h/x"`, `"no address"`))},
			"issues/list-labels-for-repo: 200 /*/url: 'no address' is not valid uri: relative url"},
		"other status":    {conformance.Exchange{Method: "GET", Path: labels, Status: 204}, "issues/list-labels-for-repo: 204 : the status is not declared"},
		"everybody's 401": {conformance.Exchange{Method: "GET", Path: labels, Status: 401, Body: []byte(`{"message": "Bad credentials", "documentation_url": "https://x", "status": "401"}`)}, ""},
		"invented member of an error": {conformance.Exchange{Method: "GET", Path: labels, Status: 401, Body: []byte(`{"message": "Bad credentials", "hint": "x"}`)},
			"issues/list-labels-for-repo: 401 /hint: is not in the description"},
		"query": {conformance.Exchange{Method: "GET", Path: labels, Query: url.Values{"sort": {"name"}}, Status: 200, Body: []byte("[]")},
			"issues/list-labels-for-repo: query /sort: is not in the description"},
		"required query": {conformance.Exchange{Method: "GET", Path: "/search/issues", Status: 200},
			"search/issues-and-pull-requests: query /q: is required, and the request was granted without"},
		"granted nonsense": {conformance.Exchange{Method: "POST", Path: labels, Sent: []byte(`{"name": 1, "shade": "x"}`), Status: 201, Body: []byte(label)},
			"issues/create-label: body /name: got number, want string"},
		"nowhere": {conformance.Exchange{Method: "GET", Path: "/nowhere", Status: 200}, "GET /nowhere: 200 : the operation is described nowhere"},
	} {
		if x.of.Body != nil {
			x.of.Kind = "application/json; charset=utf-8"
		}
		findings, err := c.Check(x.of)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, f := range findings {
			lines = append(lines, f.String())
		}
		if got := strings.Join(lines, "\n"); got != x.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, x.want)
		}
	}
}

// TestEachSchemaCompiles meets every declared answer, so that a refresh cannot bring in one that the
// checker does not understand.
func TestEachSchemaCompiles(t *testing.T) {
	c := newChecker(t)
	n := 0
	for _, o := range c.Operations() {
		for _, status := range o.Statuses() {
			if _, err := c.Check(conformance.Exchange{Method: o.Method, Path: o.Path, Status: number(t, status), Kind: "application/json", Body: []byte("{}")}); err != nil {
				t.Error(err)
			}
			n++
		}
	}
	for _, e := range c.Events() {
		name, action, _ := strings.Cut(e, " ")
		if _, err := c.CheckEvent(name, []byte(`{"action": "`+action+`"}`)); err != nil {
			t.Error(err)
		}
	}
	if n < 1000 || !slices.Contains(c.Events(), "issues labeled") {
		t.Errorf("%d answers and %q: the description is cut short", n, c.Events())
	}
}

func number(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestExceptionsHaveEvidence holds each exception to what upstream does itself.
func TestExceptionsHaveEvidence(t *testing.T) {
	c := newChecker(t)
	for _, e := range c.Exceptions() {
		if err := c.Prove(e); err != nil {
			t.Errorf("%s: %v", e.Finding, err)
		}
		if e.Why == "" {
			t.Errorf("%s: no reason", e.Finding)
		}
	}
	e := conformance.Exception{Finding: conformance.Finding{Operation: "orgs/get", Part: "200", At: "/blog", Says: "got null, want string"}, Evidence: "org.json"}
	if err := c.Prove(e); err == nil {
		t.Error("an exception is proved by an answer that does not show it")
	}
}
