package forge_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompare(t *testing.T) {
	w := newWorld(t)
	const compare = "/repos/acme/app/compare/"
	w.branch("dev")
	w.branch("x/y")
	root := w.head("acme/app", "main")
	same := w.ada.want(200, "GET", compare+"main...dev", nil)
	same.is("status", "identical")
	if len(same.names("commits", "sha"))+len(same.names("files", "sha")) > 0 || !strings.Contains(string(same.body), `"files":[]`) {
		t.Errorf("identical: %s", same.body)
	}
	w.write("dev", "a", "1\n")
	w.write("dev", "b", "1\n")
	r := w.ada.want(200, "GET", compare+"main...dev", nil)
	for path, want := range map[string]any{"status": "ahead", "ahead_by": 2.0, "behind_by": 0.0, "total_commits": 2.0,
		"merge_base_commit.sha": root, "base_commit.sha": root, "commits.1.sha": w.head("acme/app", "dev")} {
		r.is(path, want)
	}
	if diff := cmp.Diff([]string{"a", "b"}, r.names("files", "filename")); diff != "" {
		t.Error(diff)
	}
	w.ada.want(200, "GET", compare+"dev...main", nil).is("status", "behind")
	w.write("x/y", "c", "1\n")
	r = w.ada.want(200, "GET", compare+"x/y..."+w.head("acme/app", "dev"), nil)
	r.is("status", "diverged")
	if diff := cmp.Diff([]string{"a", "b"}, r.names("files", "filename")); diff != "" {
		t.Error("of both sides: ", diff)
	}
	page := w.ada.want(200, "GET", compare+"main...dev?per_page=1&page=2", nil)
	page.is("commits.0.sha", w.head("acme/app", "dev"))
	page.is("total_commits", 2.0)
	if got := page.names("files", "filename"); got != nil {
		t.Errorf("files on the second page: %v", got)
	}
	if text := string(w.ada.want(200, "GET", compare+"main...dev", nil, "Accept", "application/vnd.github.diff").body); !strings.HasPrefix(text, "diff --git a/a b/a") {
		t.Errorf("diff: %s", text)
	}
	for _, bad := range []string{"main..dev", "main", "...dev", "main...none", "main...eve:main", "none...main"} {
		w.ada.want(404, "GET", compare+bad, nil)
	}
}

func TestCompareAcrossForks(t *testing.T) {
	w := newWorld(t)
	bob := w.user("bob", "")
	bob.want(202, "POST", forks, nil)
	bob.want(201, "PUT", "/repos/bob/app/contents/a", map[string]any{"message": "m", "content": encode("1")})
	for _, path := range []string{"/repos/acme/app/compare/main...bob:main", "/repos/acme/app/compare/acme:main...bob:app:main", "/repos/bob/app/compare/acme:main...main"} {
		r := bob.want(200, "GET", path, nil)
		r.is("status", "ahead")
		r.is("files.0.filename", "a")
	}
	w.ada.want(200, "GET", "/repos/bob/app/compare/main...acme:main", nil).is("status", "behind")
}
