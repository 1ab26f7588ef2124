package dummy_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/agent/dummy"
)

// run runs git as a person would who has no configuration.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b.test", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b.test",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func commit(t *testing.T, dir, file, text string) string {
	t.Helper()
	write(t, filepath.Join(dir, file), text)
	run(t, dir, "add", "-A")
	run(t, dir, "commit", "-q", "-m", "add "+file)
	return run(t, dir, "rev-parse", "HEAD")
}

// cloned makes a remote with the branches main and topic, and a shallow clone of main.
func cloned(t *testing.T) (clone, remote, main, topic string) {
	t.Helper()
	dir := t.TempDir()
	work, remote, clone := filepath.Join(dir, "work"), filepath.Join(dir, "remote.git"), filepath.Join(dir, "clone")
	run(t, dir, "init", "-q", "-b", "main", work)
	commit(t, work, "README.md", "one")
	run(t, work, "checkout", "-q", "-b", "agent/topic")
	topic = commit(t, work, "topic.txt", "topic")
	run(t, work, "checkout", "-q", "main")
	main = commit(t, work, "more.txt", "two")
	run(t, dir, "clone", "-q", "--bare", work, remote)
	run(t, dir, "clone", "-q", "--depth", "1", "file://"+remote, clone)
	return clone, remote, main, topic
}

func options(t *testing.T, repo string) dummy.Options {
	t.Helper()
	return dummy.Options{Workspace: t.TempDir(), Repo: repo, Env: []string{"PATH=" + os.Getenv("PATH")}}
}

func checkout(t *testing.T, o dummy.Options, branch string) string {
	t.Helper()
	return one(t, o, dummy.Op{Op: "checkout_branch", Args: branch})
}

