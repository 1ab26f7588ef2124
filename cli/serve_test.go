//go:build linux

package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/cli"
)

// served is a running understudy serve.
type served struct {
	t       *testing.T
	cmd     *exec.Cmd
	lines   *bufio.Scanner
	out     strings.Builder // standard output so far
	err     bytes.Buffer    // standard error; to be read after Wait
	welcome string
	tmp     string
}

// serve starts the command and reads all that it greets with.
func serve(t *testing.T, args ...string) *served {
	t.Helper()
	return serveWith(t, understudy(t), args...)
}

func serveWith(t *testing.T, bin string, args ...string) *served {
	t.Helper()
	return startWith(t, bin, "issues/1/labels", append([]string{"serve"}, args...)...)
}

// start starts a command and reads until a line holds what.
func start(t *testing.T, what string, args ...string) *served {
	t.Helper()
	return startWith(t, understudy(t), what, args...)
}

func startWith(t *testing.T, bin, what string, args ...string) *served {
	t.Helper()
	s := &served{t: t, tmp: t.TempDir()}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // what does not come ends the process, not the test binary
	t.Cleanup(func() { cancel(); _ = s.cmd.Wait() })             // also when the test failed before its end
	s.cmd = exec.CommandContext(ctx, bin, args...)
	s.cmd.Env = append(os.Environ(), "TMPDIR="+s.tmp)
	s.cmd.Stderr = &s.err
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.lines = bufio.NewScanner(out)
	s.until(what)
	s.welcome = s.out.String()
	return s
}

// until reads lines until one holds what.
func (s *served) until(what string) string {
	s.t.Helper()
	for s.lines.Scan() {
		line := s.lines.Text()
		s.out.WriteString(line + "\n")
		if strings.Contains(line, what) {
			return line
		}
	}
	s.t.Fatalf("it ended without %q:\n%s", what, s.out.String())
	return ""
}

