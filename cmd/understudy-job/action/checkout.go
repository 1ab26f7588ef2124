package action

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

var fullSHA = regexp.MustCompile(`^[0-9a-f]{40}$`)

// clone is one checkout.
type clone struct {
	*call
	dir   string
	url   string
	repo  string
	auth  string // value of the Authorization header, empty without a token
	depth int    // 0 is everything
}

// target is what to check out: a commit, and the ref it was found by, if any.
type target struct{ ref, sha string }

// checkout follows https://github.com/actions/checkout (v4, src/git-source-provider.ts) for what it
// has inputs for.
func checkout(ctx context.Context, c *call) error {
	co := &clone{call: c, repo: c.input("repository")}
	var err error
	if co.dir, err = c.inside(c.input("path")); err != nil {
		return err
	}
	if co.depth, err = strconv.Atoi(c.input("fetch-depth")); err != nil || co.depth < 0 {
		return fmt.Errorf("input fetch-depth: %q is not a count of commits", c.input("fetch-depth"))
	}
	persist, err := c.boolean("persist-credentials")
	if err != nil {
		return err
	}
	if strings.Count(co.repo, "/") != 1 {
		return fmt.Errorf("input repository: %q is not owner/name", co.repo)
	}
	server := strings.TrimSuffix(c.env["GITHUB_SERVER_URL"], "/")
	co.url = server + "/" + co.repo
	if token := c.input("token"); token != "" {
		co.auth = "AUTHORIZATION: basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+token))
	}
	c.logf("Syncing repository: %s", co.repo)
	if err := co.prepare(ctx); err != nil {
		return err
	}
	t, err := co.resolve(ctx)
	if err != nil {
		return err
	}
	if err := co.fetch(ctx, t); err != nil {
		return err
	}
	if err := co.switchTo(ctx, t); err != nil {
		return err
	}
	if persist && co.auth != "" {
		if err := co.persist(server); err != nil {
			return err
		}
	}
	commit, err := co.head(ctx, t)
	if err != nil {
		return err
	}
	c.logf("HEAD is now at %s", commit)
	return errors.Join(c.output("ref", t.ref), c.output("commit", commit))
}

// prepare empties the directory, as the action does unless it finds its own repository there.
func (co *clone) prepare(ctx context.Context) error {
	if err := os.MkdirAll(co.dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(co.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(co.dir, e.Name())); err != nil {
			return err
		}
	}
	if _, err := co.git(ctx, "init", "--quiet", "--template=", "."); err != nil {
		return err
	}
	return co.configure("remote", "origin", "url = "+quoted(co.url), "fetch = +refs/heads/*:refs/remotes/origin/*")
}

// resolve finds out which commit is meant.
func (co *clone) resolve(ctx context.Context) (target, error) {
	ref := co.input("ref")
	switch {
	case ref == "" && strings.EqualFold(co.repo, co.env["GITHUB_REPOSITORY"]):
		return target{ref: co.env["GITHUB_REF"], sha: co.env["GITHUB_SHA"]}, nil
	case ref == "":
		return co.lookUp(ctx, "HEAD")
	case fullSHA.MatchString(ref):
		return target{sha: ref}, nil
	case strings.HasPrefix(ref, "refs/"):
		return co.lookUp(ctx, ref)
	}
	t, err := co.lookUp(ctx, "refs/heads/"+ref)
	if errors.Is(err, errNoRef) {
		t, err = co.lookUp(ctx, "refs/tags/"+ref)
	}
	if errors.Is(err, errNoRef) {
		return t, fmt.Errorf("a branch or tag with the name %q could not be found in %s", ref, co.repo)
	}
	return t, err
}

var errNoRef = errors.New("no such ref")

func (co *clone) lookUp(ctx context.Context, ref string) (target, error) {
	out, err := co.git(ctx, "ls-remote", "--symref", "origin", ref)
	if err != nil {
		return target{}, err
	}
	t := target{}
	if ref != "HEAD" {
		t.ref = ref
	}
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 3 && fields[0] == "ref:":
			t.ref = fields[1] // what HEAD stands for
		case len(fields) == 2 && fields[1] == ref:
			t.sha = fields[0]
		}
	}
	if t.sha == "" {
		return t, fmt.Errorf("%s in %s: %w", ref, co.repo, errNoRef)
	}
	return t, nil
}

