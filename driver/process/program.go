package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/jobwire"
	"github.com/understudy-dev/understudy/internal/ledger"
)

// outputGrace bounds how long output may stay open after everything has ended: a program can have
// handed its pipe to a process outside, which nobody here can end.
const outputGrace = 10 * time.Second

type program struct {
	l          *Launcher
	name       string
	cmd        *exec.Cmd
	lifeline   *os.File // write end
	status     *os.File // read end
	obligation *ledger.Obligation

	up   chan struct{} // closed when the program runs, or never will
	done chan struct{} // closed when it has ended and its output is complete
	exit driver.Exit   // these two may be read once done is closed
	err  error

	mu       sync.Mutex
	severed  bool
	timedOut bool
}

func (p *program) start(s driver.Spec) error {
	lifeline, lifelineWrite, err := os.Pipe()
	if err != nil {
		return err
	}
	status, statusWrite, err := os.Pipe()
	if err != nil {
		lifeline.Close()
		lifelineWrite.Close()
		return err
	}
	p.hold(lifelineWrite, status)
	args := []string{
		"hold",
		"--files", strconv.Itoa(len(s.Files)),
		"--lifeline-fd", strconv.Itoa(3 + len(s.Files)),
		"--status-fd", strconv.Itoa(4 + len(s.Files)),
	}
	if p.l.opts.Namespaces {
		args = append(args, "--ns")
	}
	p.cmd = exec.Command(p.l.opts.Holder, append(append(args, "--"), s.Argv...)...)
	p.cmd.Dir = s.Dir
	p.cmd.Env = append([]string{}, s.Env...) // not nil: nil would be the kit's own
	p.cmd.Stdin = s.Stdin
	p.cmd.Stdout = limit(s.Stdout, p.l.opts.MaxOutput)
	p.cmd.Stderr = limit(s.Stderr, p.l.opts.MaxOutput)
	if sameWriter(s.Stdout, s.Stderr) {
		p.cmd.Stderr = p.cmd.Stdout // one pipe, so that the order stays
	}
	p.cmd.ExtraFiles = append(append([]*os.File{}, s.Files...), lifeline, statusWrite)
	p.cmd.SysProcAttr = attributes(p.l.opts.Namespaces)
	p.cmd.WaitDelay = outputGrace
	err = p.cmd.Start()
	lifeline.Close()
	statusWrite.Close()
	if err != nil {
		p.finish(driver.Exit{Kind: driver.NotStarted, Why: err.Error()}, nil)
		return nil
	}
	p.l.opts.Log.Info("started", "part", "process", "program", p.name, "pid", p.cmd.Process.Pid)
	go p.await()
	return nil
}

func sameWriter(a, b io.Writer) (same bool) {
	defer func() { _ = recover() }() // writers of a type that cannot be compared are not the same
	return a != nil && a == b
}

// await is the one goroutine of a program; done is its end.
func (p *program) await() {
	var held jobwire.Held
	reports := json.NewDecoder(p.status)
	statusErr := reports.Decode(&held)
	close(p.up)
	started := held.PID
	if statusErr == nil && held.Started {
		held = jobwire.Held{}
		statusErr = reports.Decode(&held)
	}
	waitErr := p.cmd.Wait()
	exit := driver.Exit{Kind: driver.Exited, Code: held.Code}
	switch {
	case statusErr != nil:
		exit = unreported(p.cmd.ProcessState)
		if started > 0 && !p.l.opts.Namespaces {
			// The holder was killed and no namespace ended with it: what it held must not go on.
			_ = syscall.Kill(-started, syscall.SIGKILL)
		}
	case held.NotStarted != "":
		exit = driver.Exit{Kind: driver.NotStarted, Why: held.NotStarted}
	case held.Signal != "":
		exit = driver.Exit{Kind: driver.Signaled, Signal: held.Signal}
	}
	var failed *exec.ExitError
	if errors.As(waitErr, &failed) {
		waitErr = nil // the holder passes the program's code on
	}
	if waitErr != nil {
		waitErr = fmt.Errorf("read the output of %s: %w", p.name, waitErr)
	}
	p.finish(exit, waitErr)
}

// unreported is the exit of a program whose holder was itself ended.
func unreported(state *os.ProcessState) driver.Exit {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return driver.Exit{Kind: driver.Signaled, Signal: signalName(ws.Signal())}
	}
	return driver.Exit{Kind: driver.NotStarted, Why: "the holder ended without a report, " + state.String()}
}

func (p *program) finish(exit driver.Exit, err error) {
	p.cut()
	p.status.Close()
	p.mu.Lock()
	if p.timedOut {
		exit = driver.Exit{Kind: driver.TimedOut}
	}
	p.mu.Unlock()
	p.exit, p.err = exit, err
	p.l.opts.Log.Info("ended", "part", "process", "program", p.name, "exit", exit.String())
	p.l.forget(p)
	close(p.done)
}

// hold keeps the kit's ends of the pipes. A program that was cut before it had a lifeline gets one
// that has ended already.
func (p *program) hold(lifeline, status *os.File) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lifeline, p.status = lifeline, status
	if p.severed {
		_ = lifeline.Close()
	}
}

// cut closes the lifeline. The holder then ends everything, by force.
func (p *program) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.severed {
		return
	}
	p.severed = true
	if p.lifeline != nil {
		_ = p.lifeline.Close()
	}
}

// Wait is documented at driver.Process.
func (p *program) Wait(ctx context.Context) (driver.Exit, error) {
	select {
	case <-p.done:
		return p.exit, p.err
	default:
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		p.mu.Lock()
		p.timedOut = errors.Is(ctx.Err(), context.DeadlineExceeded)
		p.mu.Unlock()
		p.cut()
		<-p.done // bounded: the holder kills, and output is given up after outputGrace
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return p.exit, ctx.Err() // somebody gave up waiting: that is no time-out of the program
		}
	}
	return p.exit, p.err
}

// Stop is documented at driver.Process. Polite is SIGTERM to the program's process group.
func (p *program) Stop(ctx context.Context) error {
	select {
	case <-p.done:
		return nil
	case <-p.up: // before that a signal would be lost
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop %s: %w", p.name, err)
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		p.cut()
		<-p.done
	}
	return nil
}
