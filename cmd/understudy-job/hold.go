package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/understudy-dev/understudy/cmd/understudy-job/step"
	"github.com/understudy-dev/understudy/internal/jobwire"
)

// hold runs one program. Descriptors 3 … 3+files-1 belong to that program; the lifeline and the
// status come after them. The lifeline is the read end of a pipe whose write end only the kit has:
// when it closes, for whatever reason, the program and all it started are ended.
type hold struct {
	files     int
	namespace bool
	lifeline  *os.File
	status    *os.File
	argv      []string
}

func holdCommand(args []string, stderr io.Writer) int {
	fs := flag.NewFlagSet("hold", flag.ContinueOnError)
	fs.SetOutput(stderr)
	var h hold
	lifeline := fs.Int("lifeline-fd", -1, "descriptor whose end of file ends everything")
	status := fs.Int("status-fd", -1, "descriptor that gets the exit as one JSON line")
	fs.IntVar(&h.files, "files", 0, "how many descriptors from 3 on belong to the program")
	fs.BoolVar(&h.namespace, "ns", false, "this process is the first one of its PID namespace")
	if err := fs.Parse(args); err != nil {
		return exitUsage
	}
	h.argv = fs.Args()
	if len(h.argv) == 0 {
		fmt.Fprintln(stderr, "understudy-job: error: hold: no command after --")
		return exitUsage
	}
	step.Seal(3) // whatever this process was given, and was not meant to be passed on
	if h.lifeline = ownDescriptor(*lifeline, "lifeline"); h.lifeline == nil && *lifeline >= 0 {
		return exitUsage
	}
	h.status = ownDescriptor(*status, "status")
	return h.run(stderr)
}

func ownDescriptor(fd int, name string) *os.File {
	if fd < 0 {
		return nil
	}
	return os.NewFile(uintptr(fd), name)
}

func (h *hold) run(stderr io.Writer) int {
	if err := isolate(h.namespace); err != nil {
		return h.notStarted(err, stderr)
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	path, err := exec.LookPath(h.argv[0])
	if err != nil {
		return h.notStarted(err, stderr)
	}
	// Started by ForkExec, not by package os: every child of this process is waited for in one
	// place, below, and nothing else may take the exit of the program away.
	fds := []uintptr{0, 1, 2}
	for fd := 3; fd < 3+h.files; fd++ {
		fds = append(fds, uintptr(fd))
	}
	// This goroutine keeps its thread to the end, so that the program is the thread's for as long as
	// this process lives: see ownSession.
	runtime.LockOSThread()
	pid, err := syscall.ForkExec(path, h.argv, &syscall.ProcAttr{Env: os.Environ(), Files: fds, Sys: ownSession()})
	if err != nil {
		return h.notStarted(fmt.Errorf("start %s: %w", h.argv[0], err), stderr)
	}
	h.report(jobwire.Held{Started: true, PID: pid})
	go h.watch(pid)
	go forward(signals, pid)
	ws := reap(pid)
	h.report(exitOf(ws))
	sweep(pid, h.namespace)
	if ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return ws.ExitStatus()
}

// watch ends the program when the lifeline does. The main flow then sees its exit and ends the rest.
func (h *hold) watch(pid int) {
	if h.lifeline == nil {
		return
	}
	_, _ = io.Copy(io.Discard, h.lifeline)
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	_ = syscall.Kill(pid, syscall.SIGKILL) // it may have moved to another group
}

func forward(signals <-chan os.Signal, pid int) {
	for s := range signals {
		_ = syscall.Kill(-pid, s.(syscall.Signal))
	}
}

// reap waits for children, whoever they are, until the program itself has ended.
func reap(pid int) syscall.WaitStatus {
	for {
		var ws syscall.WaitStatus
		got, err := syscall.Wait4(-1, &ws, 0, nil)
		if err == nil && got == pid {
			return ws
		}
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return ws
		}
	}
}

func exitOf(ws syscall.WaitStatus) jobwire.Held {
	if ws.Signaled() {
		return jobwire.Held{Signal: signalName(ws.Signal())}
	}
	return jobwire.Held{Code: ws.ExitStatus()}
}

func (h *hold) report(e jobwire.Held) {
	if h.status == nil {
		return
	}
	_ = json.NewEncoder(h.status).Encode(e) // the kit may be gone; nobody else wants to know
}

func (h *hold) notStarted(err error, stderr io.Writer) int {
	if h.status == nil {
		fmt.Fprintf(stderr, "understudy-job: error: %v\n", err)
	}
	h.report(jobwire.Held{NotStarted: err.Error()})
	return exitFailed
}