func (co *clone) fetch(ctx context.Context, t target) error {
	args := []string{"-c", "protocol.version=2", "fetch", "--quiet", "--prune", "--no-recurse-submodules"}
	if co.depth > 0 {
		args = append(args, "--no-tags", "--depth="+strconv.Itoa(co.depth), "origin", "+"+t.sha+":"+t.tracking())
	} else {
		args = append(args, "--tags", "origin", "+refs/heads/*:refs/remotes/origin/*", "+"+t.sha+":"+t.tracking())
		if strings.HasPrefix(t.ref, "refs/heads/") {
			args = args[:len(args)-1] // the branch is among the heads
		}
	}
	_, err := co.git(ctx, args...)
	return err
}

// tracking is the local ref that the commit is fetched to.
func (t target) tracking() string {
	if name, ok := strings.CutPrefix(t.ref, "refs/heads/"); ok {
		return "refs/remotes/origin/" + name
	}
	if name, ok := strings.CutPrefix(t.ref, "refs/pull/"); ok {
		return "refs/remotes/pull/" + name
	}
	if strings.HasPrefix(t.ref, "refs/tags/") {
		return t.ref
	}
	return "refs/remotes/origin/understudy-checkout"
}

func (co *clone) switchTo(ctx context.Context, t target) error {
	args := []string{"checkout", "--quiet", "--force", "--detach", t.sha}
	if name, ok := strings.CutPrefix(t.ref, "refs/heads/"); ok {
		args = []string{"checkout", "--quiet", "--force", "-B", name, t.sha}
	}
	if _, err := co.git(ctx, args...); err != nil {
		return err
	}
	if name, ok := strings.CutPrefix(t.ref, "refs/heads/"); ok {
		return co.configure("branch", name, "remote = origin", "merge = "+quoted(t.ref))
	}
	return nil
}

// head is the commit that was checked out. What is no branch may be a tag with a message of its own.
func (co *clone) head(ctx context.Context, t target) (string, error) {
	if strings.HasPrefix(t.ref, "refs/heads/") || strings.HasPrefix(t.ref, "refs/pull/") {
		return t.sha, nil
	}
	commit, err := co.git(ctx, "rev-parse", "HEAD")
	return strings.TrimSpace(commit), err
}

// persist leaves the credentials for later git commands of the job, as the action does.
func (co *clone) persist(server string) error {
	return co.configure("http", server+"/", "extraheader = "+co.auth)
}

// configure adds a section to the repository's configuration. It goes into the file directly: arguments of
// a command can be seen by others, and each command is a process.
func (co *clone) configure(section, name string, lines ...string) error {
	f, err := os.OpenFile(filepath.Join(co.dir, ".git", "config"), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(f, "[%s %s]\n\t%s\n", section, quoted(name), strings.Join(lines, "\n\t")); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// quoted is a name or a value as git's configuration files have it.
// https://git-scm.com/docs/git-config#_syntax
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// git runs git in the clone, with the credentials and nothing of the machine's configuration.
func (co *clone) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = co.dir
	cmd.Env = []string{
		"PATH=" + co.env["PATH"], "HOME=" + co.env["HOME"], "LC_ALL=C", "GIT_TERMINAL_PROMPT=0",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
	}
	config := [][2]string{{"gc.auto", "0"}, {"maintenance.auto", "false"}, {"advice.detachedHead", "false"}, {"init.defaultBranch", "main"}}
	if co.auth != "" {
		config = append(config, [2]string{"http.extraheader", co.auth})
	}
	for i, kv := range config {
		cmd.Env = append(cmd.Env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, kv[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, kv[1]))
	}
	cmd.Env = append(cmd.Env, "GIT_CONFIG_COUNT="+strconv.Itoa(len(config)))
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w: %s", verb(args), err, strings.TrimSpace(complaint.String()))
	}
	return out.String(), nil
}

func verb(args []string) string {
	for i := 0; i < len(args); i++ {
		if args[i] != "-c" {
			return args[i]
		}
		i++
	}
	return ""
}
