// Command picture makes the pictures of the documentation, each from something that really happened: the
// report of a run of crew with a seeded defect, and the page of a served forge whose workflow has just
// answered.
//
//	go run ./internal/picture docs/images    # from the module's root, with chromium on the PATH
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/internal/chromium"
)

// A defect of crew, and the scenario that catches it.
const (
	defect   = "label-despite-failure"
	scenario = "triage.feature:51"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "picture: error:", err)
		os.Exit(1)
	}
}

// studio is where pictures are made.
type studio struct {
	dir  string // for the pictures
	work string
	bin  string // understudy
	b    *chromium.Browser
}

func run(ctx context.Context, args []string) (err error) {
	if len(args) != 1 {
		return errors.New("usage: picture DIR")
	}
	path, err := chromium.Find()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "understudy-picture-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	s := &studio{dir: args[0], work: work, bin: filepath.Join(work, "understudy")}
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", s.bin, "./cmd/understudy").CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	if s.b, err = chromium.Start(ctx, path, filepath.Join(work, "chromium")); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.b.Close()) }()
	if err := s.b.Tab(); err != nil {
		return err
	}
	if err := s.b.Look(chromium.View{Width: 1100, Height: 860, Scheme: "light"}); err != nil {
		return err
	}
	return errors.Join(s.report(ctx), s.serve(ctx))
}

// take keeps what can be seen now.
func (s *studio) take(name string) error {
	png, err := s.b.Picture()
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d KB\n", name, len(png)/1000)
	return os.WriteFile(filepath.Join(s.dir, name), png, 0o644)
}

// report shows the scenario that catches the defect.
func (s *studio) report(ctx context.Context) error {
	out := filepath.Join(s.work, "out")
	said, err := exec.CommandContext(ctx, s.bin, "run", "examples/acceptance", "--defect", defect, "--out", out, "--annotations", "none").CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		return fmt.Errorf("a run with the defect %s should fail: %v\n%s", defect, err, said)
	}
	if err := s.b.Open("file://" + filepath.Join(out, "index.html") + "#" + scenario); err != nil {
		return err
	}
	if err := s.b.Until(`document.querySelector("details.failed[open] .problem")`); err != nil {
		return err
	}
	return s.take("failing-report.png")
}

// serve shows what came of a label.
func (s *studio) serve(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, s.bin, "serve")
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, cmd.Process.Signal(os.Interrupt))
		_, cerr := io.Copy(io.Discard, stdout)
		err = errors.Join(err, cerr, cmd.Wait())
	}()
	var said strings.Builder
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "issues/1/labels") {
			break
		}
	}
	_, paste, ok := strings.Cut(said.String(), "\n  export ")
	if !ok {
		return fmt.Errorf("serve printed nothing to export:\n%s", said.String())
	}
	script := "export " + paste + "\nprintf %s \"$GITHUB_API_URL\" >&3\n"
	url, err := s.paste(ctx, script)
	if err != nil {
		return err
	}
	root := strings.TrimSuffix(url, "/api/v3") + "/_/"
	// The run has ended once its page says so; then the journal has all that came of the label.
	for _, step := range []struct{ open, until, do string }{
		{"run/1", `document.querySelector("h2 .status")?.innerText === "success"`, ""},
		{"journal?q=issues.labeled+hello", `document.querySelector(".effect a")`, `document.querySelector(".effect a").click()`},
	} {
		if err := s.b.Open(root + step.open); err != nil {
			return err
		}
		if err := s.b.Until(step.until); err != nil {
			return err
		}
		if err := s.b.Eval(step.do, nil); err != nil {
			return err
		}
	}
	if err := s.b.Until(`document.querySelector("[name=cause]")?.value`); err != nil {
		return err
	}
	if err := s.b.Look(chromium.View{Width: 1100, Height: 640, Scheme: "light"}); err != nil {
		return err
	}
	return s.take("serve-journal.png")
}

// paste gives bash what a person would paste, and returns what it writes to descriptor 3.
func (s *studio) paste(ctx context.Context, script string) (string, error) {
	home := filepath.Join(s.work, "home")
	if err := os.Mkdir(home, 0o755); err != nil {
		return "", err
	}
	told, err := os.CreateTemp(s.work, "told-")
	if err != nil {
		return "", err
	}
	defer told.Close()
	cmd := exec.CommandContext(ctx, "bash", "-e")
	cmd.Dir, cmd.Stdin, cmd.ExtraFiles = home, strings.NewReader(script), []*os.File{told}
	cmd.Env = append(os.Environ(), "HOME="+home, "GIT_CONFIG_NOSYSTEM=1")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("what serve prints does not work: %w\n%s", err, out.String())
	}
	url, err := os.ReadFile(told.Name())
	return string(url), err
}
