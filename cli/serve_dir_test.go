//go:build linux

package cli_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// -kills says how often the process is killed: go test -run KilledServe -kills 50 ./cli
var kills = flag.Int("kills", 3, "how often TestKilledServeKeepsWhatItAnswered kills")

// writer works on a served forge until it is killed, and remembers what was answered.
type writer struct {
	t          *testing.T
	api, token string
	clone      string
	mu         sync.Mutex
	issues     map[int]string // number → title
	comments   map[int]int    // issue → how many
	labels     map[int]map[string]bool
	pushed     string // commit
	answered   int
}

func (w *writer) post(path string, body, into any) bool {
	data, err := json.Marshal(body)
	if err != nil {
		w.t.Error(err)
		return false
	}
	req, err := http.NewRequest("POST", w.api+path, bytes.NewReader(data))
	if err != nil {
		w.t.Error(err)
		return false
	}
	req.Header.Set("Authorization", "Bearer "+w.token)
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return false // it was killed
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return false
	}
	if res.StatusCode >= 300 {
		w.t.Errorf("POST %s = %d: %s", path, res.StatusCode, text)
		return false
	}
	return json.Unmarshal(text, into) == nil
}

// talk opens issues, comments and labels until it gets no answer.
func (w *writer) talk(who int) {
	for n := 0; ; n++ {
		title := fmt.Sprintf("writer %d, issue %d", who, n)
		var issue struct{ Number int }
		if !w.post("/repos/acme/hello/issues", map[string]any{"title": title}, &issue) {
			return
		}
		w.mu.Lock()
		w.issues[issue.Number] = title
		w.answered++
		w.mu.Unlock()
		var ignored any
		path := fmt.Sprintf("/repos/acme/hello/issues/%d", issue.Number)
		if !w.post(path+"/comments", map[string]any{"body": title}, &ignored) {
			return
		}
		w.mu.Lock()
		w.comments[issue.Number]++
		w.answered++
		w.mu.Unlock()
		label := []string{"hello", "bug"}[n%2] // hello starts a workflow
		if !w.post(path+"/labels", map[string]any{"labels": []string{label}}, &ignored) {
			return
		}
		w.mu.Lock()
		w.labels[issue.Number] = map[string]bool{label: true}
		w.answered++
		w.mu.Unlock()
	}
}

// push commits and pushes until it fails.
func (w *writer) push() {
	for {
		if out, err := w.git("commit", "-q", "--allow-empty", "-m", "more"); err != nil {
			w.t.Errorf("commit: %v %s", err, out)
			return
		}
		if _, err := w.git("push", "-q", "origin", "HEAD:main"); err != nil {
			return
		}
		head, err := w.git("rev-parse", "HEAD")
		if err != nil {
			w.t.Error(err)
			return
		}
		w.mu.Lock()
		w.pushed = strings.TrimSpace(head)
		w.answered++
		w.mu.Unlock()
	}
}

func (w *writer) git(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = w.clone
	cmd.Env = append(os.Environ(), "HOME="+w.clone, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "GIT_AUTHOR_NAME=Me", "GIT_AUTHOR_EMAIL=me@example.com",
		"GIT_COMMITTER_NAME=Me", "GIT_COMMITTER_EMAIL=me@example.com")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (w *writer) get(path string, into any) {
	w.t.Helper()
	req, err := http.NewRequest("GET", w.api+path, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.token)
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	if err := json.NewDecoder(res.Body).Decode(into); err != nil || res.StatusCode != 200 {
		w.t.Fatalf("GET %s = %d, %v", path, res.StatusCode, err)
	}
}

// check compares what was answered with what is there.
func (w *writer) check() {
	w.t.Helper()
	for number, title := range w.issues {
		var got struct {
			Title    string
			Comments int
			Labels   []struct{ Name string }
		}
		w.get(fmt.Sprintf("/repos/acme/hello/issues/%d", number), &got)
		has := map[string]bool{}
		for _, l := range got.Labels {
			has[l.Name] = true
		}
		for l := range w.labels[number] {
			if !has[l] {
				w.t.Errorf("issue %d lost the label %s", number, l)
			}
		}
		if got.Title != title || got.Comments < w.comments[number] {
			w.t.Errorf("issue %d is %q with %d comments, want %q with %d", number, got.Title, got.Comments, title, w.comments[number])
		}
	}
	if w.pushed != "" {
		if out, err := w.git("fetch", "-q", "origin"); err != nil {
			w.t.Fatalf("fetch: %v %s", err, out)
		}
		if out, err := w.git("merge-base", "--is-ancestor", w.pushed, "origin/main"); err != nil {
			w.t.Errorf("the push of %s is lost: %v %s", w.pushed, err, out)
		}
		var ref struct{ Object struct{ SHA string } }
		w.get("/repos/acme/hello/git/ref/heads/main", &ref)
		if out, _ := w.git("rev-parse", "origin/main"); strings.TrimSpace(out) != ref.Object.SHA {
			w.t.Errorf("git has %s, the API %s", out, ref.Object.SHA)
		}
	}
	var runs struct {
		WorkflowRuns []struct{ Status, Conclusion string } `json:"workflow_runs"`
	}
	w.get("/repos/acme/hello/actions/runs?status=in_progress", &runs)
	if len(runs.WorkflowRuns) > 0 {
		w.t.Errorf("%d runs go on for ever", len(runs.WorkflowRuns))
	}
}

// clients are those of what is served; the clone address must be the same each time.
func (w *writer) connect(s *served) {
	w.t.Helper()
	value := func(name string) string {
		return regexp.MustCompile(`export ` + name + `=(\S+)`).FindStringSubmatch(s.welcome)[1]
	}
	api, token := value("GITHUB_API_URL"), value("GITHUB_TOKEN")
	if w.api != "" && (api != w.api || token != w.token) {
		w.t.Fatalf("address and token were %s and %s, and are %s and %s", w.api, w.token, api, token)
	}
	if w.api == "" {
		w.api, w.token = api, token
		address := strings.Replace(strings.TrimSuffix(api, "/api/v3"), "//", "//x:"+token+"@", 1) + "/acme/hello.git"
		if out, err := w.git("clone", "-q", address, "."); err != nil {
			w.t.Fatalf("%v %s", err, out)
		}
	}
}

// TestKilledServeKeepsWhatItAnswered kills it at random moments under writers, and looks what is there.
func TestKilledServeKeepsWhatItAnswered(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "stays")
	w := &writer{t: t, clone: t.TempDir(), issues: map[int]string{}, comments: map[int]int{}, labels: map[int]map[string]bool{}}
	bin := understudy(t)
	for round := range *kills + 1 {
		s := serveWith(t, bin, "--dir", dir)
		w.connect(s)
		w.check()
		if t.Failed() {
			return
		}
		if round == *kills {
			if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if code := s.wait(); code != 0 {
				t.Errorf("exit code %d\n%s", code, s.err.String())
			}
			break
		}
		if out, err := w.git("reset", "-q", "--hard", "origin/main"); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		var working sync.WaitGroup
		for who := range 2 {
			working.Go(func() { w.talk(who) })
		}
		working.Go(w.push)
		<-time.After(time.Duration(50+rand.IntN(700)) * time.Millisecond)
		if err := s.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		s.wait()
		working.Wait()
	}
	t.Logf("%d kills, %d answers", *kills, w.answered)
	for path, want := range map[string]os.FileMode{"": 0o700, "serve.json": 0o600, "forge/state.log": 0o600, "forge/journal.ndjson": 0o600} {
		info, err := os.Stat(filepath.Join(dir, path))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v; want mode %v", path, info.Mode(), err, want)
		}
	}
}

