package gitstore_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
)

// history is a repository of a store with a work tree beside it.
type history struct {
	t    *testing.T
	repo *gitstore.Repo
	dir  string
}

func newHistory(t *testing.T) history {
	t.Helper()
	dir := t.TempDir()
	s, err := gitstore.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Create(1, "main"); err != nil {
		t.Fatal(err)
	}
	h := history{t: t, repo: s.Open(1), dir: t.TempDir()}
	h.git("init", "-q", "-b", "main")
	h.git("remote", "add", "origin", filepath.Join(dir, "repos", "1.git"))
	return h
}

func (h history) git(args ...string) string {
	h.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = h.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + h.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@b.test",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@b.test"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		h.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit writes a file, commits and pushes, and returns the commit.
func (h history) commit(path, text string) string {
	h.t.Helper()
	if err := os.WriteFile(filepath.Join(h.dir, path), []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
	h.git("add", ".")
	h.git("commit", "-q", "-m", path)
	h.git("push", "-q", "-f", "origin", "HEAD")
	return h.git("rev-parse", "HEAD")
}

// TestRelate compares what is found near by with what git's own walk says, over lines, forks, merges, criss-cross
// merges and unrelated histories.
func TestRelate(t *testing.T) {
	h := newHistory(t)
	root := h.commit("a", "1\n")
	main := h.commit("a", "2\n")
	h.git("checkout", "-q", "-b", "side", root)
	one := h.commit("s", "1\n")
	two := h.commit("s", "2\n")
	h.git("merge", "-q", "-m", "merge", "main")
	h.git("push", "-q", "origin", "HEAD")
	merged := h.git("rev-parse", "HEAD")
	three := h.commit("s", "3\n")
	h.git("checkout", "-q", "-B", "other", main)
	h.git("merge", "-q", "-m", "cross", two)
	h.git("push", "-q", "origin", "HEAD")
	cross := h.git("rev-parse", "HEAD")
	h.git("checkout", "-q", "--orphan", "alone")
	alone := h.commit("b", "1\n")
	for name, x := range map[string]struct {
		base, head string
		want       gitstore.Relation
	}{
		"same":            {main, main, gitstore.Relation{Common: main, Linear: true}},
		"ahead":           {root, two, gitstore.Relation{Common: root, Ahead: []string{one, two}, Linear: true}},
		"behind":          {main, root, gitstore.Relation{Common: root, Behind: 1, Linear: true}},
		"both":            {main, two, gitstore.Relation{Common: root, Ahead: []string{one, two}, Behind: 1, Linear: true}},
		"over a merge":    {main, three, gitstore.Relation{Common: main, Ahead: []string{one, two, merged, three}}},
		"of a merge":      {merged, three, gitstore.Relation{Common: merged, Ahead: []string{three}, Linear: true}},
		"no common one":   {main, alone, gitstore.Relation{Ahead: []string{alone}, Behind: 2, Linear: true}},
		"merges in cross": {cross, merged, gitstore.Relation{Ahead: []string{merged}, Behind: 1}},
	} {
		got, err := h.repo.Relate(t.Context(), x.base, x.head)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if name == "merges in cross" { // two are as good as each other
			if !slices.Contains([]string{main, two}, got.Common) {
				t.Errorf("%s: common is %s", name, got.Common)
			}
			got.Common = ""
		}
		slices.Sort(got.Ahead)
		slices.Sort(x.want.Ahead)
		if d := cmp.Diff(x.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// TestPicked moves a commit onto another line, cleanly and with a conflict.
func TestPicked(t *testing.T) {
	h := newHistory(t)
	root := h.commit("a", "1\n2\n3\n4\n5\n6\n")
	main := h.commit("a", "one\n2\n3\n4\n5\n6\n")
	h.git("checkout", "-q", "-b", "side", root)
	clean := h.commit("a", "1\n2\n3\n4\n5\nsix\n")
	h.git("checkout", "-q", "-B", "other", root)
	conflict := h.commit("a", "uno\n2\n3\n4\n5\n6\n")
	tree, ok, err := h.repo.Picked(t.Context(), main, clean)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	e, err := h.repo.Find(tree, "a")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := h.repo.Blob(e.SHA, 100); string(text) != "one\n2\n3\n4\n5\nsix\n" || err != nil {
		t.Errorf("picked %q, %v", text, err)
	}
	if _, ok, err := h.repo.Picked(t.Context(), main, conflict); ok || err != nil {
		t.Errorf("with a conflict: %v, %v", ok, err)
	}
	if _, _, err := h.repo.Picked(t.Context(), main, root); err == nil {
		t.Error("a root was moved")
	}
}

func TestCount(t *testing.T) {
	h := newHistory(t)
	long := strings.Repeat("line\n", 30)
	from := h.commit("old name", long)
	h.git("mv", "old name", "new\tname")
	if err := os.WriteFile(filepath.Join(h.dir, "bin"), []byte("\x00\x01"), 0o600); err != nil {
		t.Fatal(err)
	}
	to := h.commit("more", "1\n2\n")
	got, err := h.repo.Count(t.Context(), from, to)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]gitstore.Counted{{Path: "bin"}, {Path: "more", Additions: 2}, {Path: "new\tname"}}, got); d != "" {
		t.Errorf("count (-want +got):\n%s", d)
	}
}
