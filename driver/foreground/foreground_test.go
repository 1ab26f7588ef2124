package foreground_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/understudy-dev/understudy/driver/foreground"
)

// holder is understudy-job, built once for all tests.
var holder string

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
	dir, err := os.MkdirTemp("", "foreground-test")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	out, err := exec.Command("go", "build", "-o", dir+"/", "../../cmd/understudy-job").CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("go build: %w\n%s", err, out)
	}
	holder = filepath.Join(dir, "understudy-job")
	return m.Run(), nil
}

var address = netip.MustParseAddr("140.82.121.3")

// bothNetworks runs a test in this network and, where the machine gives one, in one of the program's own.
func bothNetworks(t *testing.T, test func(t *testing.T, n *foreground.Network)) {
	t.Run("this", func(t *testing.T) { test(t, nil) })
	p, err := foreground.Start(t.Context(), foreground.Options{Holder: holder, Argv: []string{"true"}, Env: os.Environ(), Network: &foreground.Network{Address: address}})
	if err != nil {
		t.Logf("not tried in a network of its own: %v", err)
		return
	}
	closeAll(t, p)
	t.Run("own", func(t *testing.T) { test(t, &foreground.Network{Address: address}) })
}

func closeAll(t *testing.T, p *foreground.Program) {
	t.Helper()
	for _, c := range []io.Closer{p.HTTPS, p.HTTP, p.Names, p.Packets} {
		if c != nil && c != io.Closer((*os.File)(nil)) {
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func start(t *testing.T, n *foreground.Network, out io.Writer, script string) *foreground.Program {
	t.Helper()
	p, err := foreground.Start(t.Context(), foreground.Options{
		Holder: holder, Argv: []string{"bash", "-c", script}, Env: []string{"PATH=" + os.Getenv("PATH")}, Stdout: out, Stderr: out, Network: n,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeAll(t, p) })
	return p
}

func TestExit(t *testing.T) {
	bothNetworks(t, func(t *testing.T, n *foreground.Network) {
		for script, want := range map[string]foreground.Exit{
			"exit 0":        {},
			"exit 137":      {Code: 137},
			"kill -KILL $$": {Code: 137, Signal: "SIGKILL"},
			"kill -USR2 $$": {Code: 140, Signal: "SIGUSR2"},
		} {
			got, err := start(t, n, nil, script).Wait()
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%s: %v (-want +got):\n%s", script, err, diff)
			}
		}
	})
}

func TestWhatCannotBeStarted(t *testing.T) {
	bothNetworks(t, func(t *testing.T, n *foreground.Network) {
		p, err := foreground.Start(t.Context(), foreground.Options{Holder: holder, Argv: []string{"no-such-program"}, Env: []string{"PATH=/usr/bin"}, Network: n})
		if err != nil {
			t.Fatal(err)
		}
		defer closeAll(t, p)
		if exit, err := p.Wait(); err != nil || !strings.Contains(exit.NotStarted, "no-such-program") {
			t.Errorf("got %+v, %v", exit, err)
		}
	})
}

// TestRefused tells a machine without such networks from a program that cannot be started.
func TestRefused(t *testing.T) {
	var refused *foreground.RefusedError
	for name, tt := range map[string]struct {
		o       foreground.Options
		refused bool
	}{
		"no command":        {foreground.Options{Holder: holder}, false},
		"no holder":         {foreground.Options{Holder: "/no/such", Argv: []string{"true"}}, false},
		"another holder":    {foreground.Options{Holder: "/bin/false", Argv: []string{"true"}}, false},
		"its network fails": {foreground.Options{Holder: "/bin/false", Argv: []string{"true"}, Network: &foreground.Network{Address: address}}, true},
		"version 6":         {foreground.Options{Holder: holder, Argv: []string{"true"}, Network: &foreground.Network{Address: netip.IPv6Loopback()}}, false},
		"no such place": {foreground.Options{Holder: holder, Argv: []string{"true"}, Network: &foreground.Network{
			Address: address, Mounts: []foreground.Mount{{File: "/etc/passwd", InPlaceOf: "/no/such"}}}}, true},
	} {
		p, err := foreground.Start(t.Context(), tt.o)
		if err == nil {
			closeAll(t, p)
		}
		if err == nil || errors.As(err, &refused) != tt.refused {
			t.Errorf("%s: got %v; refused: want %t", name, err, tt.refused)
		}
	}
}

// TestCloseEndsEverything closes while the program and a session of its own go on.
func TestCloseEndsEverything(t *testing.T) {
	bothNetworks(t, func(t *testing.T, n *foreground.Network) {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer read.Close()
		p := start(t, n, write, "echo up; setsid sleep 601 & trap '' TERM INT HUP; sleep 602; sleep 603")
		write.Close()
		up := make([]byte, 3)
		if _, err := io.ReadFull(read, up); err != nil {
			t.Fatal(err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if _, err := io.ReadAll(read); err != nil { // ends when nobody has the pipe any more
			t.Error(err)
		}
	})
}

// TestSignal sends what this process alone was sent.
func TestSignal(t *testing.T) {
	bothNetworks(t, func(t *testing.T, n *foreground.Network) {
		read, write, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer read.Close()
		// Under nohup the test has the signal ignored, and so would the shell, which then can set no trap for it.
		heard := make(chan os.Signal, 1)
		signal.Notify(heard, syscall.SIGHUP)
		defer signal.Stop(heard)
		p := start(t, n, write, "trap 'exit 5' HUP; echo up; while :; do sleep 0.1; done")
		write.Close()
		if _, err := io.ReadFull(read, make([]byte, 3)); err != nil {
			t.Fatal(err)
		}
		if err := p.Signal(syscall.SIGKILL); err == nil {
			t.Error("SIGKILL was passed on")
		}
		if err := p.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		if exit, err := p.Wait(); err != nil || exit.Code != 5 {
			t.Errorf("got %+v, %v", exit, err)
		}
	})
}

// TestNetwork serves a program in a network of its own through the sockets that came out of it.
func TestNetwork(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Log("there are no network namespaces")
		return
	}
	bothNetworks(t, func(t *testing.T, n *foreground.Network) {
		if n == nil {
			return
		}
		file := filepath.Join(t.TempDir(), "hosts")
		if err := os.WriteFile(file, []byte("shown instead\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		n.Mounts = []foreground.Mount{{File: file, InPlaceOf: "/etc/hosts"}}
		var out bytes.Buffer
		p := start(t, n, &out, `
			read -r line < /etc/hosts; echo "$line"
			exec 3<>/dev/tcp/140.82.121.3/80; read -r line <&3; echo "$line"
			echo question >/dev/udp/8.8.8.8/53
			(exec 3<>/dev/tcp/192.0.2.1/22) 2>/dev/null || echo refused`)
		c, err := p.HTTP.Accept()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(c, "served outside")
		c.Close()
		buf := make([]byte, 100)
		got, _, err := p.Names.ReadFrom(buf)
		if err != nil || string(buf[:got]) != "question\n" {
			t.Errorf("asked %q, %v", buf[:got], err)
		}
		if exit, err := p.Wait(); err != nil || exit.Code != 0 {
			t.Errorf("got %+v, %v", exit, err)
		}
		if diff := cmp.Diff("shown instead\nserved outside\nrefused\n", out.String()); diff != "" {
			t.Errorf("output (-want +got):\n%s", diff)
		}
		hosts, err := os.ReadFile("/etc/hosts")
		if err != nil || strings.Contains(string(hosts), "shown instead") {
			t.Errorf("the machine's own file was touched: %q, %v", hosts, err)
		}
		if p.Packets == nil {
			t.Fatal("no packets are seen")
		}
		if err := p.Packets.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		for {
			n, err := p.Packets.Read(buf)
			if err != nil {
				t.Fatalf("no packet to 192.0.2.1: %v", err)
			}
			if n > 20 && bytes.Equal(buf[16:20], []byte{192, 0, 2, 1}) {
				break
			}
		}
	})
}

// TestStartEndsWithItsContext has a holder that never reports.
func TestStartEndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	mute := filepath.Join(dir, "mute")
	if err := os.WriteFile(mute, []byte("#!/bin/bash\nread -r _ <&3\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := foreground.Start(ctx, foreground.Options{Holder: mute, Argv: []string{"true"}, Env: os.Environ()}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
