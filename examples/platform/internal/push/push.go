// Package push publishes the branch that an agent left checked out, if it may have one.
package push

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"example.com/crew/internal/defect"
)

// Namespace is what the names of agents' branches begin with.
const Namespace = "crew/"

// Options say what to push and as whom. The repository's remote "origin" is pushed to.
type Options struct {
	Checkout string
	Server   string // address of the forge, for which the token is
	Token    string
	Default  string // the branch that was checked out for the agent
	Path     string // PATH on which git is found
	Defect   defect.Name
}

// Rule says which branch may be pushed; its zero value allows all of the agents' namespace.
type Rule struct {
	Prefix string // what the branch's name begins with
	Only   string // the one branch, whatever its name
	Why    string // behind a refusal: what the prefix or the branch is
}

// Check says why the branch may not be pushed.
func (r Rule) Check(branch string) error {
	switch {
	case r.Only != "" && branch != r.Only:
		return Refused(fmt.Sprintf("Refusing to push branch %s: only %s may be pushed, %s", branch, r.Only, r.Why))
	case r.Only == "" && !strings.HasPrefix(branch, Namespace):
		return Refused(fmt.Sprintf("Refusing to push branch %s: the branches of agents begin with %s", branch, Namespace))
	case r.Only == "" && !strings.HasPrefix(branch, r.Prefix):
		return Refused(fmt.Sprintf("Refusing to push branch %s: it has to begin with %s, %s", branch, r.Prefix, r.Why))
	}
	return nil
}

// Refused says why a branch is not pushed, as people read it.
type Refused string

func (r Refused) Error() string { return string(r) }

// Push returns the branch that it pushed, or "" when the agent has left none: the checkout is no
// repository, or still on the default branch. It never overwrites what the forge has.
func Push(ctx context.Context, o Options, rule Rule) (string, error) {
	if _, err := os.Lstat(filepath.Join(o.Checkout, ".git")); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	branch, err := o.git(ctx, "symbolic-ref", "--quiet", "--short", "HEAD")
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		return "", nil // detached: no branch
	}
	if err != nil {
		return "", err
	}
	if branch == o.Default {
		return "", nil
	}
	if err := rule.Check(branch); err != nil && o.Defect != defect.PushesAnywhere {
		return "", err
	}
	spec := "HEAD:refs/heads/" + branch
	if o.Defect == defect.OthersOverwritten {
		spec = "+" + spec
	}
	_, err = o.git(ctx, "push", "--quiet", "--no-verify", "origin", spec)
	return branch, err
}

// git runs git with the token, which stands in no argument: those can be seen by others. The empty
// header takes away the one that the checkout has kept for the job's own token.
func (o Options) git(ctx context.Context, args ...string) (string, error) {
	header := "http." + strings.TrimSuffix(o.Server, "/") + "/.extraheader"
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = o.Checkout
	cmd.Env = []string{
		"PATH=" + o.Path, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_CONFIG_COUNT=3",
		"GIT_CONFIG_KEY_0=" + header, "GIT_CONFIG_VALUE_0=",
		"GIT_CONFIG_KEY_1=" + header, "GIT_CONFIG_VALUE_1=AUTHORIZATION: basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+o.Token)),
		"GIT_CONFIG_KEY_2=core.hooksPath", "GIT_CONFIG_VALUE_2=" + os.DevNull, // an agent may have left some
	}
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(complaint.String()))
	}
	return strings.TrimSpace(out.String()), nil
}
