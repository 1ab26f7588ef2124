package dummy_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/agent/dummy"
)

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// one runs a script of one operation and returns its error text.
func one(t *testing.T, o dummy.Options, op dummy.Op) string {
	t.Helper()
	op.Description = "d"
	r := dummy.Run(t.Context(), dummy.Script{Ops: []dummy.Op{op}}, o)
	if len(r.Operations) != 1 {
		t.Fatalf("results %+v, want one", r)
	}
	got := r.Operations[0]
	if got.Success != (got.Error == "") {
		t.Fatalf("success %v with error %q", got.Success, got.Error)
	}
	return got.Error
}

func TestWriteFixture(t *testing.T) {
	ws, outside := t.TempDir(), t.TempDir()
	for name, to := range map[string]string{"out": outside, "rel": "../" + filepath.Base(outside)} {
		if err := os.Symlink(to, filepath.Join(ws, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(outside, "victim"), filepath.Join(ws, "file")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(ws, "old"), "a longer text")
	for _, tc := range []struct{ dest, want string }{
		{"output/deep/a.json", ""},
		{"old", ""},
		{"old/below", "old: file exists"},
		{"output", "output: is a directory"},
		{"out/a", "escapes"},
		{"rel/a", "escapes"},
		{"file", "escapes"},
		{"../a", `has ".."`},
		{"/a", "is absolute"},
	} {
		got := one(t, dummy.Options{Workspace: ws}, dummy.Op{Op: "write_fixture", Args: tc.dest, Content: "new"})
		if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s: error %q, want %q", tc.dest, got, tc.want)
		}
		if tc.want == "" {
			if b, err := os.ReadFile(filepath.Join(ws, tc.dest)); err != nil || string(b) != "new" {
				t.Errorf("%s holds %q, %v", tc.dest, b, err)
			}
		}
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("outside of the workspace: %v, %v", left, err)
	}
}

func TestWriteFixtureFromEnv(t *testing.T) {
	ws := t.TempDir()
	o := dummy.Options{Workspace: ws, Env: []string{"HEAD=abc", "EMPTY=", "NESTED={{env:HEAD}}"}}
	for _, tc := range []struct{ content, want, problem string }{
		{`{"head": "{{env:HEAD}}", "{{env:EMPTY}}": 1}`, `{"head": "abc", "": 1}`, ""},
		{"{{env:NESTED}}", "{{env:HEAD}}", ""}, // once
		{"{{ env:HEAD }} {{env}} {{fixture:x}}", "{{ env:HEAD }} {{env}} {{fixture:x}}", ""},
		{"{{env:GONE}} {{env:no name}}", "", "{{env:GONE}}: GONE is not set\n{{env:no name}}: \"no name\" is no name of a variable"},
	} {
		if err := os.RemoveAll(filepath.Join(ws, "f")); err != nil {
			t.Fatal(err)
		}
		if got := one(t, o, dummy.Op{Op: dummy.WriteFixture, Args: "f", Content: tc.content}); got != tc.problem {
			t.Errorf("%s: error %q, want %q", tc.content, got, tc.problem)
		}
		if got, _ := os.ReadFile(filepath.Join(ws, "f")); string(got) != tc.want { // no file is ""
			t.Errorf("%s: wrote %q, want %q", tc.content, got, tc.want)
		}
	}
}

func TestReadFile(t *testing.T) {
	ws, repo := t.TempDir(), t.TempDir()
	write(t, filepath.Join(ws, "in-workspace"), "x")
	write(t, filepath.Join(repo, "dir/in-repo"), "x")
	write(t, filepath.Join(repo, "secret"), "x")
	if err := os.Symlink(filepath.Join(ws, "in-workspace"), filepath.Join(repo, "link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(repo, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ repo, path, want string }{
		{"", "in-workspace", ""},
		{repo, "dir/in-repo", ""},
		{repo, "in-workspace", "in-workspace: no such file"},
		{"", "dir/in-repo", "no such file"},
		{repo, "dir", "dir: not a regular file"},
		{repo, "pipe", "pipe: not a regular file"},
		{repo, "link", "escapes"},
		{repo, "../x", `has ".."`},
	} {
		got := one(t, dummy.Options{Workspace: ws, Repo: tc.repo}, dummy.Op{Op: "read_file", Args: tc.path})
		if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s in %q: error %q, want %q", tc.path, tc.repo, got, tc.want)
		}
	}
}

// proxy stands in for a platform's egress policy: it refuses the host blocked.test and otherwise
// answers itself as the host would, by the path.
func proxy(t *testing.T) *url.URL {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Hostname() == "blocked.test" || strings.HasPrefix(r.Host, "blocked.test:"):
			w.Header().Set("X-Policy-Decision", "refused")
			w.WriteHeader(http.StatusForbidden)
		case r.Method == http.MethodConnect:
			w.WriteHeader(http.StatusBadGateway)
		case r.URL.Path == "/teapot":
			w.Header().Set("X-Policy-Decision", "refused")
			w.WriteHeader(http.StatusTeapot)
		case r.URL.Path == "/forbidden":
			w.WriteHeader(http.StatusForbidden)
		default:
			fmt.Fprint(w, "through the proxy")
		}
	}))
	t.Cleanup(s.Close)
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestURLGetThroughProxy(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	o := dummy.Options{Workspace: t.TempDir(), Proxy: proxy(t)}
	for _, tc := range []struct{ url, want string }{
		{"http://allowed.test/", ""},
		{"http://127.0.0.1:1/", ""}, // loopback goes through the proxy too
		{"http://localhost:1/", ""},
		{"http://blocked.test/x", "refused by policy: GET http://blocked.test/x"},
		{"https://blocked.test/x", "refused by policy: GET https://blocked.test/x"},
		{"http://allowed.test/forbidden", "answered 403 Forbidden: GET http://allowed.test/forbidden"},
		{"http://allowed.test/teapot", "answered 418 I'm a teapot: GET http://allowed.test/teapot"},
		{"https://allowed.test/", "answered 502 Bad Gateway: GET https://allowed.test/"},
	} {
		if got := one(t, o, dummy.Op{Op: "url_get", Args: tc.url}); got != tc.want {
			t.Errorf("%s: error %q, want %q", tc.url, got, tc.want)
		}
	}
}