// paste gives bash all lines from the first export to the end, as a person does.
func (s *served) paste(dir string, more ...string) string {
	s.t.Helper()
	if _, err := exec.LookPath("curl"); err != nil {
		s.t.Skip("skipped: curl is not installed, so nobody pasted what serve prints")
	}
	at := strings.Index(s.welcome, "  export ")
	if at < 0 {
		s.t.Fatalf("nothing to export:\n%s", s.welcome)
	}
	cmd := exec.Command("bash", "-e")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1")
	cmd.Stdin = strings.NewReader(s.welcome[at:] + strings.Join(more, "\n"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// wait reads the rest, and returns the exit code.
func (s *served) wait() int {
	for s.lines.Scan() {
		s.out.WriteString(s.lines.Text() + "\n")
	}
	_ = s.cmd.Wait() // it exits with the code that is looked at
	return s.cmd.ProcessState.ExitCode()
}

// TestServeShowsRuns has one line for each run that ended.
func TestServeShowsRuns(t *testing.T) {
	s := serve(t)
	s.paste(t.TempDir())
	if line, want := s.until("run 1 "), "run 1  acme/hello hello.yml  ✓ answer"; line != want {
		t.Errorf("%q, want %q", line, want)
	}
	if err := s.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if code := s.wait(); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.err.String())
	}
}

// TestServeWhatItPrintsWorks pastes what it prints, sees the workflow answer, and ends it.
func TestServeWhatItPrintsWorks(t *testing.T) {
	for _, flags := range [][]string{nil, {"--no-namespaces"}} {
		t.Run(strings.Join(flags, " "), func(t *testing.T) {
			s := serve(t, append([]string{"--journal"}, flags...)...)
			out := s.paste(t.TempDir(),
				`curl -fsS -H "Authorization: Bearer $GITHUB_TOKEN" "$GITHUB_API_URL/user"`)
			for _, want := range []string{`"login":"write"`, `"title":"My first issue"`, "Hello"} {
				if !strings.Contains(out, want) {
					t.Errorf("what was pasted did not print %s:\n%s", want, out)
				}
			}
			labeled := s.until("issues.labeled")
			number := strings.Fields(labeled)[0]
			if !strings.Contains(labeled, "acme/hello#1") || !strings.HasSuffix(labeled, " label=hello  by write  ← token:write") {
				t.Errorf("the label's line: %s", labeled)
			}
			if line := s.until("run.created"); !strings.HasSuffix(line, "← event:"+number) {
				t.Errorf("the run's line names not the label's number %s as its cause: %s", number, line)
			}
			if line := s.until("issue_comment.created"); !strings.Contains(line, "acme/hello#1") || !strings.Contains(line, "← job:") {
				t.Errorf("the answer's line: %s", line)
			}
			s.until("run.completed")
			for path, want := range map[string]string{"repo/acme/hello/issues": "My first issue", "job/1": "answering http://"} {
				page := s.paste(t.TempDir(), `curl -fsS "${GITHUB_API_URL%/api/v3}/_/`+path+`"`)
				if !strings.Contains(page, want) {
					t.Errorf("the page %q does not show %q:\n%s", path, want, page)
				}
			}
			if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if code := s.wait(); code != 0 || s.err.Len() > 0 {
				t.Errorf("exit code %d\n%s", code, s.err.String())
			}
			nothingLeft(t, s)
		})
	}
}

func nothingLeft(t *testing.T, s *served) {
	t.Helper()
	eventually(t, "no process is left", func() bool { return len(alive(t, s.tmp)) == 0 })
	if left, err := filepath.Glob(filepath.Join(s.tmp, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// sleeper is a workflow whose job outlasts every patience.
const sleeper = `
git -C hello pull -q
printf 'on: {issues: {types: [labeled]}}\njobs:\n  sleep:\n    runs-on: ubuntu-latest\n    steps: [{run: "echo $TOKEN; setsid sleep 601 & sleep 602", env: {TOKEN: "${{ github.token }}"}}]\n' > hello/.github/workflows/sleep.yml
git -C hello add .
git -C hello -c user.name=Me -c user.email=me@example.com commit -qm "Sleep"
git -C hello push -q
curl -fsS -H "Authorization: Bearer $GITHUB_TOKEN" "$GITHUB_API_URL/repos/acme/hello/issues/1/labels" -d '{"labels":["sleep"]}'
`

// TestServeEndsWhatRuns interrupts it while a job runs; no log holds a token.
func TestServeEndsWhatRuns(t *testing.T) {
	s := serve(t, "--journal")
	s.paste(t.TempDir(), sleeper)
	eventually(t, "the job runs", func() bool { return strings.Contains(strings.Join(alive(t, s.tmp), "\n"), "sleep 602") })
	var found []string
	err := filepath.WalkDir(s.tmp, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			data, _ := os.ReadFile(path)
			for _, token := range regexp.MustCompile(`ghp_\w+`).FindAllString(s.welcome, -1) {
				if bytes.Contains(data, []byte(token)) {
					found = append(found, path)
				}
			}
		}
		return nil // files come and go while jobs run
	})
	if err != nil || len(found) > 0 {
		t.Errorf("files with a token: %q, %v", found, err)
	}
	for range 3 { // timeout(1) sends its signal more than once; that is one interrupt
		if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	if code := s.wait(); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.err.String())
	}
	after, told := strings.CutPrefix(s.out.String(), s.welcome)
	if !told || regexp.MustCompile(`gh[ps]_\w{20}`).MatchString(after) {
		t.Errorf("the journal shows a token:\n%s", after)
	}
	nothingLeft(t, s)
}

// TestServeSeed begins with an archive: its repository can be cloned with the token of its user, and no
// value of a secret is shown.
func TestServeSeed(t *testing.T) {
	t.Setenv("APP_TOKEN", "a value that nobody shows")
	s := serve(t, "--journal", "--seed", "../world/fixture/testdata/acme.txtar")
	token := regexp.MustCompile(`(?m)^  ada +(ghp_\w+)$`).FindStringSubmatch(s.welcome)
	clone := regexp.MustCompile(`(?m)^  (http://\S+/acme/app\.git)$`).FindStringSubmatch(s.welcome)
	if token == nil || clone == nil {
		t.Fatalf("no token of ada, or no acme/app:\n%s", s.welcome)
	}
	dir := filepath.Join(t.TempDir(), "app")
	out, err := exec.Command("git", "clone", "-q", strings.Replace(clone[1], "http://", "http://x:"+token[1]+"@", 1), dir).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "parser.go")); err != nil || string(text) != "package parser\n" {
		t.Errorf("got %q, %v", text, err)
	}
	for _, want := range []string{`(?m)^  ada-classic +ghp_\w+   ada, classic: repo$`, `(?m)^  ada-fine +github_pat_\w+   ada, fine-grained for acme \(acme/app\): issues read$`,
		`(?m)^  app triager: id \d+, client id \S+, key \S+/triager\.pem$`, `(?m)^    installation 1 on acme$`} {
		if !regexp.MustCompile(want).MatchString(s.welcome) {
			t.Errorf("the greeting has no %s:\n%s", want, s.welcome)
		}
	}
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("skipped: openssl is not installed, so nobody signed as an app")
	}
	if out := s.paste(t.TempDir()); !strings.Contains(out, `"token":"ghs_`) {
		t.Errorf("what was pasted got no token of the app:\n%s", out)
	}
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := s.wait(); code != 0 || strings.Contains(s.out.String()+s.err.String(), "nobody shows") {
		t.Errorf("exit code %d\n%s%s", code, s.out.String(), s.err.String())
	}
	nothingLeft(t, s)
}

// TestServeUsage holds what is known before anything is served.
func TestServeUsage(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := strconv.Itoa(taken.Addr().(*net.TCPAddr).Port)
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"taken port", []string{"--port", port}, "port " + port + " is taken"},
		{"no port", []string{"--port", "0"}, "--port is 1 to 65535"},
		{"no such port", []string{"--port", "70000"}, "--port is 1 to 65535"},
		{"no number", []string{"--port", "http"}, "invalid argument"},
		{"an argument", []string{"here"}, "unknown command"},
		{"no seed", []string{"--seed", "nowhere"}, "read seed: stat nowhere"},
		{"a folder that is no seed", []string{"--seed", "testdata"}, "testdata: read seed: seed.yaml:1: there is no seed.yaml"},
		{"a secret without a value", []string{"--seed", "../world/fixture/testdata/acme.txtar"}, "the variable APP_TOKEN is not set"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tmp := t.TempDir()
			t.Setenv("TMPDIR", tmp)
			code, out := run(t, cli.Options{}, append([]string{"serve"}, tt.args...)...)
			if code != 2 || !strings.Contains(out, tt.want) || strings.Contains(out, "export") {
				t.Errorf("exit code %d, want 2; output\n%s\nwant it to contain %q", code, out, tt.want)
			}
			if left, err := filepath.Glob(filepath.Join(tmp, "*")); err != nil || len(left) > 0 {
				t.Errorf("left behind: %q, %v", left, err)
			}
		})
	}
}
