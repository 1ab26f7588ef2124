package forge_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWhatACommitChanged makes one of every kind of change with the real git.
func TestWhatACommitChanged(t *testing.T) {
	w := newWorld(t)
	dir := t.TempDir()
	mustGit(t, dir, "clone", "-q", w.remote(w.ada.token, "acme/app"), ".")
	write := func(name, text string) {
		t.Helper()
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	commit := func(message string) string {
		t.Helper()
		mustGit(t, dir, "add", "-A")
		mustGit(t, dir, "commit", "-q", "-m", message)
		return mustGit(t, dir, "rev-parse", "HEAD")
	}
	const odd = `a "q" ` + "é\t\n.txt"
	write(odd, "1\n2\n3\n4\n5\n6\n7\n8\n")
	write("bin", "x\x00y")
	write("gone", "diff --git a/x b/x\n")
	write("link", "target\n")
	write("plain", "one\ntwo\n")
	before := commit("before")
	mustGit(t, dir, "mv", odd, "moved")
	write("moved", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
	write("bin", "x\x00z")
	write("plain", "one\ndiff --git a/y b/y\n")
	must(t, os.Remove(filepath.Join(dir, "gone")))
	must(t, os.Remove(filepath.Join(dir, "link")))
	must(t, os.Symlink("plain", filepath.Join(dir, "link")))
	write("empty", "")
	sha := commit("after")
	mustGit(t, dir, "push", "-q")

	r := w.ada.want(200, "GET", "/repos/acme/app/commits/main", nil)
	r.is("sha", sha)
	r.is("stats.total", 6.0)
	r.is("commit.message", "after")
	var got []string
	for _, f := range r.at("files").([]any) {
		got = append(got, fmt.Sprintf("%s %s +%v -%v", dig(f, "status"), dig(f, "filename"), dig(f, "additions"), dig(f, "deletions")))
	}
	want := []string{"modified bin +0 -0", "added empty +0 -0", "removed gone +0 -1", "changed link +1 -1", "renamed moved +1 -0", "modified plain +1 -1"}
	slices.Sort(got)
	slices.Sort(want)
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
	for _, f := range r.at("files").([]any) {
		switch dig(f, "filename") {
		case "moved":
			if dig(f, "previous_filename") != odd || dig(f, "patch") != "@@ -6,3 +6,4 @@\n 6\n 7\n 8\n+9" {
				t.Errorf("moved: %v", f)
			}
		case "gone":
			if !strings.Contains(dig(f, "contents_url").(string), "ref="+before) || dig(f, "sha") != mustGit(t, dir, "rev-parse", before+":gone") {
				t.Errorf("gone: %v", f)
			}
			w.ada.want(200, "GET", dig(f, "raw_url").(string), nil)
		case "plain":
			if dig(f, "patch") != "@@ -1,2 +1,2 @@\n one\n-two\n+diff --git a/y b/y" {
				t.Errorf("plain: %v", f)
			}
		}
	}
	page := w.ada.want(200, "GET", "/repos/acme/app/commits/main?per_page=2&page=2", nil)
	if n := len(page.at("files").([]any)); n != 2 || page.at("stats.total") != 6.0 || page.links()["next"] == "" {
		t.Errorf("page 2 has %d files, Link: %s", n, page.header.Get("Link"))
	}
	form := func(rev, media string) string {
		t.Helper()
		return string(w.ada.want(200, "GET", "/repos/acme/app/commits/"+rev, nil, "Accept", "application/vnd.github."+media).body)
	}
	if got := form("main", "diff"); got != mustGit(t, dir, "diff", "-M", "HEAD~1", "HEAD")+"\n" {
		t.Errorf("diff:\n%s", got)
	}
	if got := form(before, "v3.patch"); !strings.HasPrefix(got, "From "+before) || !strings.Contains(got, "Subject: [PATCH] before") {
		t.Errorf("patch:\n%s", got)
	}
	if got := form("main", "v3.sha"); got != sha {
		t.Errorf("sha = %q", got)
	}
	root := mustGit(t, dir, "rev-list", "--max-parents=0", "HEAD")
	w.ada.want(200, "GET", "/repos/acme/app/commits/"+root, nil).is("files.0.status", "added")
	mustGit(t, dir, "checkout", "-q", "-b", "side", "HEAD~1")
	write("side", "x")
	commit("side")
	mustGit(t, dir, "merge", "-q", "--no-edit", sha)
	mustGit(t, dir, "push", "-q", "origin", "side")
	merge := w.ada.want(200, "GET", "/repos/acme/app/commits/side", nil)
	if n := len(merge.at("parents").([]any)); n != 2 || len(merge.at("files").([]any)) != 6 { // against the first parent
		t.Errorf("merge: %s", merge.body)
	}
}

func TestFiltersOfCommits(t *testing.T) {
	w := newWorld(t)
	dir := t.TempDir()
	mustGit(t, dir, "clone", "-q", w.remote(w.ada.token, "acme/app"), ".")
	id := int(w.ada.want(200, "GET", "/user", nil).at("id").(float64))
	for _, c := range []struct{ date, author, file string }{
		{"2020-01-01T00:00:00Z", fmt.Sprintf("Ada <%d+ada@users.noreply.github.com>", id), "a"},
		{"2021-01-01T00:00:00Z", "Bob <bob@example.test>", "d/b"},
		{"2022-01-01T00:00:00Z", "Bob <bob@example.test>", "a"},
	} {
		must(t, os.MkdirAll(filepath.Join(dir, "d"), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, c.file), []byte(c.date), 0o600))
		mustGit(t, dir, "add", ".")
		mustGit(t, dir, "-c", "user.name=Cyd", "commit", "-q", "-m", c.date[:4], "--author", c.author)
		env := "GIT_COMMITTER_DATE=" + c.date
		mustGit(t, dir, "-c", "alias.again=!"+env+" git commit -q --amend --no-edit --date "+c.date, "again")
	}
	mustGit(t, dir, "push", "-q")
	for query, want := range map[string][]string{
		"?author=bob@example.test":               {"2022", "2021"},
		"?author=ada&until=2020-06-01T00:00:00Z": {"2020"},
		"?committer=ada@example.test":            {"2022", "2021", "2020"},
		"?path=a":                                {"2022", "2020"},
		"?path=d":                                {"2021"},
		"?path=nothing":                          nil,
		"?since=2021-01-01T00:00:00Z&until=2021-12-31T00:00:00Z": {"2021"},
		"?sha=main&per_page=1&page=2":                            {"2021"},
	} {
		if got := w.ada.want(200, "GET", "/repos/acme/app/commits"+query, nil).names("", "commit.message"); !slices.Equal(got, want) {
			t.Errorf("%s lists %q, want %q", query, got, want)
		}
	}
	w.ada.want(404, "GET", "/repos/acme/app/commits?sha=nowhere", nil)
	w.ada.want(422, "GET", "/repos/acme/app/commits?until=soon", nil)
}

func TestTagsAndBranches(t *testing.T) {
	w := newWorld(t)
	head := w.ada.want(200, "GET", "/repos/acme/app/commits/main", nil).at("sha").(string)
	made := w.ada.want(201, "POST", "/repos/acme/app/git/tags", map[string]any{"tag": "v1", "message": "one", "object": head, "type": "commit",
		"tagger": map[string]any{"name": "Ada", "email": "a@b", "date": "2020-01-02T03:04:05Z"}})
	made.is("tag", "v1")
	made.is("tagger.date", "2020-01-02T03:04:05Z")
	made.is("object.sha", head)
	if all, _ := w.ada.want(200, "GET", "/repos/acme/app/tags", nil).listed(); len(all) > 0 {
		t.Errorf("tags before there is a ref: %s", all)
	}
	w.ada.want(201, "POST", "/repos/acme/app/git/refs", map[string]any{"ref": "refs/tags/v1", "sha": made.at("sha")})
	w.ada.want(201, "POST", "/repos/acme/app/git/refs", map[string]any{"ref": "refs/tags/v2", "sha": head})
	tags := w.ada.want(200, "GET", "/repos/acme/app/tags", nil)
	if got := tags.names("", "name"); !slices.Equal(got, []string{"v2", "v1"}) {
		t.Errorf("tags = %v", got)
	}
	tags.is("1.commit.sha", head) // of an annotated one, too
	for _, bad := range []map[string]any{
		{"tag": "v1", "message": "m", "object": head},
		{"tag": "a..b", "message": "m", "object": head, "type": "commit"},
		{"tag": "v1", "message": "m", "object": head, "type": "tree"},
		{"tag": "v1", "message": "m", "object": head, "type": "thing"},
	} {
		w.ada.want(422, "POST", "/repos/acme/app/git/tags", bad)
	}
	dir := t.TempDir()
	mustGit(t, dir, "clone", "-q", w.remote("", "acme/app"), ".")
	if got := mustGit(t, dir, "cat-file", "-p", "v1"); !strings.Contains(got, "tagger Ada <a@b> 1577934245 +0000") {
		t.Errorf("v1 = %s", got)
	}
	mustGit(t, dir, "fsck", "--strict")
	b := w.ada.want(200, "GET", "/repos/acme/app/branches/main", nil)
	b.is("protected", false)
	b.is("protection.required_status_checks.enforcement_level", "off")
	b.is("_links.self", w.forge.URL()+"/api/v3/repos/acme/app/branches/main")
	if all, _ := w.ada.want(200, "GET", "/repos/acme/app/branches?protected=true", nil).listed(); len(all) > 0 {
		t.Errorf("protected: %s", all)
	}
	root := w.ada.want(200, "GET", contents, nil, "Accept", "application/vnd.github.object+json")
	root.is("type", "dir")
	root.is("entries.0.name", "README.md")
}
