package forge_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/emulator/forge/internal/api"
)

// validBodies are what writing routes need before they look at permissions.
var validBodies = map[string]any{
	"POST /repos/{owner}/{repo}/issues":                               map[string]any{"title": "x"},
	"POST /repos/{owner}/{repo}/pulls":                                map[string]any{"title": "x", "head": "x", "base": "main"},
	"POST /repos/{owner}/{repo}/issues/{number}/comments":             map[string]any{"body": "x"},
	"PATCH /repos/{owner}/{repo}/issues/comments/{id}":                map[string]any{"body": "x"},
	"PUT /repos/{owner}/{repo}/contents/{path...}":                    map[string]any{"message": "m", "content": ""},
	"DELETE /repos/{owner}/{repo}/contents/{path...}":                 map[string]any{"message": "m", "sha": strings.Repeat("1", 40)},
	"POST /repos/{owner}/{repo}/git/refs":                             map[string]any{"ref": "refs/heads/x", "sha": strings.Repeat("1", 40)},
	"PATCH /repos/{owner}/{repo}/git/refs/{ref...}":                   map[string]any{"sha": strings.Repeat("1", 40)},
	"POST /repos/{owner}/{repo}/dispatches":                           map[string]any{"event_type": "x"},
	"POST /repos/{owner}/{repo}/actions/workflows/{id}/dispatches":    map[string]any{"ref": "main"},
	"POST /repos/{owner}/{repo}/labels":                               map[string]any{"name": "x"},
	"POST /repos/{owner}/{repo}/git/blobs":                            map[string]any{"content": "x"},
	"POST /repos/{owner}/{repo}/actions/variables":                    map[string]any{"name": "X", "value": "x"},
	"POST /repos/{owner}/{repo}/git/trees":                            map[string]any{"tree": []any{map[string]any{"path": "a", "mode": "100644", "type": "blob", "content": "x"}}},
	"POST /repos/{owner}/{repo}/git/commits":                          map[string]any{"message": "m", "tree": strings.Repeat("1", 40)},
	"POST /repos/{owner}/{repo}/git/tags":                             map[string]any{"tag": "v1", "message": "m", "object": strings.Repeat("1", 40), "type": "commit"},
	"POST /repos/{owner}/{repo}/environments/{environment}/variables": map[string]any{"name": "X", "value": "x"},
	"POST /repos/{owner}/{repo}/milestones":                           map[string]any{"title": "1.0"},
	"POST /repos/{owner}/{repo}/issues/{number}/reactions":            map[string]any{"content": "heart"},
	"POST /repos/{owner}/{repo}/issues/comments/{id}/reactions":       map[string]any{"content": "heart"},
	"PUT /repos/{owner}/{repo}/topics":                                map[string]any{"names": []any{}},
	"POST /repos/{owner}/{repo}/merges":                               map[string]any{"base": "main", "head": "main"},
	"POST /repos/{owner}/{repo}/branches/{branch}/rename":             map[string]any{"new_name": "next"},
	"POST /repos/{owner}/{repo}/forks":                                map[string]any{"organization": "acme"},
	"POST /repos/{owner}/{repo}/merge-upstream":                       map[string]any{"branch": "main"},
	"PUT /repos/{owner}/{repo}/actions/permissions":                   map[string]any{"enabled": true},
	"PUT /repos/{owner}/{repo}/actions/permissions/workflow":          map[string]any{"can_approve_pull_request_reviews": true},
	"POST /repos/{owner}/{repo}/check-runs":                           map[string]any{"name": "x", "head_sha": strings.Repeat("1", 40)},
	"POST /repos/{owner}/{repo}/statuses/{sha}":                       map[string]any{"state": "success"},
	"POST /repos/{owner}/{repo}/hooks":                                map[string]any{"config": map[string]any{"url": "http://127.0.0.1:1/"}},

	"PUT /repos/{owner}/{repo}/pulls/{number}/reviews/{id}":                      map[string]any{"body": "x"},
	"PUT /repos/{owner}/{repo}/pulls/{number}/reviews/{id}/dismissals":           map[string]any{"message": "x"},
	"POST /repos/{owner}/{repo}/pulls/{number}/comments":                         map[string]any{"body": "x", "path": "x", "commit_id": strings.Repeat("1", 40)},
	"POST /repos/{owner}/{repo}/pulls/{number}/comments/{id}/replies":            map[string]any{"body": "x"},
	"PUT /repos/{owner}/{repo}/actions/permissions/fork-pr-contributor-approval": map[string]any{"approval_policy": "first_time_contributors"},
	"PUT /repos/{owner}/{repo}/branches/{branch}/protection":                     map[string]any{"enforce_admins": nil, "restrictions": nil, "required_status_checks": nil, "required_pull_request_reviews": nil},
	"PATCH /repos/{owner}/{repo}/pulls/comments/{id}":                            map[string]any{"body": "x"},
}

