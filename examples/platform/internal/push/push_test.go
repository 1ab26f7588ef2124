package push_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/crew/internal/defect"
	"example.com/crew/internal/push"
)

func git(t *testing.T, dir string, args ...string) string {
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

// checkout is a clone of a new remote, on the branch, one commit ahead.
func checkout(t *testing.T, branch string) (o push.Options, remote string) {
	t.Helper()
	dir := t.TempDir()
	remote = filepath.Join(dir, "remote.git")
	work := filepath.Join(dir, "work")
	git(t, dir, "init", "-q", "-b", "main", work)
	git(t, work, "commit", "-q", "--allow-empty", "-m", "one")
	git(t, dir, "clone", "-q", "--bare", work, remote)
	git(t, work, "remote", "add", "origin", remote)
	if branch != "main" {
		git(t, work, "checkout", "-q", "-b", branch)
	}
	git(t, work, "commit", "-q", "--allow-empty", "-m", "two")
	return push.Options{Checkout: work, Server: "http://127.0.0.1:1", Token: "t", Default: "main", Path: os.Getenv("PATH")}, remote
}

func TestPush(t *testing.T) {
	for _, tc := range []struct {
		branch string
		rule   push.Rule
		defect defect.Name
		pushed string
		err    string
	}{
		{"main", push.Rule{}, "", "", ""},
		{"crew/1-fix", push.Rule{}, "", "crew/1-fix", ""},
		{"release", push.Rule{}, "", "", "Refusing to push branch release: the branches of agents begin with crew/"},
		{"crews", push.Rule{}, "", "", "Refusing to push branch crews"},
		{"release", push.Rule{}, defect.PushesAnywhere, "release", ""},
		{"crew/1-fix", push.Rule{Prefix: "crew/1-"}, "", "crew/1-fix", ""},
		{"crew/10-fix", push.Rule{Prefix: "crew/1-", Why: "for issue 1"}, "", "", "Refusing to push branch crew/10-fix: it has to begin with crew/1-, for issue 1"},
		{"topic", push.Rule{Only: "topic"}, "", "topic", ""},
		{"crew/1-fix", push.Rule{Only: "topic", Why: "the head of 7"}, "", "", "Refusing to push branch crew/1-fix: only topic may be pushed, the head of 7"},
	} {
		t.Run(tc.branch+" "+tc.rule.Prefix+tc.rule.Only+" "+string(tc.defect), func(t *testing.T) {
			o, remote := checkout(t, tc.branch)
			o.Defect = tc.defect
			got, err := push.Push(t.Context(), o, tc.rule)
			if got != tc.pushed || (tc.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Fatalf("pushed %q, %v; want %q, %q", got, err, tc.pushed, tc.err)
			}
			want := []string{"main"}
			if tc.pushed != "" {
				want = append(want, tc.pushed)
			}
			slices.Sort(want)
			if have := git(t, remote, "branch", "--format=%(refname:short)"); have != strings.Join(want, "\n") {
				t.Errorf("branches %q, want %q", have, want)
			}
		})
	}
}

func TestPushOverwritesNothing(t *testing.T) {
	o, remote := checkout(t, "crew/1-fix")
	other := filepath.Join(t.TempDir(), "other")
	git(t, ".", "clone", "-q", remote, other)
	git(t, other, "commit", "-q", "--allow-empty", "-m", "other")
	git(t, other, "push", "-q", "origin", "HEAD:refs/heads/crew/1-fix")
	tip := git(t, remote, "rev-parse", "crew/1-fix")
	_, err := push.Push(t.Context(), o, push.Rule{})
	if refused, ok := errors.AsType[push.Refused](err); err == nil || ok {
		t.Errorf("got %v (%s), want git's refusal", err, refused)
	}
	if now := git(t, remote, "rev-parse", "crew/1-fix"); now != tip {
		t.Error("the branch was overwritten")
	}
}

func TestNothingToPush(t *testing.T) {
	if got, err := push.Push(t.Context(), push.Options{Checkout: t.TempDir()}, push.Rule{}); got != "" || err != nil {
		t.Errorf("no repository: pushed %q, %v", got, err)
	}
	o, _ := checkout(t, "crew/x")
	git(t, o.Checkout, "checkout", "-q", "--detach")
	if got, err := push.Push(t.Context(), o, push.Rule{}); got != "" || err != nil {
		t.Errorf("detached: pushed %q, %v", got, err)
	}
}
