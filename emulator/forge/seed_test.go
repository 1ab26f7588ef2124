package forge_test

import (
	"context"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// open starts a forge with ada, a member of acme, and eve, who is none.
func open(t *testing.T) *forge.Server {
	t.Helper()
	f, err := forge.New(forge.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	for _, login := range []string{"ada", "eve"} {
		if err := f.Admin().AddUser(forge.User{Login: login}); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Admin().AddOrg("acme", "ada"); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestSeedIsWhatGitClones clones a seeded repository with real git.
func TestSeedIsWhatGitClones(t *testing.T) {
	for _, repo := range []string{"ada/app", "acme/app"} {
		f := open(t)
		sha, err := f.Admin().Seed(repo, "ada", fstest.MapFS{
			"README.md":   {Data: []byte("# app\n")},
			"bin/run":     {Data: []byte("#!/bin/sh\n"), Mode: 0o755},
			"src/a/b.txt": {Data: []byte{0, 1, 2}},
		})
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "app")
		if out, err := exec.Command("git", "clone", "-q", f.URL()+"/"+repo+".git", dir).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		out, err := exec.Command("git", "-C", dir, "ls-tree", "-r", "--format=%(objectmode) %(path) %(objectsize)", sha).Output()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff("100644 README.md 6\n100755 bin/run 10\n100644 src/a/b.txt 3\n", string(out)); diff != "" {
			t.Error(diff)
		}
		var got []string
		for _, e := range f.Admin().Journal().Entries(0) {
			if e.Cause != "" {
				got = append(got, e.Type+" "+e.Subject+" by "+e.Actor+" because of "+e.Cause)
			}
		}
		want := []string{"repository.created", "create", "push"}
		for i, w := range want {
			want[i] = w + " " + repo + " by ada because of seed"
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestSeedRefuses(t *testing.T) {
	f := open(t)
	some := fstest.MapFS{"a": {}}
	if _, err := f.Admin().Seed("ada/there", "ada", some); err != nil {
		t.Fatal(err)
	}
	before := len(f.Admin().Journal().Entries(0))
	for _, tt := range []struct {
		repo, login string
		files       fs.FS
		want        string
	}{
		{"app", "ada", some, `seed app: the form is "owner/name"`},
		{"ada/app", "ada", fstest.MapFS{}, "seed ada/app: there are no files"},
		{"ada/app", "ada", fstest.MapFS{"l": {Mode: fs.ModeSymlink}}, "l is no regular file"},
		{"ada/app", "ada", fstest.MapFS{".git/config": {}}, ".git/config: git allows no such path"},
		{"ada/there", "ada", some, "name already exists"},
		{"ada/no such name", "ada", some, "name"},
		{"nobody/app", "nobody", some, "nobody"},
		{"acme/app", "eve", some, "admin access"},
		{"gone/app", "ada", some, "Not Found"},
	} {
		_, err := f.Admin().Seed(tt.repo, tt.login, tt.files)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("seed %s by %s: got %v, want it to contain %q", tt.repo, tt.login, err, tt.want)
		}
	}
	if after := len(f.Admin().Journal().Entries(0)); after != before {
		t.Errorf("%d entries were journalled", after-before)
	}
	if left := f.Admin().Ledger().Pending(); len(left) > 0 {
		t.Errorf("still pending: %q", left)
	}
}