// TestPermissionsOfRoutes holds every route of a repository to the permission that GitHub documents, which
// testdata/permissions.txt lists: without it 403, with it, and nothing else, no 403.
// https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps
func TestPermissionsOfRoutes(t *testing.T) {
	w := newForge(t)
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "private": true, "auto_init": true})
	w.ada.want(200, "PATCH", "/repos/acme/app", map[string]any{"allow_forking": true})
	token := func(scope, level string) actor {
		p := map[string]string{}
		if scope != "" {
			p[scope] = level
		}
		return w.mint(forge.TokenSpec{Login: forge.ActionsLogin, Repo: "acme/app", Permissions: p, Cause: "job:1"})
	}
	nothing := token("", "")
	var table strings.Builder
	var last []func()
	for _, r := range api.Routes() {
		if !strings.HasPrefix(r.Pattern, "/repos/{owner}/{repo}") {
			continue
		}
		route := r.Method + " " + r.Pattern
		path := fill(r.Pattern)
		body := validBodies[route]
		if body == nil && r.Method != "GET" && r.Method != "DELETE" {
			body = map[string]any{}
		}
		got := nothing.send(r.Method, path, body)
		needed := w.lastEntry("request").Detail["permission"]
		fmt.Fprintf(&table, "%-75s %s\n", route, strings.TrimSpace(fmt.Sprintf("%d %s", got.status, needed)))
		scope, level, ok := strings.Cut(needed, ":")
		if !ok || strings.Contains(needed, " ") {
			continue
		}
		check := func() {
			if level == "write" {
				if got := token(scope, "read").send(r.Method, path, body); got.status != 403 {
					t.Errorf("%s with %s: read = %d, want 403", route, scope, got.status)
				}
			}
			if got := token(scope, level).send(r.Method, path, body); got.status == 403 || got.status == 401 {
				t.Errorf("%s with %s: %s = %d: %s", route, scope, level, got.status, got.body)
			}
		}
		if r.Method == "DELETE" && r.Pattern == "/repos/{owner}/{repo}" {
			last = append(last, check)
			continue
		}
		check()
	}
	for _, check := range slices.Backward(last) {
		check()
	}
	const file = "testdata/permissions.txt"
	if *update {
		must(t, os.WriteFile(file, []byte(table.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if diff := cmp.Diff(string(want), table.String()); diff != "" {
		t.Error(diff)
	}
}

// fill puts something into each parameter of a pattern.
func fill(pattern string) string {
	segs := strings.Split(pattern, "/")
	for i, s := range segs {
		switch {
		case s == "{owner}":
			segs[i] = "acme"
		case s == "{repo}":
			segs[i] = "app"
		case s == "{format}":
			segs[i] = "zip"
		case s == "{path...}":
			segs[i] = "README.md"
		case s == "{ref...}":
			segs[i] = "heads/main"
		case strings.HasPrefix(s, "{"):
			segs[i] = "1"
		}
	}
	return strings.Join(segs, "/")
}