// TestServeDirRefuses holds what is said of a directory before anything in it is touched.
func TestServeDirRefuses(t *testing.T) {
	bin := understudy(t)
	dir := filepath.Join(t.TempDir(), "stays")
	s := serveWith(t, bin, "--dir", dir)
	foreign := t.TempDir()
	note := filepath.Join(foreign, "thesis.txt")
	if err := os.WriteFile(note, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	changed := func(change func(string) string) string {
		to := filepath.Join(t.TempDir(), "changed")
		data, err := os.ReadFile(filepath.Join(dir, "serve.json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(to, 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"serve.json": change(string(data)), "understudy.lock": ""} {
			if err := os.WriteFile(filepath.Join(to, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return to
	}
	newer := changed(func(s string) string { return strings.Replace(s, `"Version": 1`, `"Version": 2`, 1) })
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"in use":   {[]string{"--dir", dir}, fmt.Sprintf("is served already, by process %d", s.cmd.Process.Pid)},
		"foreign":  {[]string{"--dir", foreign}, "is not empty, and understudy serve did not make it"},
		"newer":    {[]string{"--dir", newer}, "is of version 2"},
		"spoilt":   {[]string{"--dir", changed(func(s string) string { return s[:20] })}, "serve.json"},
		"emptied":  {[]string{"--dir", changed(func(s string) string { return s })}, "what was in its forge is gone"},
		"no place": {[]string{"--dir", filepath.Join(note, "x")}, "not a directory"},
		"no name":  {[]string{"--dir", ""}, "names no directory"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), bin, append([]string{"serve"}, c.args...)...)
			out, _ := cmd.CombinedOutput() // the exit code is looked at
			if code := cmd.ProcessState.ExitCode(); code != 2 || !strings.Contains(string(out), c.want) {
				t.Errorf("exit code %d, want 2 and %q:\n%s", code, c.want, out)
			}
		})
	}
	for dir, want := range map[string]int{foreign: 1, newer: 2} {
		if list, err := os.ReadDir(dir); err != nil || len(list) != want {
			t.Errorf("%s was touched: %v, %v", dir, list, err)
		}
	}
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.wait()
}

// TestServeDirPortTaken starts where the port of before is somebody else's.
func TestServeDirPortTaken(t *testing.T) {
	bin, dir := understudy(t), filepath.Join(t.TempDir(), "stays")
	first := serveWith(t, bin, "--dir", dir)
	port := regexp.MustCompile(`http://(127\.0\.0\.1:(\d+))/api`).FindStringSubmatch(first.welcome)
	interrupt := func(s *served) {
		t.Helper()
		if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if code := s.wait(); code != 0 {
			t.Errorf("exit code %d\n%s", code, s.err.String())
		}
	}
	interrupt(first)
	taken, err := net.Listen("tcp", port[1])
	if err != nil {
		t.Fatal(err)
	}
	second := serveWith(t, bin, "--dir", dir)
	if !strings.Contains(second.welcome, "Port "+port[2]+", which it had before, is taken") {
		t.Errorf("it does not say that the port is another:\n%s", second.welcome)
	}
	interrupt(second)
	if err := taken.Close(); err != nil {
		t.Fatal(err)
	}
	third := serveWith(t, bin, "--dir", dir)
	if third.welcome != first.welcome {
		t.Errorf("the third greeting is not the first:\n%s\n%s", first.welcome, third.welcome)
	}
	interrupt(third)
}
