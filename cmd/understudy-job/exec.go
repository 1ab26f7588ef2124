package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/understudy-dev/understudy/cmd/understudy-job/step"
	"github.com/understudy-dev/understudy/internal/jobwire"
)

// foreground runs one program in the terminal, the process group and the session of whoever started
// the kit. The control socket is its lifeline: when the kit's end closes, the program and all it
// started are ended. Each byte that comes on it is a signal that the kit got.
type foreground struct {
	network bool // this process is the first one of a PID, a mount and a network namespace
	address netip.Addr
	mounts  mounts
	control *net.UnixConn
	argv    []string
}

// mounts are files to be seen in the place of others.
type mounts []mount

type mount struct{ from, to string }

// String implements flag.Value.
func (m *mounts) String() string { return fmt.Sprint(*m) }

// Set implements flag.Value.
func (m *mounts) Set(s string) error {
	from, to, ok := strings.Cut(s, "=")
	if !ok || !filepath.IsAbs(from) || !filepath.IsAbs(to) {
		return errors.New("want FILE=IN-PLACE-OF, two absolute paths")
	}
	*m = append(*m, mount{from, to})
	return nil
}

func execCommand(args []string, stderr io.Writer) int {
	fs := flag.NewFlagSet("exec", flag.ContinueOnError)
	fs.SetOutput(stderr)
	var f foreground
	control := fs.Int("control-fd", -1, "descriptor of the control socket")
	address := fs.String("network", "", "address of the hosts in a network namespace; this process is the first one of its PID namespace")
	fs.Var(&f.mounts, "mount", "`FILE=IN-PLACE-OF`, in the mount namespace")
	if err := fs.Parse(args); err != nil {
		return exitUsage
	}
	f.argv = fs.Args()
	err := f.check(*address, *control)
	if err != nil {
		fmt.Fprintf(stderr, "understudy-job: error: exec: %v\n", err)
		return exitUsage
	}
	defer f.control.Close()
	return f.run()
}

func (f *foreground) check(address string, control int) (err error) {
	if len(f.argv) == 0 {
		return errors.New("no command after --")
	}
	if f.network = address != ""; f.network {
		if f.address, err = netip.ParseAddr(address); err != nil {
			return err
		}
	}
	if !f.network && len(f.mounts) > 0 {
		return errors.New("--mount needs --network")
	}
	step.Seal(3)
	file := ownDescriptor(control, "control")
	if file == nil {
		return errors.New("--control-fd is missing")
	}
	defer file.Close()
	c, err := net.FileConn(file)
	if err != nil {
		return fmt.Errorf("control socket: %w", err)
	}
	var ok bool
	if f.control, ok = c.(*net.UnixConn); !ok {
		return errors.New("control socket: not a unix socket")
	}
	return nil
}

// run returns the exit code, which nobody reads while the kit lives: it gets a report.
func (f *foreground) run() int {
	if err := f.prepare(); err != nil {
		return f.notStarted(err)
	}
	own := make(chan os.Signal, 64)
	for _, s := range passed() {
		if !signal.Ignored(s) {
			signal.Notify(own, s)
		}
	}
	path, err := exec.LookPath(f.argv[0])
	if err != nil {
		return f.notStarted(err)
	}
	// As in hold: one thread to the end, and all children waited for in one place.
	runtime.LockOSThread()
	dropPrivileges()
	pid, err := syscall.ForkExec(path, f.argv, &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{0, 1, 2}, Sys: ownDeath()})
	if err != nil {
		return f.notStarted(fmt.Errorf("start %s: %w", f.argv[0], err))
	}
	told := make(chan syscall.Signal)
	go f.listen(pid, told)
	go passOn(pid, own, told)
	ws := reap(pid)
	if ws.Signaled() {
		f.report(jobwire.Foreground{Signal: int(ws.Signal())})
	} else {
		f.report(jobwire.Foreground{Code: ws.ExitStatus()})
	}
	sweep(pid, f.network)
	if ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return ws.ExitStatus()
}

// prepare makes everything ready for the program, and tells the kit so.
func (f *foreground) prepare() error {
	if err := isolate(f.network); err != nil {
		return err
	}
	report := jobwire.Foreground{Ready: true}
	var fds []int
	if f.network {
		sockets, err := f.enter()
		if err != nil {
			return err
		}
		for _, s := range sockets {
			defer s.file.Close()
			report.Sockets = append(report.Sockets, s.name)
			fds = append(fds, int(s.file.Fd()))
		}
	}
	b, err := json.Marshal(report)
	if err != nil {
		return err
	}
	var rights []byte
	if len(fds) > 0 {
		rights = syscall.UnixRights(fds...)
	}
	_, _, err = f.control.WriteMsgUnix(b, rights, nil)
	return err
}

// socket is one that the kit serves.
type socket struct {
	name string
	file *os.File
}

// listen reads the control socket. Its end ends the program.
func (f *foreground) listen(pid int, told chan<- syscall.Signal) {
	for {
		b := make([]byte, 16)
		n, err := f.control.Read(b)
		if n == 0 || err != nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			return
		}
		for _, s := range b[:n] {
			told <- syscall.Signal(s)
		}
	}
}

func (f *foreground) report(r jobwire.Foreground) {
	if b, err := json.Marshal(r); err == nil {
		_, _ = f.control.Write(b) // the kit may be gone; nobody else wants to know
	}
}

func (f *foreground) notStarted(err error) int {
	f.report(jobwire.Foreground{NotStarted: err.Error()})
	return exitFailed
}
