package bench_test

import (
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// cost is what a round took of this process, of its children, and of the clock.
type cost struct{ self, children, wall time.Duration }

func (c *cost) add(b *testing.B, round func()) {
	b.Helper()
	self, children := spent(b)
	start := time.Now()
	round()
	c.wall += time.Since(start)
	s, ch := spent(b)
	c.self += s - self
	c.children += ch - children
}

func (c cost) cpu() time.Duration { return c.self + c.children }

// gitFlow creates a repository with a first commit, clones it, commits and pushes: against the forge,
// and against git's own http-backend behind net/http/cgi. Both are servers of this process, so the
// processor time is that of server, client and all git processes. They take turns.
func gitFlow(b *testing.B, t *table) {
	dir := b.TempDir()
	f, url, token := newForge(b)
	peer := backend(b, dir)
	remote := strings.Replace(url, "http://", "http://x-access-token:"+token+"@", 1)
	var ours, theirs cost
	n := 0
	one := func() {
		n++
		name := fmt.Sprint("r", n)
		mine := func() {
			ask(b, f, "POST", url+"/orgs/acme/repos", token, `{"name":"`+name+`","auto_init":true}`, http.StatusCreated)
			work(b, filepath.Join(dir, "ours"+name), remote+"/acme/"+name+".git")
		}
		other := func() {
			git(b, dir, "clone", "-q", "--bare", "seed", "bare/"+name+".git")
			work(b, filepath.Join(dir, "theirs"+name), peer+"/"+name+".git")
		}
		if n%2 == 0 {
			ours.add(b, mine)
			theirs.add(b, other)
			return
		}
		theirs.add(b, other)
		ours.add(b, mine)
	}
	one()
	ours, theirs = cost{}, cost{}
	const rounds = 12
	for range rounds {
		one()
	}
	t.add(figure{name: "create + clone + commit + push: CPU, ratio", value: float64(ours.cpu()) / float64(theirs.cpu()), target: 1.15, unit: "×", format: "%.2f",
		peer: fmt.Sprintf("git http-backend: %.0f ms; forge: %.0f ms (%d rounds)", milli(theirs.cpu(), rounds), milli(ours.cpu(), rounds), rounds)})
	t.add(figure{name: "create + clone + commit + push: wall, ratio", value: float64(ours.wall) / float64(theirs.wall), target: 1.15, unit: "×", format: "%.2f",
		peer: fmt.Sprintf("git http-backend: %.0f ms; forge: %.0f ms", milli(theirs.wall, rounds), milli(ours.wall, rounds))})
}

// backend serves the bare repositories below dir/bare with git http-backend, and makes dir/seed, which
// holds one commit.
func backend(b *testing.B, dir string) (url string) {
	b.Helper()
	must(b, os.Mkdir(filepath.Join(dir, "bare"), 0o755))
	git(b, dir, "init", "-q", "-b", "main", "seed")
	must(b, os.WriteFile(filepath.Join(dir, "seed", "README.md"), []byte("# app\n"), 0o644))
	git(b, filepath.Join(dir, "seed"), "add", ".")
	git(b, filepath.Join(dir, "seed"), "commit", "-q", "-m", "Initial commit")
	exe, err := exec.Command("git", "--exec-path").Output()
	must(b, err)
	s := httptest.NewServer(&cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(exe)), "git-http-backend"),
		Env: append(sealed(dir), "GIT_PROJECT_ROOT="+filepath.Join(dir, "bare"), "GIT_HTTP_EXPORT_ALL=1",
			"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=http.receivepack", "GIT_CONFIG_VALUE_0=true"),
	})
	b.Cleanup(s.Close)
	return s.URL
}

// work clones, commits a file and pushes it.
func work(b *testing.B, dir, remote string) {
	b.Helper()
	git(b, ".", "clone", "-q", remote, dir)
	must(b, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\n"), 0o644))
	git(b, dir, "add", ".")
	git(b, dir, "commit", "-q", "-m", "Add a")
	git(b, dir, "push", "-q", "origin", "HEAD")
}

func sealed(dir string) []string {
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "no-home"), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0", "GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.test",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.test"}
}

func git(b *testing.B, dir string, args ...string) {
	b.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = sealed(dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
