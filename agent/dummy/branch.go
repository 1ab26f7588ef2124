package dummy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// MarkerFile is what checkout_branch commits, at the root of the repository.
const MarkerFile = "behaviour-marker.txt"

// remote is the only one that checkout_branch looks at.
const remote = "origin"

var branchName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*$`)

// checkBranch allows what is one branch to git and cannot be mistaken for an option or a refspec.
func checkBranch(name string) error {
	bad := !branchName.MatchString(name) || len(name) > 200 || name == "HEAD" || strings.Contains(name, "..")
	for part := range strings.SplitSeq(name, "/") {
		bad = bad || strings.HasSuffix(part, ".lock") || strings.HasSuffix(part, ".")
	}
	if bad {
		return fmt.Errorf("args %q is not a branch name: letters, digits, and . _ - inside, parts joined by /", name)
	}
	return nil
}

// checkoutBranch puts the repository on the branch, with one commit of its own on it. The branch
// begins at the remote's, or, when the remote surely has none, at the current HEAD.
func (o Options) checkoutBranch(ctx context.Context, name string) error {
	if err := checkBranch(name); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, o.GitTimeout)
	defer cancel()
	g, err := o.newGit()
	if err != nil {
		return err
	}
	ref := "refs/heads/" + name
	base := "HEAD"
	_, err = g.run(ctx, "ls-remote", "--quiet", "--exit-code", remote, ref)
	exit, isExit := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		// Not into a remote-tracking ref: what is there already may not be overwritten.
		if _, err := g.run(ctx, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", remote, ref); err != nil {
			return fmt.Errorf("branch %s is on %s, but: %w", name, remote, err)
		}
		base = "FETCH_HEAD"
	case isExit && exit.ExitCode() == 2: // documented: no matching ref, the remote answered
	default:
		return fmt.Errorf("whether %s has branch %s cannot be told: %w", remote, name, err)
	}
	sha, err := g.run(ctx, "rev-parse", "--verify", "--quiet", base+"^{commit}")
	if err != nil {
		return fmt.Errorf("find %s: %w", base, err)
	}
	if _, err := g.run(ctx, "checkout", "--quiet", "--no-track", "-B", name, sha, "--"); err != nil {
		return err
	}
	return g.mark(ctx, name, sha)
}

// mark commits the marker file and nothing else, whatever lies in the index.
func (g git) mark(ctx context.Context, name, base string) error {
	root, err := os.OpenRoot(g.dir)
	if err != nil {
		return plain(err)
	}
	defer root.Close()
	// Never through a link that the branch may have brought along.
	if err := root.RemoveAll(MarkerFile); err != nil {
		return plain(err)
	}
	text := fmt.Sprintf("checkout_branch %s\nbase %s\n", name, base)
	if err := root.WriteFile(MarkerFile, []byte(text), 0o644); err != nil {
		return plain(err)
	}
	if _, err := g.run(ctx, "add", "--force", "--", MarkerFile); err != nil {
		return err
	}
	_, err = g.run(ctx, "commit", "--quiet", "--no-verify", "--no-gpg-sign", "-m", "chore: mark branch "+name, "--only", "--", MarkerFile)
	return err
}

// git runs git in one repository, with nothing of the machine's or the caller's configuration.
type git struct {
	program string
	dir     string
	env     []string
}

func (o Options) newGit() (git, error) {
	path, _ := lookUp(o.Env, "PATH")
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		program, err := exec.LookPath(filepath.Join(dir, "git"))
		if err != nil {
			continue
		}
		return git{program: program, dir: o.Repo, env: []string{
			"PATH=" + path, "LC_ALL=C", "TZ=UTC", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
			"GIT_CONFIG_COUNT=5",
			"GIT_CONFIG_KEY_0=core.hooksPath", "GIT_CONFIG_VALUE_0=" + os.DevNull,
			"GIT_CONFIG_KEY_1=credential.helper", "GIT_CONFIG_VALUE_1=",
			"GIT_CONFIG_KEY_2=gc.auto", "GIT_CONFIG_VALUE_2=0",
			"GIT_CONFIG_KEY_3=maintenance.auto", "GIT_CONFIG_VALUE_3=false",
			"GIT_CONFIG_KEY_4=core.fsmonitor", "GIT_CONFIG_VALUE_4=false",
			"GIT_TERMINAL_PROMPT=0", "GIT_SSH_COMMAND=ssh -o BatchMode=yes",
			"GIT_CEILING_DIRECTORIES=" + filepath.Dir(o.Repo),
			"GIT_AUTHOR_NAME=dummy agent", "GIT_AUTHOR_EMAIL=dummy@agent.invalid",
			"GIT_COMMITTER_NAME=dummy agent", "GIT_COMMITTER_EMAIL=dummy@agent.invalid",
		}}, nil
	}
	return git{}, errors.New("there is no git on PATH")
}

func (g git) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, g.program, args...)
	cmd.Dir, cmd.Env = g.dir, g.env
	var out bytes.Buffer
	complaint := &head{left: 2000}
	cmd.Stdout, cmd.Stderr = &out, complaint
	// SIGTERM lets git take its lock files away.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 2 * time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w (%w)", ctx.Err(), err)
		}
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(complaint.String()))
	}
	return strings.TrimSpace(out.String()), nil
}

// head keeps the beginning of what is written to it.
type head struct {
	bytes.Buffer
	left int
}

func (h *head) Write(p []byte) (int, error) {
	n := min(len(p), h.left)
	h.left -= n
	h.Buffer.Write(p[:n])
	return len(p), nil
}
