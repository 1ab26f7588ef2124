package forge_test

import (
	"net/url"
	"slices"
	"testing"
)

func TestSearchIssues(t *testing.T) {
	w := newWorld(t)
	bob := w.user("bob", "write")
	w.ada.want(201, "POST", issues, map[string]any{"title": "The build breaks", "labels": []string{"bug"}, "assignees": []string{"bob"}})
	bob.want(201, "POST", issues, map[string]any{"title": "Docs", "body": "The build needs words", "labels": []string{"good first issue"}})
	w.ada.want(200, "PATCH", issues+"/2", map[string]any{"state": "closed"})
	w.openPull("fix-build")
	w.ada.want(201, "POST", "/user/repos", map[string]any{"name": "own", "private": true})
	w.ada.want(201, "POST", "/repos/ada/own/issues", map[string]any{"title": "Secret build"})
	search := func(a actor, q, more string) reply {
		return a.send("GET", "/search/issues?q="+url.QueryEscape(q)+more, nil)
	}
	for q, want := range map[string][]string{
		"build repo:acme/app":                          {"Add fix-build", "Docs", "The build breaks"},
		"build repo:acme/app is:issue":                 {"Docs", "The build breaks"},
		"build in:title repo:acme/app is:issue":        {"The build breaks"},
		`"build breaks"`:                               {"The build breaks"},
		"is:pr":                                        {"Add fix-build"},
		"is:pr head:fix base:main":                     {"Add fix-build"},
		"is:merged":                                    nil,
		"org:acme state:closed":                        {"Docs"},
		`label:"good first issue"`:                     {"Docs"},
		"repo:acme/app is:issue -label:bug":            {"Docs"},
		"repo:acme/app is:issue -author:bob":           {"The build breaks"},
		"repo:acme/app is:issue assignee:bob":          {"The build breaks"},
		"repo:acme/app is:issue no:assignee":           {"Docs"},
		"repo:acme/app is:issue created:>2000-01-01":   {"Docs", "The build breaks"},
		"repo:acme/app created:2000-01-01..2000-02-01": nil,
		"user:ada": {"Secret build"},
	} {
		r := search(w.ada, q, "")
		if got := r.names("items", "title"); r.status != 200 || !slices.Equal(got, want) {
			t.Errorf("%s: %d %v, want %v", q, r.status, got, want)
		}
		r.is("total_count", float64(len(want)))
	}
	if got := search(bob, "build", "&sort=created&order=asc&per_page=1").names("items", "title"); !slices.Equal(got, []string{"The build breaks"}) {
		t.Errorf("first page: %v", got)
	}
	if r := search(bob, "secret", ""); r.at("total_count") != 0.0 {
		t.Errorf("bob finds %s", r.body)
	}
	for q, status := range map[string]int{"": 422, "repo:ada/own": 422, "repo:no/where x": 422, "created:soon": 422, "involves:bob": 501, "is:fun": 501, "a OR b": 501} {
		if r := search(bob, q, ""); r.status != status {
			t.Errorf("%q = %d, want %d: %s", q, r.status, status, r.body)
		}
	}
}
