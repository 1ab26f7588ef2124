package forge_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTwoPushesToOneRef lets two people push to a branch at once, again and again: one of them wins, the other is
// told to fetch first, and does.
func TestTwoPushesToOneRef(t *testing.T) {
	w := newWorld(t)
	bob := w.user("bob", "write")
	var dirs []string
	for _, who := range []actor{w.ada, bob} {
		dir := t.TempDir()
		mustGit(t, dir, "clone", "-q", w.remote(who.token, "acme/app"), ".")
		dirs = append(dirs, dir)
	}
	for round := range 5 {
		type end struct {
			dir, out string
			err      error
		}
		ends := make(chan end, len(dirs))
		for i, dir := range dirs {
			mustGit(t, dir, "commit", "-q", "--allow-empty", "-m", fmt.Sprintf("%d of %d", round, i))
		}
		after := w.seq()
		for _, dir := range dirs {
			go func() {
				out, err := git(t, dir, "push", "-q", "origin", "HEAD:main")
				ends <- end{dir, out, err}
			}()
		}
		one, other := <-ends, <-ends
		if one.err != nil {
			one, other = other, one
		}
		if one.err != nil || other.err == nil || !strings.Contains(other.out, "rejected") {
			t.Fatalf("round %d: %v %s; %v %s", round, one.err, one.out, other.err, other.out)
		}
		won := mustGit(t, one.dir, "rev-parse", "HEAD")
		w.ada.want(200, "GET", "/repos/acme/app/git/ref/heads/main", nil).is("object.sha", won)
		if got := w.changes(after); !cmp.Equal(got, []string{"push"}) {
			t.Fatalf("changes = %v, want one push", got)
		}
		mustGit(t, other.dir, "pull", "-q", "--rebase", "origin", "main")
		mustGit(t, other.dir, "push", "-q", "origin", "HEAD:main")
		mustGit(t, one.dir, "pull", "-q", "--rebase", "origin", "main")
	}
	if got := mustGit(t, dirs[0], "rev-list", "--count", "HEAD"); got != "11" {
		t.Errorf("%s commits, want the first and two of each round", got)
	}
}

// pushBody is what git sends to move a ref from one commit to another.
func pushBody(t testing.TB, dir, ref, from, to string) []byte {
	t.Helper()
	line := from + " " + to + " " + ref + "\x00report-status side-band-64k"
	cmd := exec.Command("git", "pack-objects", "--revs", "--stdout", "-q")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(to+"\n^"+from+"\n")
	pack, err := cmd.Output()
	must(t, err)
	return append(fmt.Appendf(nil, "%04x%s0000", len(line)+4, line), pack...)
}

// pushed sends the first bytes of a push, says that as many come as long says, and returns the answer, if any.
func (a actor) pushed(body []byte, long int) string {
	a.w.t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(a.w.forge.URL(), "http://"))
	must(a.w.t, err)
	defer conn.Close()
	fmt.Fprintf(conn, "POST /acme/app.git/git-receive-pack HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/x-git-receive-pack-request\r\nContent-Length: %d\r\nConnection: close\r\n\r\n", a.token, long)
	_, err = conn.Write(body)
	must(a.w.t, err)
	must(a.w.t, conn.(*net.TCPConn).CloseWrite())
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return ""
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body) // what there is of it
	if res.StatusCode >= 500 {
		a.w.t.Errorf("push of %d bytes of %d = %d: %s", len(body), long, res.StatusCode, text)
	}
	return string(text)
}

// TestPushIsCut ends a push after some of its bytes, both as a connection that breaks and as a request that is
// whole but for its body: nothing of it can be seen, and the whole push works after all.
func TestPushIsCut(t *testing.T) {
	w := newWorld(t)
	dir := t.TempDir()
	mustGit(t, dir, "clone", "-q", w.remote(w.ada.token, "acme/app"), ".")
	must(t, os.WriteFile(filepath.Join(dir, "a.txt"), bytes.Repeat([]byte("some text\n"), 300), 0o600))
	from := mustGit(t, dir, "rev-parse", "HEAD")
	mustGit(t, dir, "add", ".")
	mustGit(t, dir, "commit", "-q", "-m", "add a")
	to := mustGit(t, dir, "rev-parse", "HEAD")
	body := pushBody(t, dir, "refs/heads/main", from, to)
	since, err := w.forge.Image()
	must(t, err)
	after, cuts := w.seq(), []int{0, 1, 3, 4, 5, 44, 45, 85, 86}
	for k := 100; k < len(body); k += max(1, len(body)/24) {
		cuts = append(cuts, k)
	}
	for _, k := range append(cuts, len(body)-20, len(body)-1) {
		for _, long := range []int{len(body), k} {
			if got := w.ada.pushed(body[:k], long); strings.Contains(got, "ok refs/heads/main") {
				t.Errorf("%d bytes of %d, and %d said: %q", k, len(body), long, got)
			}
			w.unchanged(since, fmt.Sprintf("%d bytes of %d, and %d said", k, len(body), long))
		}
	}
	if got := w.changes(after); len(got) != 0 {
		t.Errorf("changes = %v", got)
	}
	w.ada.want(404, "GET", "/repos/acme/app/git/commits/"+to, nil)
	if got := w.ada.pushed(body, len(body)); !strings.Contains(got, "ok refs/heads/main") {
		t.Errorf("the whole push: %q", got)
	}
	w.ada.want(200, "GET", "/repos/acme/app/git/ref/heads/main", nil).is("object.sha", to)
	if got := w.changes(after); !cmp.Equal(got, []string{"push"}) {
		t.Errorf("changes = %v, want one push", got)
	}
}

// TestHangingReceiver has a receiver of webhooks that does not answer: what makes the webhooks is not held up.
func TestHangingReceiver(t *testing.T) {
	w := newWorld(t)
	heard, release := make(chan struct{}, 100), make(chan struct{})
	to := receive(t, func(http.ResponseWriter, *http.Request) { heard <- struct{}{}; <-release })
	defer close(release)
	w.ada.hook(to.URL, nil, "*")
	<-heard // the ping hangs
	for i := range 20 {
		w.ada.want(201, "POST", issues, map[string]any{"title": fmt.Sprint(i)})
	}
	dir := t.TempDir()
	mustGit(t, dir, "clone", "-q", w.remote(w.ada.token, "acme/app"), ".")
	mustGit(t, dir, "commit", "-q", "--allow-empty", "-m", "x")
	mustGit(t, dir, "push", "-q")
	if got := w.ada.want(200, "GET", issues, nil).names("", "title"); len(got) != 20 {
		t.Errorf("issues = %v", got)
	}
}
