package forge_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func encode(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

const contents = "/repos/acme/app/contents/"

func TestContents(t *testing.T) {
	w := newWorld(t)
	r := w.ada.want(201, "PUT", contents+"docs/a%20b.md", map[string]any{"message": "add", "content": encode("hello")})
	r.is("content.path", "docs/a b.md")
	r.is("commit.message", "add")
	r.is("commit.author.name", "ada")
	sha := r.at("content.sha")
	e := w.lastEntry("push")
	if e.Detail["sha"] != r.at("commit.sha") || payload(t, e, "commits.0.added.0") != "docs/a b.md" {
		t.Errorf("push entry = %+v", e.Detail)
	}

	file := w.ada.want(200, "GET", contents+"docs/a%20b.md", nil)
	file.is("type", "file")
	file.is("encoding", "base64")
	file.is("sha", sha)
	file.is("size", 5.0)
	if got := strings.TrimSpace(file.at("content").(string)); got != encode("hello") {
		t.Errorf("content = %q", got)
	}
	raw := w.ada.want(200, "GET", contents+"docs/a%20b.md?ref=main", nil, "Accept", "application/vnd.github.raw+json")
	if string(raw.body) != "hello" {
		t.Errorf("raw = %q", raw.body)
	}
	for _, dir := range []string{contents, strings.TrimSuffix(contents, "/")} {
		if got := w.ada.want(200, "GET", dir, nil).names("", "name"); !cmp.Equal(got, []string{"README.md", "docs"}) {
			t.Errorf("%s lists %v", dir, got)
		}
	}
	w.ada.want(200, "GET", contents+"docs", nil).is("0.path", "docs/a b.md")
	w.ada.want(404, "GET", contents+"nothing", nil)
	w.ada.want(404, "GET", contents+"README.md?ref=nowhere", nil).is("message", "No commit found for the ref nowhere")
	download := file.at("download_url").(string)
	if got := (actor{w, ""}).want(200, "GET", download, nil); string(got.body) != "hello" {
		t.Errorf("download = %q", got.body)
	}
}

func TestContentsNeedTheRightHash(t *testing.T) {
	w := newWorld(t)
	put := func(want int, in map[string]any) reply {
		t.Helper()
		in["message"] = "m"
		return w.ada.want(want, "PUT", contents+"f", in)
	}
	sha := put(201, map[string]any{"content": encode("1")}).at("content.sha").(string)
	put(422, map[string]any{"content": encode("2")}).is("message", "Invalid request.\n\n\"sha\" wasn't supplied.")
	stale := strings.Repeat("a", 40)
	put(409, map[string]any{"content": encode("2"), "sha": stale}).is("message", "f does not match "+stale)
	put(422, map[string]any{"content": "no base64!"}).is("message", "content is not valid Base64")
	put(404, map[string]any{"content": encode("2"), "branch": "nope"}).is("message", "Branch nope not found")
	next := put(200, map[string]any{"content": encode("2"), "sha": sha}).at("content.sha").(string)
	w.ada.want(422, "PUT", contents+"f", map[string]any{"content": encode("2")}).is("message", "Invalid request.\n\n\"message\" wasn't supplied.")
	w.ada.want(422, "PUT", contents+"a/.git/config", map[string]any{"message": "m", "content": ""})
	w.ada.want(422, "PUT", contents+"%2e%2e/x", map[string]any{"message": "m", "content": ""})

	w.ada.want(422, "DELETE", contents+"f", map[string]any{"message": "m"})
	w.ada.want(409, "DELETE", contents+"f", map[string]any{"message": "m", "sha": sha})
	w.ada.want(404, "DELETE", contents+"g", map[string]any{"message": "m", "sha": sha})
	w.ada.want(200, "DELETE", contents+"f", map[string]any{"message": "m", "sha": next}).is("content", nil)
	w.ada.want(404, "GET", contents+"f", nil)
	if got := payload(t, w.lastEntry("push"), "commits.0.removed.0"); got != "f" {
		t.Errorf("removed = %v", got)
	}
}

func TestFirstCommitThroughContents(t *testing.T) {
	w := newForge(t)
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app"})
	w.ada.want(201, "PUT", contents+"f", map[string]any{"message": "m", "content": ""})
	dir := t.TempDir()
	mustGit(t, dir, "clone", "-q", w.remote("", "acme/app"), ".")
	if got := mustGit(t, dir, "log", "--format=%s %an", "main"); got != "m ada" {
		t.Errorf("log = %q", got)
	}
	mustGit(t, dir, "fsck", "--strict")
}

func TestTreesAndCommits(t *testing.T) {
	w := newWorld(t)
	const git = "/repos/acme/app/git"
	head := w.ada.want(200, "GET", git+"/ref/heads/main", nil).at("object.sha").(string)
	base := w.ada.want(200, "GET", git+"/commits/"+head, nil).at("tree.sha").(string)
	blob := w.ada.want(201, "POST", git+"/blobs", map[string]any{"content": encode("#!/bin/sh\n"), "encoding": "base64"}).at("sha")
	tree := w.ada.want(201, "POST", git+"/trees", map[string]any{"base_tree": base, "tree": []map[string]any{
		{"path": "bin/run", "mode": "100755", "type": "blob", "sha": blob},
		{"path": "a.txt", "mode": "100644", "type": "blob", "content": "text"},
		{"path": "README.md", "mode": "100644", "type": "blob", "sha": nil},
	}}).at("sha").(string)
	commit := w.ada.want(201, "POST", git+"/commits", map[string]any{"message": "three changes", "tree": tree, "parents": []string{head}}).at("sha").(string)
	w.ada.want(200, "PATCH", git+"/refs/heads/main", map[string]any{"sha": commit}).is("object.sha", commit)

	deep := w.ada.want(200, "GET", git+"/trees/main?recursive=1", nil)
	if got := deep.names("tree", "path"); !cmp.Equal(got, []string{"a.txt", "bin", "bin/run"}) {
		t.Errorf("tree = %v", got)
	}
	deep.is("tree.2.mode", "100755")
	if got := w.ada.want(200, "GET", git+"/trees/"+tree, nil).names("tree", "path"); !cmp.Equal(got, []string{"a.txt", "bin"}) {
		t.Errorf("flat tree = %v", got)
	}
	one := w.ada.want(200, "GET", "/repos/acme/app/commits/"+commit[:10], nil)
	one.is("sha", commit)
	one.is("author.login", "ada")
	if got := one.names("files", "status"); !cmp.Equal(got, []string{"removed", "added", "added"}) {
		t.Errorf("files = %v in %s", got, one.body)
	}
	if got := w.ada.want(200, "GET", "/repos/acme/app/commits?path=a.txt", nil).names("", "sha"); !cmp.Equal(got, []string{commit}) {
		t.Errorf("commits of a.txt = %v", got)
	}
	dir := t.TempDir()
	mustGit(t, dir, "clone", "-q", w.remote("", "acme/app"), ".")
	mustGit(t, dir, "fsck", "--strict")
	if got := mustGit(t, dir, "ls-files", "-s", "--", "bin"); !strings.HasPrefix(got, "100755") {
		t.Errorf("ls-files = %q", got)
	}

	w.ada.want(422, "POST", git+"/trees", map[string]any{"tree": []map[string]any{{"path": "a//b", "mode": "100644", "content": ""}}})
	w.ada.want(422, "POST", git+"/trees", map[string]any{"tree": []map[string]any{{"path": "a", "mode": "100600", "content": ""}}})
	w.ada.want(422, "POST", git+"/trees", map[string]any{"base_tree": base, "tree": []map[string]any{{"path": "absent", "mode": "100644", "sha": nil}}})
	w.ada.want(422, "POST", git+"/commits", map[string]any{"message": "m", "tree": head})
	got := w.ada.want(200, "GET", git+"/blobs/"+blob.(string), nil)
	got.is("size", 10.0)
}

func TestRefs(t *testing.T) {
	w := newWorld(t)
	const git = "/repos/acme/app/git"
	first := w.ada.want(200, "GET", git+"/ref/heads/main", nil).at("object.sha").(string)
	w.ada.want(201, "PUT", contents+"f", map[string]any{"message": "m", "content": ""})
	second := w.ada.want(200, "GET", "/repos/acme/app/branches/main", nil).at("commit.sha").(string)
	w.ada.want(201, "POST", git+"/refs", map[string]any{"ref": "refs/heads/feat/one", "sha": first}).is("ref", "refs/heads/feat/one")
	if got := payload(t, w.lastEntry("create"), "ref"); got != "feat/one" {
		t.Errorf("create ref = %v", got)
	}
	w.ada.want(422, "POST", git+"/refs", map[string]any{"ref": "refs/heads/feat/one", "sha": first}).is("message", "Reference already exists")
	w.ada.want(422, "POST", git+"/refs", map[string]any{"ref": "refs/heads/x", "sha": strings.Repeat("1", 40)}).is("message", "Object does not exist")
	w.ada.want(422, "POST", git+"/refs", map[string]any{"ref": "refs/heads/../x", "sha": first})
	w.ada.want(422, "POST", git+"/refs", map[string]any{"ref": "main", "sha": first})
	w.ada.want(422, "POST", git+"/refs", map[string]any{"ref": "refs/heads/feat", "sha": first})
	w.ada.want(422, "POST", git+"/refs", map[string]any{"ref": "refs/heads/feat/one/two", "sha": first})
	w.ada.want(422, "PATCH", git+"/refs/heads/nope", map[string]any{"sha": first}).is("message", "Reference does not exist")
	w.ada.want(200, "PATCH", git+"/refs/heads/feat/one", map[string]any{"sha": second})
	w.ada.want(422, "PATCH", git+"/refs/heads/feat/one", map[string]any{"sha": first}).is("message", "Update is not a fast forward")
	w.ada.want(200, "PATCH", git+"/refs/heads/feat/one", map[string]any{"sha": first, "force": true}).is("object.sha", first)
	if got := w.ada.want(200, "GET", git+"/matching-refs/heads/feat", nil).names("", "ref"); !cmp.Equal(got, []string{"refs/heads/feat/one"}) {
		t.Errorf("matching refs = %v", got)
	}
	w.ada.want(204, "DELETE", git+"/refs/heads/feat/one", nil)
	w.ada.want(422, "DELETE", git+"/refs/heads/feat/one", nil).is("message", "Reference does not exist")
	w.ada.want(422, "DELETE", git+"/refs/heads/main", nil)
	w.ada.want(404, "GET", git+"/ref/heads/feat/one", nil)
	w.ada.want(201, "POST", git+"/refs", map[string]any{"ref": "refs/heads/feat", "sha": first})
	w.ada.want(204, "DELETE", git+"/refs/heads/feat", nil)
	if got := mustGit(t, t.TempDir(), "ls-remote", "--heads", w.remote("", "acme/app")); !strings.HasPrefix(got, second) || strings.Contains(got, "feat") {
		t.Errorf("ls-remote = %q", got)
	}
}

func TestRawOfPrivateRepositoryIsHidden(t *testing.T) {
	w := newForge(t)
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "private": true, "auto_init": true})
	actor{w, ""}.want(http.StatusNotFound, "GET", "/raw/acme/app/main/README.md", nil)
	if got := w.ada.want(200, "GET", "/raw/acme/app/main/README.md", nil); string(got.body) != "# app\n" {
		t.Errorf("raw = %q", got.body)
	}
}
