package gitstore_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
)

func newStore(t testing.TB) (*gitstore.Store, string) {
	t.Helper()
	dir := t.TempDir()
	s, err := gitstore.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Create(1, "main"); err != nil {
		t.Fatal(err)
	}
	return s, dir + "/repos/1.git"
}

func TestUpdateOfRemovedRepository(t *testing.T) {
	s, dir := newStore(t)
	if err := s.Remove(1); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("directory is still there: %v", err)
	}
	if err := s.Update(1, func(*gitstore.Repo) error { return nil }); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("Update = %v, want not found", err)
	}
}

func TestRefName(t *testing.T) {
	for name, want := range map[string]bool{
		"refs/heads/main": true, "refs/heads/feat/x-1": true, "refs/tags/v1.0": true,
		"main": false, "refs/main": false, "refs/heads/": false, "refs/heads/a..b": false, "refs/heads/../../x": false,
		"refs/heads/a b": false, "refs/heads/x.lock": false, "refs/heads/-x": false, "HEAD": false,
	} {
		if got := gitstore.RefName(name); got != want {
			t.Errorf("RefName(%q) = %v, want %v", name, got, want)
		}
	}
}

// FuzzPath says that a path which passes is one that the real git takes, and reads back the same.
func FuzzPath(f *testing.F) {
	for _, p := range []string{"a", "a/b.txt", "a//b", "../x", "a/.git/b", ".GIT", "a b", "ä", "-x", "a/./b", "/a", "a/", "a\nb", "\x00"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		if !gitstore.CleanPath(p) {
			return
		}
		s, dir := newStore(t)
		r := s.Open(1)
		blob, err := r.WriteBlob([]byte("x"))
		if err != nil {
			t.Fatal(err)
		}
		tree, err := r.WriteTree("", []gitstore.Edit{{Path: p, Mode: "100644", SHA: blob}})
		if err != nil {
			t.Fatal(err)
		}
		if e, err := r.Find(tree, p); err != nil || e.SHA != blob {
			t.Errorf("Find(%q) = %+v, %v", p, e, err)
		}
		out, err := exec.Command("git", "--git-dir", dir, "ls-tree", "-r", "-z", "--name-only", tree).CombinedOutput()
		if got := strings.TrimSuffix(string(out), "\x00"); err != nil || got != p {
			t.Errorf("git ls-tree = %q, %v, want %q", got, err, p)
		}
	})
}

func TestTreeIsCutOff(t *testing.T) {
	s, _ := newStore(t)
	g := s.Open(1)
	var edits []gitstore.Edit
	for _, p := range []string{"a", "b/c", "b/d", "e"} {
		sha, err := g.WriteBlob([]byte(p))
		if err != nil {
			t.Fatal(err)
		}
		edits = append(edits, gitstore.Edit{Path: p, Mode: "100644", SHA: sha})
	}
	tree, err := g.WriteTree("", edits)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		deep bool
		most int
		want string
		cut  bool
	}{{true, 5, "a b b/c b/d e", false}, {true, 4, "a b b/c b/d", true}, {false, 3, "a b e", false}, {false, 2, "a b", true}} {
		_, entries, cut, err := g.Tree(tree, c.deep, c.most)
		var got []string
		for _, e := range entries {
			got = append(got, e.Path)
		}
		if err != nil || strings.Join(got, " ") != c.want || cut != c.cut {
			t.Errorf("deep %v, at most %d: %q, cut %v, %v", c.deep, c.most, got, cut, err)
		}
	}
}
