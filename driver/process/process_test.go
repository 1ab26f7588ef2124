package process_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/driver/process"
	"github.com/understudy-dev/understudy/internal/ledger"
)

// bin holds understudy-job and the stand-in for the kit, built once for all tests.
var bin string

func TestMain(m *testing.M) {
	code, err := build(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

func build(m *testing.M) (int, error) {
	dir, err := os.MkdirTemp("", "process-test")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	out, err := exec.Command("go", "build", "-o", dir+"/", "../../cmd/understudy-job", "./testdata/kit").CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("go build: %w\n%s", err, out)
	}
	bin = dir
	return m.Run(), nil
}

func holder() string { return filepath.Join(bin, "understudy-job") }

// bothForms runs a test with namespaces, where this machine has them, and without.
func bothForms(t *testing.T, test func(t *testing.T, namespaces bool)) {
	t.Run("group", func(t *testing.T) { test(t, false) })
	if err := process.Namespaces(t.Context(), holder()); err != nil {
		t.Logf("not tried with namespaces: %v", err)
		return
	}
	t.Run("namespaces", func(t *testing.T) { test(t, true) })
}

func launcher(t *testing.T, o process.Options) *process.Launcher {
	t.Helper()
	o.Holder = holder()
	l := process.New(o)
	t.Cleanup(func() {
		if err := l.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return l
}

func bash(script string) driver.Spec {
	return driver.Spec{Argv: []string{"bash", "-c", script}, Env: []string{"PATH=" + os.Getenv("PATH")}}
}

func run(t *testing.T, l *process.Launcher, s driver.Spec) (driver.Exit, string) {
	t.Helper()
	var out bytes.Buffer
	s.Stdout, s.Stderr = &out, &out
	p, err := l.Start(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	exit, err := p.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return exit, out.String()
}

func TestExitSaysHowTheProgramEnded(t *testing.T) {
	bothForms(t, func(t *testing.T, ns bool) {
		l := launcher(t, process.Options{Namespaces: ns})
		for _, tc := range []struct {
			name string
			spec driver.Spec
			want driver.Exit
		}{
			{"zero", bash("exit 0"), driver.Exit{Kind: driver.Exited}},
			{"code", bash("exit 3"), driver.Exit{Kind: driver.Exited, Code: 3}},
			{"a code like a signal's", bash("exit 137"), driver.Exit{Kind: driver.Exited, Code: 137}},
			{"signal", bash("kill -KILL $$"), driver.Exit{Kind: driver.Signaled, Signal: "SIGKILL"}},
			{"other signal", bash("kill -USR1 $$"), driver.Exit{Kind: driver.Signaled, Signal: "SIGUSR1"}},
		} {
			if got, _ := run(t, l, tc.spec); !cmp.Equal(got, tc.want) {
				t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
			}
		}
	})
}

func TestWhatCannotBeStartedSaysSo(t *testing.T) {
	bothForms(t, func(t *testing.T, ns bool) {
		l := launcher(t, process.Options{Namespaces: ns})
		file := filepath.Join(t.TempDir(), "text")
		if err := os.WriteFile(file, []byte("no program"), 0o644); err != nil {
			t.Fatal(err)
		}
		for name, spec := range map[string]driver.Spec{
			"not on PATH":    {Argv: []string{"no-such-program"}, Env: []string{"PATH=/usr/bin"}},
			"not executable": {Argv: []string{file}},
			"no such dir":    {Argv: []string{"true"}, Env: []string{"PATH=/usr/bin"}, Dir: "/no/such/dir"},
		} {
			exit, _ := run(t, l, spec)
			if exit.Kind != driver.NotStarted || exit.Why == "" {
				t.Errorf("%s: got %v, want not started and why", name, exit)
			}
		}
	})
}

func TestMisuseIsAnError(t *testing.T) {
	l := launcher(t, process.Options{})
	for name, spec := range map[string]driver.Spec{
		"no command":      {},
		"nameless env":    {Argv: []string{"true"}, Env: []string{"=x"}},
		"env without '='": {Argv: []string{"true"}, Env: []string{"X"}},
	} {
		if _, err := l.Start(t.Context(), spec); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	none := process.New(process.Options{Holder: "/no/such/holder"})
	if _, err := none.Start(t.Context(), bash("exit 0")); err == nil {
		t.Error("no holder: no error")
	}
}

func TestEnvironmentIsSealed(t *testing.T) {
	t.Setenv("LEAK", "leaky")
	t.Setenv("GITHUB_TOKEN", "ghp_leaky")
	t.Setenv("BASH_ENV", "/leaky")
	bothForms(t, func(t *testing.T, ns bool) {
		l := launcher(t, process.Options{Namespaces: ns})
		_, got := run(t, l, driver.Spec{Argv: []string{"/usr/bin/env"}, Env: []string{"A=1", "B=x y"}})
		if diff := cmp.Diff("A=1\nB=x y\n", got); diff != "" {
			t.Errorf("environment (-want +got):\n%s", diff)
		}
		if _, got := run(t, l, driver.Spec{Argv: []string{"/usr/bin/env"}}); got != "" {
			t.Errorf("with no Env: got %q", got)
		}
	})
}

func TestWaitEndsTheProgramWithItsContext(t *testing.T) {
	bothForms(t, func(t *testing.T, ns bool) {
		l := launcher(t, process.Options{Namespaces: ns})
		s, alive := watched(t, escape+"trap '' TERM HUP INT; sleep 600")
		p, err := l.Start(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		alive.started()
		exit, err := p.Wait(ctx)
		if err != nil || exit.Kind != driver.TimedOut {
			t.Errorf("got %v, %v; want timed out", exit, err)
		}
		alive.gone()
		if again, err := p.Wait(t.Context()); err != nil || again != exit {
			t.Errorf("second Wait: %v, %v", again, err)
		}
	})
}

func TestGivingUpIsNoTimeOut(t *testing.T) {
	bothForms(t, func(t *testing.T, ns bool) {
		l := launcher(t, process.Options{Namespaces: ns})
		s, alive := watched(t, escape+"sleep 600")
		p, err := l.Start(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		alive.started()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if exit, err := p.Wait(ctx); !errors.Is(err, context.Canceled) || exit.Kind == driver.TimedOut {
			t.Errorf("got %v, %v; want the context's error", exit, err)
		}
		alive.gone()
	})
}

// TestCloseDuringStart closes while a program is being started: Close returns, and nothing is left.
func TestCloseDuringStart(t *testing.T) {
	bothForms(t, func(t *testing.T, ns bool) {
		for range 20 {
			l := launcher(t, process.Options{Namespaces: ns})
			started := make(chan error, 1)
			go func() {
				_, err := l.Start(t.Context(), bash("sleep 600"))
				started <- err
			}()
			if err := l.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := <-started; err != nil && !errors.Is(err, process.ErrClosed) {
				t.Fatal(err)
			}
		}
	})
}

// TestKilledHolderLeavesNothing kills the holder itself, which no lifeline can tell.
func TestKilledHolderLeavesNothing(t *testing.T) {
	bothForms(t, func(t *testing.T, ns bool) {
		l := launcher(t, process.Options{Namespaces: ns})
		s, alive := watched(t, "echo up; sleep 600")
		p, err := l.Start(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		alive.started()
		killHolder(t)
		if exit, err := p.Wait(t.Context()); err != nil || exit.Signal != "SIGKILL" {
			t.Errorf("got %v, %v", exit, err)
		}
		alive.gone()
	})
}

// killHolder kills the one child that this test has: the holder.
func killHolder(t *testing.T) {
	t.Helper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range lists {
		pids, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		for _, pid := range strings.Fields(string(pids)) {
			n, err := strconv.Atoi(pid)
			if err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(n, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestStopIsPoliteFirst(t *testing.T) {
	bothForms(t, func(t *testing.T, ns bool) {
		l := launcher(t, process.Options{Namespaces: ns})
		s, alive := watched(t, "trap 'echo bye; exit 5' TERM; sleep 600 & echo up; wait")
		p, err := l.Start(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		alive.started()
		if err := p.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		exit, err := p.Wait(t.Context())
		if want := (driver.Exit{Kind: driver.Exited, Code: 5}); err != nil || exit != want {
			t.Errorf("got %v, %v; want %v", exit, err, want)
		}
		if rest := alive.gone(); rest != "bye\n" {
			t.Errorf("output after the signal: %q", rest)
		}
	})
}

func TestStopForcesAtTheEndOfItsContext(t *testing.T) {
	bothForms(t, func(t *testing.T, ns bool) {
		l := launcher(t, process.Options{Namespaces: ns})
		s, alive := watched(t, "trap '' TERM; echo up; while :; do sleep 600; done")
		p, err := l.Start(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		alive.started()
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if err := p.Stop(ctx); err != nil {
			t.Fatal(err)
		}
		exit, err := p.Wait(t.Context())
		if want := (driver.Exit{Kind: driver.Signaled, Signal: "SIGKILL"}); err != nil || exit != want {
			t.Errorf("got %v, %v; want %v", exit, err, want)
		}
		alive.gone()
	})
}

// escape leaves processes in sessions of their own, deaf to polite signals, twice removed and below
// a dead parent; the last of them says that all are there.
const escape = `(setsid bash -c 'trap "" TERM HUP; sleep 600 & setsid bash -c "echo up; exec sleep 600" & exec sleep 600' &); `

func TestNothingOutlivesTheProgram(t *testing.T) {
	bothForms(t, func(t *testing.T, ns bool) {
		l := launcher(t, process.Options{Namespaces: ns})
		s, alive := watched(t, escape+"read x")
		in, feed := io.Pipe()
		s.Stdin = in
		p, err := l.Start(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		alive.started()
		feed.CloseWithError(io.EOF)
		if exit, err := p.Wait(t.Context()); err != nil || exit.Kind != driver.Exited {
			t.Errorf("got %v, %v", exit, err)
		}
		alive.gone()
	})
}

func TestNothingOutlivesTheKilledKit(t *testing.T) {
	bothForms(t, func(t *testing.T, ns bool) {
		form := "group"
		if ns {
			form = "ns"
		}
		s, alive := watched(t, escape+"sleep 600")
		kit := exec.Command(filepath.Join(bin, "kit"), append([]string{holder(), form}, s.Argv...)...)
		kit.ExtraFiles, kit.Stderr = s.Files, os.Stderr
		if err := kit.Start(); err != nil {
			t.Fatal(err)
		}
		alive.started()
		if err := kit.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = kit.Wait()
		alive.gone()
	})
}

func TestCloseEndsAllAndRefusesMore(t *testing.T) {
	bothForms(t, func(t *testing.T, ns bool) {
		l := launcher(t, process.Options{Namespaces: ns})
		s, alive := watched(t, escape+"trap '' TERM; sleep 600")
		s.Daemon = true
		if _, err := l.Start(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		alive.started()
		if err := l.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		alive.gone()
		if _, err := l.Start(t.Context(), bash("exit 0")); !errors.Is(err, process.ErrClosed) {
			t.Errorf("Start after Close: %v", err)
		}
	})
}

func TestObligationIsOpenUntilTheEndOfOutput(t *testing.T) {
	bothForms(t, func(t *testing.T, ns bool) {
		led := ledger.New()
		l := launcher(t, process.Options{Namespaces: ns, Ledger: led})
		s := bash("read x")
		in, feed := io.Pipe()
		s.Stdin = in
		p, err := l.Start(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"process bash"}, led.Pending()); diff != "" {
			t.Errorf("while it runs (-want +got):\n%s", diff)
		}
		feed.Close()
		if _, err := p.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := led.Pending(); len(got) != 0 {
			t.Errorf("after it ended: %v", got)
		}
		daemon := bash("echo up; exec sleep 600")
		daemon.Daemon = true
		if _, err := l.Start(t.Context(), daemon); err != nil {
			t.Fatal(err)
		}
		if got := led.Pending(); len(got) != 0 {
			t.Errorf("a daemon holds back quiet: %v", got)
		}
	})
}

func TestOutputIsCompleteAndBounded(t *testing.T) {
	bothForms(t, func(t *testing.T, ns bool) {
		l := launcher(t, process.Options{Namespaces: ns, MaxOutput: 1 << 20})
		// A background process writes after its parent has gone; what it wrote before the end counts.
		for range 20 {
			_, got := run(t, l, bash("seq 1 20000; echo last; exit 1"))
			if !strings.HasSuffix(got, "\nlast\n") || strings.Count(got, "\n") != 20001 {
				t.Fatalf("got %d lines, ending in %q", strings.Count(got, "\n"), got[max(0, len(got)-20):])
			}
		}
		exit, got := run(t, l, bash("head -c 3000000 /dev/zero; exit 0"))
		if want := "\x00\n[output cut after 1048576 bytes]\n"; !exit.OK() || !strings.HasSuffix(got, want) || len(got) != 1<<20+len(want)-1 {
			t.Errorf("%v, %d bytes, ending in %q", exit, len(got), got[max(0, len(got)-40):])
		}
	})
}

func TestFilesBecomeDescriptorsFromThree(t *testing.T) {
	bothForms(t, func(t *testing.T, ns bool) {
		l := launcher(t, process.Options{Namespaces: ns})
		var files []*os.File
		for i := range 3 {
			f, err := os.Create(filepath.Join(t.TempDir(), "f"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			fmt.Fprintf(f, "file %d\n", i)
			f.Seek(0, io.SeekStart)
			files = append(files, f)
		}
		s := bash("cat <&3 <&4; cat <&4; cat <&5; ls /proc/self/fd | sort -n | tr '\\n' ' '")
		s.Files = files
		_, got := run(t, l, s)
		// ls itself opens one descriptor more, the directory: 6. The lifeline must not be there.
		if want := "file 1\nfile 2\n0 1 2 3 4 5 6 "; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