func TestCheckoutNewBranch(t *testing.T) {
	clone, remote, main, _ := cloned(t)
	write(t, filepath.Join(clone, "untracked"), "x")
	write(t, filepath.Join(clone, "staged"), "x")
	run(t, clone, "add", "staged")
	for _, hook := range []string{"pre-commit", "post-checkout"} {
		write(t, filepath.Join(clone, ".git/hooks", hook), "#!/bin/sh\nexit 1\n")
		if err := os.Chmod(filepath.Join(clone, ".git/hooks", hook), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// The caller's configuration would break each command.
	t.Setenv("GIT_CONFIG_COUNT", "x")
	t.Setenv("GIT_DIR", "/nowhere")
	if got := checkout(t, options(t, clone), "agent/7-new.x"); got != "" {
		t.Fatal(got)
	}
	os.Unsetenv("GIT_CONFIG_COUNT")
	os.Unsetenv("GIT_DIR")
	if got := run(t, clone, "rev-parse", "--abbrev-ref", "HEAD"); got != "agent/7-new.x" {
		t.Errorf("on branch %s", got)
	}
	if got := run(t, clone, "rev-parse", "HEAD~1"); got != main {
		t.Errorf("the branch begins at %s, want HEAD %s", got, main)
	}
	if got := run(t, clone, "show", "--format=", "--name-status", "HEAD"); got != "A\tbehaviour-marker.txt" {
		t.Errorf("the marker commit changes %q", got)
	}
	if got := run(t, clone, "status", "--porcelain"); got != "A  staged\n?? untracked" {
		t.Errorf("status %q", got)
	}
	if got := run(t, remote, "branch", "--format=%(refname:short)"); got != "agent/topic\nmain" {
		t.Errorf("the remote's branches %q: nothing may be pushed", got)
	}
}

func TestCheckoutBranchOfRemote(t *testing.T) {
	clone, _, _, topic := cloned(t)
	// A stale local branch of the name does not count.
	run(t, clone, "branch", "agent/topic")
	o := options(t, clone)
	if got := checkout(t, o, "agent/topic"); got != "" {
		t.Fatal(got)
	}
	if got := run(t, clone, "rev-parse", "HEAD~1"); got != topic {
		t.Errorf("the branch begins at %s, want the remote's %s", got, topic)
	}
	if _, err := os.Stat(filepath.Join(clone, "topic.txt")); err != nil {
		t.Error(err)
	}
	if got := run(t, clone, "rev-list", "--count", topic+"..HEAD"); got != "1" {
		t.Errorf("%s commits on the branch, want exactly one", got)
	}
	// Once more, on a remote that has the marker already: still exactly one commit.
	run(t, clone, "push", "-q", "origin", "HEAD:refs/heads/agent/topic")
	tip := run(t, clone, "rev-parse", "HEAD")
	if got := checkout(t, o, "agent/topic"); got != "" {
		t.Fatal(got)
	}
	if got := run(t, clone, "rev-parse", "HEAD~1"); got != tip {
		t.Errorf("the second marker follows %s, want %s", got, tip)
	}
}

// A branch may bring the marker along as a link to something else.
func TestMarkerIsNoLink(t *testing.T) {
	clone, _, _, _ := cloned(t)
	run(t, clone, "checkout", "-q", "-b", "crafty")
	if err := os.Symlink("README.md", filepath.Join(clone, dummy.MarkerFile)); err != nil {
		t.Fatal(err)
	}
	run(t, clone, "add", "-A")
	run(t, clone, "commit", "-q", "-m", "link")
	run(t, clone, "push", "-q", "origin", "crafty")
	run(t, clone, "checkout", "-q", "main")
	if got := checkout(t, options(t, clone), "crafty"); got != "" {
		t.Fatal(got)
	}
	if b, err := os.ReadFile(filepath.Join(clone, "README.md")); err != nil || string(b) != "one" {
		t.Errorf("README.md holds %q, %v", b, err)
	}
	if got := run(t, clone, "status", "--porcelain"); got != "" {
		t.Errorf("status %q", got)
	}
}

// A remote that cannot be asked is no remote without the branch.
func TestCheckoutFailsWhenRemoteCannotBeAsked(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + l.Addr().String() + "/a/b"
	l.Close()
	release := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/hang"):
			<-release
		case strings.HasPrefix(r.URL.Path, "/private"):
			w.Header().Set("WWW-Authenticate", "Basic")
			w.WriteHeader(http.StatusUnauthorized)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(func() { close(release); server.Close() })
	for name, remote := range map[string]string{
		"connection refused": closed,
		"not authorised":     server.URL + "/private/x",
		"no repository":      server.URL + "/none/x",
		"hangs":              server.URL + "/hang/x",
		"no directory":       "file:///no/such/repository",
		"no remote":          "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clone, _, main, _ := cloned(t)
			if remote == "" {
				run(t, clone, "remote", "remove", "origin")
			} else {
				run(t, clone, "remote", "set-url", "origin", remote)
			}
			o := options(t, clone)
			if name == "hangs" {
				o.GitTimeout = 300 * time.Millisecond
			}
			got := checkout(t, o, "agent/new")
			if !strings.HasPrefix(got, "whether origin has branch agent/new cannot be told: git ls-remote: ") {
				t.Errorf("error %q", got)
			}
			if name == "hangs" && !strings.Contains(got, "deadline") {
				t.Errorf("error %q does not tell the time-out", got)
			}
			state := []string{run(t, clone, "branch", "--format=%(refname:short)"), run(t, clone, "rev-parse", "HEAD")}
			if diff := cmp.Diff([]string{"main", main}, state); diff != "" {
				t.Errorf("the clone changed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCheckoutFailsHalfWay(t *testing.T) {
	clone, remote, main, _ := cloned(t)
	// The remote has the ref and not what it points to.
	write(t, filepath.Join(remote, "refs/heads/broken"), strings.Repeat("1", 40)+"\n")
	for _, tc := range []struct {
		branch, want string
		change       func(o *dummy.Options)
	}{
		{"broken", "whether origin has branch broken cannot be told|branch broken is on origin, but: git fetch", nil},
		{"agent", "git checkout: ", func(*dummy.Options) { run(t, clone, "branch", "agent/x") }},
		{"new", "there is no git on PATH", func(o *dummy.Options) { o.Env = []string{"PATH=/no/such/dir:relative"} }},
		{"new", "whether origin has branch new cannot be told: git ls-remote", func(o *dummy.Options) { o.Repo = t.TempDir() }},
	} {
		o := options(t, clone)
		if tc.change != nil {
			tc.change(&o)
		}
		got, ok := checkout(t, o, tc.branch), false
		for want := range strings.SplitSeq(tc.want, "|") {
			ok = ok || strings.Contains(got, want)
		}
		if !ok {
			t.Errorf("%s: error %q, want %q", tc.branch, got, tc.want)
		}
		if head := run(t, clone, "rev-parse", "HEAD"); head != main {
			t.Errorf("%s: HEAD moved", tc.branch)
		}
	}
}