func TestURLGetDirect(t *testing.T) {
	release := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/hang":
			<-release
		case "/moved":
			http.Redirect(w, r, "/", http.StatusFound)
		case "/forged":
			w.Header().Set("X-Policy-Decision", "refused")
			w.WriteHeader(http.StatusForbidden)
		case "/cut":
			w.Header().Set("Content-Length", "10")
			fmt.Fprint(w, "short")
		case "/gone":
			w.WriteHeader(http.StatusGone)
		}
	}))
	t.Cleanup(func() { close(release); s.Close() })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + l.Addr().String()
	l.Close()
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	for _, tc := range []struct{ url, want string }{
		{s.URL + "/", ""},
		{s.URL + "/gone", "answered 410 Gone: GET "},
		{s.URL + "/moved", "answered 302 Found: GET "},
		{s.URL + "/forged", "answered 403 Forbidden: GET "},
		{s.URL + "/cut", "no answer: GET " + s.URL + "/cut: unexpected EOF"},
		{s.URL + "/hang", "no answer: GET " + s.URL + "/hang: nothing within 200ms"},
		{closed, "no answer: GET " + closed + ": dial tcp"},
	} {
		o := dummy.Options{Workspace: t.TempDir(), Timeout: 200 * time.Millisecond}
		got := one(t, o, dummy.Op{Op: "url_get", Args: tc.url})
		if (tc.want == "") != (got == "") || !strings.HasPrefix(got, tc.want) {
			t.Errorf("%s: error %q, want %q", tc.url, got, tc.want)
		}
	}
}

