package playlist

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// publish commits the files on the branch, which begins where the remote's is, else at the HEAD of the
// checkout.
func (r Recorded) publish(ctx context.Context, checkout string, now map[string]string) error {
	branch, err := fill(r.Branch, now)
	if err != nil {
		return err
	}
	git := func(args ...string) error {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = checkout
		cmd.Env = append(direct(os.Environ()), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull,
			"GIT_AUTHOR_NAME=crew playback", "GIT_AUTHOR_EMAIL=playback@crew.invalid",
			"GIT_COMMITTER_NAME=crew playback", "GIT_COMMITTER_EMAIL=playback@crew.invalid")
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(string(out)))
		}
		return nil
	}
	if err := git("check-ref-format", "--branch", branch); err != nil {
		return err
	}
	ref, base := "refs/heads/"+branch, "HEAD"
	err = git("ls-remote", "--quiet", "--exit-code", "origin", ref)
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		if err := git("fetch", "--quiet", "--no-tags", "origin", ref); err != nil {
			return err
		}
		base = "FETCH_HEAD"
	case !ended || exit.ExitCode() != 2: // 2 is that the remote has no such branch
		return err
	}
	if err := git("checkout", "--quiet", "--no-track", "-B", branch, base, "--"); err != nil {
		return err
	}
	if len(r.Files) == 0 {
		return nil
	}
	names, err := r.write(checkout, now)
	if err != nil {
		return err
	}
	if err := git(append([]string{"add", "--force", "--"}, names...)...); err != nil {
		return err
	}
	return git(append([]string{"commit", "--quiet", "--no-verify", "--no-gpg-sign", "--allow-empty", "-m", "Replay a recorded result", "--"}, names...)...)
}

// direct leaves out the agent's proxy: the remote is crew's own, not what the agent wants to reach.
func direct(env []string) []string {
	return slices.DeleteFunc(env, func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return strings.HasSuffix(strings.ToUpper(name), "_PROXY")
	})
}

// write writes the files into the checkout and returns their paths.
func (r Recorded) write(checkout string, now map[string]string) ([]string, error) {
	root, err := os.OpenRoot(checkout) // links of the branch lead nowhere outside
	if err != nil {
		return nil, err
	}
	defer root.Close()
	names := slices.Sorted(maps.Keys(r.Files))
	for _, name := range names {
		text, err := fill(r.Files[name], now)
		if err != nil {
			return nil, err
		}
		local := filepath.FromSlash(name)
		if err := root.MkdirAll(filepath.Dir(local), 0o755); err != nil {
			return nil, err
		}
		if err := root.WriteFile(local, []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	return names, nil
}
