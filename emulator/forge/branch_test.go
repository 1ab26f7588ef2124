package forge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMergeOfBranches(t *testing.T) {
	w := newWorld(t)
	const merges = "/repos/acme/app/merges"
	w.branch("dev")
	both := map[string]any{"base": "main", "head": "dev"}
	w.ada.want(204, "POST", merges, both)
	w.write("dev", "a", "1")
	before := w.seq()
	made := w.ada.want(201, "POST", merges, both)
	made.is("commit.message", "Merge dev into main")
	made.is("parents.1.sha", w.head("acme/app", "dev"))
	made.is("sha", w.head("acme/app", "main"))
	if diff := cmp.Diff([]string{"push"}, w.changes(before)); diff != "" {
		t.Error(diff)
	}
	w.write("main", "a", "2")
	w.write("dev", "a", "3")
	at := w.head("acme/app", "main")
	w.ada.want(409, "POST", merges, both).is("message", "Merge conflict")
	if w.head("acme/app", "main") != at {
		t.Error("a conflict moved the branch")
	}
	w.ada.want(404, "POST", merges, map[string]any{"base": "none", "head": "dev"}).is("message", "Base does not exist")
	w.ada.want(404, "POST", merges, map[string]any{"base": "main", "head": "none"}).is("message", "Head does not exist")
	w.ada.want(422, "POST", merges, map[string]any{"head": "none"})
	w.user("eve", "triage").want(403, "POST", merges, both)
}

func TestRenameBranch(t *testing.T) {
	w := newWorld(t)
	w.branch("dev")
	w.branch("x/y")
	w.openPull("feature")
	w.ada.want(200, "PATCH", pulls+"/1", map[string]any{"base": "dev"})
	bob := w.user("bob", "write")
	const branches = "/repos/acme/app/branches/"
	before := w.seq()
	bob.want(201, "POST", branches+"dev/rename", map[string]any{"new_name": "next"}).is("name", "next")
	bob.want(201, "POST", branches+"x%2Fy/rename", map[string]any{"new_name": "x-y"})
	if diff := cmp.Diff([]string{"create", "push", "pull_request.edited", "delete", "push", "create", "push", "delete", "push"}, w.changes(before)); diff != "" {
		t.Error(diff)
	}
	if r := w.ada.want(200, "GET", pulls+"/1", nil); r.at("base.ref") != "next" || r.at("state") != "open" {
		t.Errorf("the pull request is %v to %v", r.at("state"), r.at("base.ref"))
	}
	bob.want(403, "POST", branches+"main/rename", map[string]any{"new_name": "trunk"})
	bob.want(404, "POST", branches+"dev/rename", map[string]any{"new_name": "other"})
	bob.want(422, "POST", branches+"next/rename", map[string]any{"new_name": "main"})
	bob.want(422, "POST", branches+"next/rename", map[string]any{"new_name": "a..b"})
	bob.want(422, "POST", branches+"next/rename", nil)
	w.ada.want(201, "POST", branches+"main/rename", map[string]any{"new_name": "trunk"})
	w.ada.want(200, "GET", "/repos/acme/app", nil).is("default_branch", "trunk")
	out := mustGit(t, t.TempDir(), "ls-remote", "--symref", w.remote("", "acme/app"))
	if !strings.Contains(out, "ref: refs/heads/trunk\tHEAD") || strings.Contains(out, "refs/heads/main") {
		t.Errorf("git sees %s", out)
	}
}

func TestTopics(t *testing.T) {
	w := newWorld(t)
	const topics = "/repos/acme/app/topics"
	before := w.seq()
	got := w.ada.want(200, "PUT", topics, map[string]any{"names": []string{"Agents", "go", "agents"}})
	if diff := cmp.Diff([]any{"agents", "go"}, got.at("names")); diff != "" {
		t.Error(diff)
	}
	w.ada.want(200, "PUT", topics, map[string]any{"names": []string{"agents", "go"}})
	if !slices.Equal(w.changes(before), []string{"repository.edited"}) {
		t.Errorf("changes are %v", w.changes(before))
	}
	w.ada.want(200, "GET", "/repos/acme/app", nil).is("topics.1", "go")
	w.ada.want(200, "GET", topics+"?per_page=1&page=2", nil).is("names.0", "go")
	for _, bad := range []any{[]string{"-a"}, []string{"ä"}, []string{strings.Repeat("a", 51)}, []string{""}, strings.Split(strings.Repeat("a ", 3)+"b c d e f g h i j k l m n o p q r s t u v", " "), nil} {
		w.ada.want(422, "PUT", topics, map[string]any{"names": bad})
	}
	w.user("bob", "maintain").want(200, "PUT", topics, map[string]any{"names": []string{}})
	w.user("eve", "write").want(403, "PUT", topics, map[string]any{"names": []string{}})
}