func TestRunGoesOnAfterFailure(t *testing.T) {
	s := dummy.Script{Ops: []dummy.Op{
		{Description: "first", Op: "read_file", Args: "absent"},
		{Description: "second", Op: "write_fixture", Args: "a"},
	}}
	got := dummy.Run(t.Context(), s, dummy.Options{Workspace: t.TempDir()})
	want := dummy.Results{Operations: []dummy.Operation{
		{Description: "first", Op: "read_file", Error: "absent: no such file or directory"},
		{Description: "second", Op: "write_fixture", Success: true},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("results (-want +got):\n%s", diff)
	}
	if got.Failed() != 1 {
		t.Errorf("Failed() = %d, want 1", got.Failed())
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if r := dummy.Run(ended, s, dummy.Options{Workspace: t.TempDir()}); r.Failed() != 2 || len(r.Operations) != 2 {
		t.Errorf("with an ended context: %+v, want two failures", r)
	}
}

func TestCommand(t *testing.T) {
	dir := t.TempDir()
	ws := filepath.Join(dir, "ws")
	script := filepath.Join(dir, "script.yaml")
	good := "ops:\n  - {description: w, op: write_fixture, args: a, content: '<x>'}\n"
	bad := good + "  - {description: r, op: read_file, args: absent}\n"
	for _, tc := range []struct {
		name, script string
		args         []string
		code         int
		results      string // relative to dir; "" when there are none
		stdout       string
		stderr       string
	}{
		{"good", good, []string{"--script", script, "--workspace", ws}, 0, "ws/output/behaviour-results.json", "ok    w (write_fixture)\n", ""},
		{"results elsewhere", good, []string{"--script", script, "--workspace", ws, "--results", filepath.Join(dir, "r/x.json")}, 0, "r/x.json", "ok", ""},
		{"one fails", bad, []string{"--script", script, "--workspace", ws}, 1, "ws/output/behaviour-results.json", "fail  r (read_file): absent: no such file", "1 of 2 operations failed"},
		{"bad script", "ops: []\n", []string{"--script", script, "--workspace", ws}, 2, "", "", "script " + script + `: line 1: "ops" is empty`},
		{"no script file", good, []string{"--script", script + "x", "--workspace", ws}, 2, "", "", "no such file"},
		{"no workspace", good, []string{"--script", script, "--workspace", ws + "x"}, 2, "", "", "no such file"},
		{"workspace a file", good, []string{"--script", script, "--workspace", script}, 2, "", "", "not a directory"},
		{"flag missing", good, []string{"--workspace", ws}, 2, "", "", "--script is missing"},
		{"unknown flag", good, []string{"--verbose"}, 2, "", "", "not defined: -verbose"},
		{"argument", good, []string{"--script", script, "--workspace", ws, "more"}, 2, "", "", `unexpected argument "more"`},
		{"bad proxy", good, []string{"--script", script, "--workspace", ws, "--proxy", "127.0.0.1"}, 2, "", "", "--proxy must be"},
		{"over the results", strings.Replace(good, "args: a", "args: output/behaviour-results.json", 1), []string{"--script", script, "--workspace", ws}, 2, "", "", "would write over the results file"},
		{"help", good, []string{"--help"}, 0, "", "usage: understudy-job agent dummy", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, d := range []string{"ws", "r"} {
				if err := os.RemoveAll(filepath.Join(dir, d)); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Mkdir(ws, 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, script, tc.script)
			var stdout, stderr bytes.Buffer
			if code := dummy.Main(tc.args, &stdout, &stderr); code != tc.code {
				t.Errorf("exit code %d, want %d; stderr %s", code, tc.code, &stderr)
			}
			if !strings.Contains(stdout.String(), tc.stdout) || !strings.Contains(stderr.String(), tc.stderr) {
				t.Errorf("stdout %q, stderr %q; want %q, %q", &stdout, &stderr, tc.stdout, tc.stderr)
			}
			checkResults(t, dir, tc.results)
		})
	}
}

// checkResults wants exactly one results file, complete, and nothing left of writing it.
func checkResults(t *testing.T, dir, want string) {
	t.Helper()
	var found []string
	for _, p := range []string{"ws/output/*", "r/*"} {
		m, _ := filepath.Glob(filepath.Join(dir, p))
		found = append(found, m...)
	}
	if want == "" {
		if len(found) > 0 {
			t.Errorf("files %v, want no results", found)
		}
		return
	}
	if len(found) != 1 || found[0] != filepath.Join(dir, want) {
		t.Fatalf("files %v, want %s alone", found, want)
	}
	b, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Operations []map[string]any `json:"operations"`
	}
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	first := map[string]any{"description": "w", "op": "write_fixture", "success": true, "error": ""}
	if len(r.Operations) == 0 || !cmp.Equal(r.Operations[0], first) {
		t.Errorf("results %s", b)
	}
}

func TestResultsStayInWorkspace(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "output")); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, "s.yaml")
	write(t, script, "ops: [{description: w, op: write_fixture, args: a, content: x}]")
	var stdout, stderr bytes.Buffer
	if code := dummy.Main([]string{"--script", script, "--workspace", dir}, &stdout, &stderr); code != 2 {
		t.Errorf("exit code %d, want 2", code)
	}
	if !strings.Contains(stderr.String(), "write the results") {
		t.Errorf("stderr %q", &stderr)
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("written outside: %v", left)
	}
}

// What is for one iteration is neither done nor reported in another.
func TestIteration(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "s.yaml")
	write(t, script, "ops:\n- {description: always, op: write_fixture, args: a, content: x}\n- {description: second, op: write_fixture, args: b, content: x, iteration: 2}\n")
	for _, tc := range []struct {
		flags, want string
		code        int
	}{
		{"", "ok    always (write_fixture)\n", 0},
		{"--iteration 1", "ok    always (write_fixture)\n", 0},
		{"--iteration 2", "ok    always (write_fixture)\nok    second (write_fixture)\n", 0},
		{"--iteration 3", "ok    always (write_fixture)\n", 0},
		{"--iteration 0", "", 2},
		{"--iteration two", "", 2},
	} {
		ws := filepath.Join(dir, "ws"+tc.flags)
		if err := os.MkdirAll(ws, 0o755); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		code := dummy.Main(append([]string{"--script", script, "--workspace", ws}, strings.Fields(tc.flags)...), &stdout, &stderr)
		if code != tc.code || stdout.String() != tc.want {
			t.Errorf("%s: %d %q %q", tc.flags, code, &stdout, &stderr)
		}
		if _, err := os.Stat(filepath.Join(ws, "b")); (err == nil) != (tc.flags == "--iteration 2") {
			t.Errorf("%s: the second iteration's file: %v", tc.flags, err)
		}
	}
}
