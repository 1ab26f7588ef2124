package forge_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestSearchRepos(t *testing.T) {
	w := newWorld(t)
	bob := w.user("bob", "write")
	w.ada.want(200, "PATCH", "/repos/acme/app", map[string]any{"description": "Parses lines"})
	w.ada.want(200, "PUT", "/repos/acme/app/topics", map[string]any{"names": []string{"agents"}})
	w.ada.want(201, "PUT", contents+"main.go", map[string]any{"message": "m", "content": encode("package main\n")})
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "lines", "auto_init": true})
	w.ada.want(201, "PUT", "/repos/acme/lines/contents/a.py", map[string]any{"message": "m", "content": encode("pass\n")})
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "old", "description": "Lines of old"})
	w.ada.want(200, "PATCH", "/repos/acme/old", map[string]any{"archived": true})
	w.ada.want(201, "POST", "/user/repos", map[string]any{"name": "own", "private": true, "description": "Hidden lines"})
	w.ada.want(202, "POST", "/repos/acme/app/forks", map[string]any{"name": "copy"})
	search := func(a actor, q, more string) reply {
		return a.send("GET", "/search/repositories?q="+url.QueryEscape(q)+more, nil)
	}
	for q, want := range map[string][]string{
		"lines":                           {"acme/app", "acme/lines", "acme/old", "ada/own"},
		"lines in:name":                   {"acme/lines"},
		"lines in:description":            {"acme/app", "acme/old", "ada/own"},
		"user:ada":                        {"ada/own"},
		"user:ada fork:true":              {"ada/copy", "ada/own"},
		"fork:only":                       {"ada/copy"},
		"org:acme -archived:true":         {"acme/app", "acme/lines"},
		"org:acme archived:true":          {"acme/old"},
		"topic:agents":                    {"acme/app"},
		"agents":                          {"acme/app"},
		"language:go":                     {"acme/app"},
		"language:go language:Python":     {"acme/app", "acme/lines"},
		"lines -language:go org:acme":     {"acme/lines", "acme/old"},
		"is:private":                      {"ada/own"},
		"lines is:public pushed:>2000-01": nil,
		"org:acme pushed:<2000-01-01":     nil,
		"repo:acme/app":                   {"acme/app"},
	} {
		r := search(w.ada, q, "")
		got := r.names("items", "full_name")
		slices.Sort(got)
		if q == "lines is:public pushed:>2000-01" { // a month is no date
			if r.status != 422 {
				t.Errorf("%s: %d", q, r.status)
			}
			continue
		}
		if r.status != 200 || !slices.Equal(got, want) {
			t.Errorf("%s: %d %v, want %v", q, r.status, got, want)
		}
		r.is("total_count", float64(len(want)))
	}
	search(w.ada, "language:go", "").is("items.0.language", "Go")
	if got := search(bob, "lines", "").names("items", "full_name"); slices.Contains(got, "ada/own") {
		t.Errorf("bob finds what is private: %v", got)
	}
	if got := search(bob, "lines", "").names("items", "full_name"); len(got) == 0 || got[0] != "acme/lines" {
		t.Errorf("the name that is looked for comes not first: %v", got)
	}
	up, down := search(bob, "org:acme", "&sort=updated&order=asc").names("items", "name"), search(bob, "org:acme", "&sort=stars").names("items", "name")
	slices.Reverse(down)
	if len(up) != 3 || !slices.Equal(up, down) {
		t.Errorf("as updated: %v, by stars from behind: %v", up, down)
	}
	for q, status := range map[string]int{"": 422, "repo:ada/own": 422, "user:nobody": 422, "license:mit": 501, "stars:>1": 501, "is:fun": 501, "fork:false": 501, "in:readme x": 501, "is:public,private": 501, "a OR b": 501} {
		if r := search(bob, q, ""); r.status != status {
			t.Errorf("%q = %d, want %d: %s", q, r.status, status, r.body)
		}
	}
	if r := w.ada.want(501, "GET", "/search/code?q=x", nil); !strings.Contains(string(r.body), "clone the repository") {
		t.Errorf("no hint: %s", r.body)
	}
}

func TestLanguages(t *testing.T) {
	w := newWorld(t)
	const at = "/repos/acme/app/languages"
	if r := w.ada.want(200, "GET", at, nil); strings.TrimSpace(string(r.body)) != "{}" { // a README is in none
		t.Errorf("languages = %s", r.body)
	}
	w.ada.want(200, "GET", "/repos/acme/app", nil).is("language", nil)
	for file, text := range map[string]string{"b.py": "pass\n", "a.go": "package a\n", "vendor/c/c.c": strings.Repeat("c", 99), "Makefile": "all:\n", "data.json": "{}\n", "x/b.go": "package b\n"} {
		w.ada.want(201, "PUT", contents+file, map[string]any{"message": "m", "content": encode(text)})
	}
	if r := w.ada.want(200, "GET", at, nil); strings.TrimSpace(string(r.body)) != `{"Go":20,"Makefile":5,"Python":5}` {
		t.Errorf("languages = %s", r.body)
	}
	w.ada.want(200, "GET", "/repos/acme/app", nil).is("language", "Go")
	w.ada.want(200, "GET", "/orgs/acme/repos", nil).is("0.language", "Go")
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "empty"})
	if r := w.ada.want(200, "GET", "/repos/acme/empty/languages", nil); strings.TrimSpace(string(r.body)) != "{}" {
		t.Errorf("languages of nothing = %s", r.body)
	}
}
