// Package foreground runs one program in the place of the caller: with his terminal, in his process
// group, so that a shell's job control sees one job, and with the exit it had as a value. Nothing of
// the program is left when this process is gone, however it went.
//
// On Linux the program can get a network of its own in which every address is this machine: what
// should answer there comes out as sockets, and nothing else can be reached.
//
//	p, err := foreground.Start(ctx, foreground.Options{Holder: job, Argv: argv, Env: env, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
//		Network: &foreground.Network{Address: netip.MustParseAddr("140.82.121.3")}})
//	var refused *foreground.RefusedError // this machine has no such networks to give
//	…
//	serve(p.HTTPS, p.HTTP, p.Names)
//	exit, err := p.Wait()
//
// It is not a security boundary.
package foreground

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/understudy-dev/understudy/internal/jobwire"
)

// outputGrace bounds how long output that is no file may stay open after everything has ended.
const outputGrace = 10 * time.Second

// Options say what to run.
type Options struct {
	Holder         string // path of understudy-job
	Argv           []string
	Env            []string // complete
	Dir            string   // "" is the current one
	Stdin          io.Reader
	Stdout, Stderr io.Writer // files are inherited as they are
	Network        *Network  // nil: the network of this process
}

// Network is one that the program has to itself.
type Network struct {
	Address netip.Addr // IPv4; where the sockets for HTTP are
	Mounts  []Mount
}

// Mount shows a file in the place of another one that exists, to the program alone.
type Mount struct{ File, InPlaceOf string }

// RefusedError says that the machine did not give the program a network of its own. The program was not
// started.
type RefusedError struct{ Err error }

// Error implements error.
func (e *RefusedError) Error() string { return "a network namespace is refused: " + e.Err.Error() }

// Unwrap gives the reason.
func (e *RefusedError) Unwrap() error { return e.Err }

// Program is a started program. The sockets are those of its Network, and the caller's to close; nil
// without one.
type Program struct {
	HTTPS, HTTP net.Listener   // at ports 443 and 80 of the address
	Names       net.PacketConn // at port 53 of every address
	Packets     *os.File       // gives a copy of every IPv4 packet, one at a read; nil where that is refused

	cmd     *exec.Cmd
	control *net.UnixConn
	reports *json.Decoder
	once    sync.Once
	exit    Exit
	err     error
}

// Exit is how a program ended.
type Exit struct {
	Code       int    // as a shell tells it: 128+n for signal n
	Signal     string // "SIGKILL", when it was one
	NotStarted string // why it never ran; then there is no code
}

// Start returns when the program has its network and is about to start. ctx bounds the start alone.
func Start(ctx context.Context, o Options) (*Program, error) {
	if len(o.Argv) == 0 || o.Argv[0] == "" {
		return nil, errors.New("start a program: no command")
	}
	if o.Network != nil && !o.Network.Address.Is4() {
		return nil, fmt.Errorf("start %s: the network's address is %v, want one of IPv4", o.Argv[0], o.Network.Address)
	}
	p := &Program{}
	if err := p.start(ctx, o); err != nil {
		var refused *RefusedError
		if errors.As(err, &refused) {
			return nil, err
		}
		return nil, fmt.Errorf("start %s: %w", o.Argv[0], err)
	}
	return p, nil
}

func (p *Program) start(ctx context.Context, o Options) error {
	theirs, err := p.connect()
	if err != nil {
		return err
	}
	args := []string{"exec", "--control-fd", "3"}
	if n := o.Network; n != nil {
		args = append(args, "--network", n.Address.String())
		for _, m := range n.Mounts {
			args = append(args, "--mount", m.File+"="+m.InPlaceOf)
		}
	}
	p.cmd = exec.Command(o.Holder, append(append(args, "--"), o.Argv...)...)
	p.cmd.Env = append([]string{}, o.Env...) // not nil: nil would be this process's own
	p.cmd.Dir, p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = o.Dir, o.Stdin, o.Stdout, o.Stderr
	p.cmd.ExtraFiles = []*os.File{theirs}
	p.cmd.SysProcAttr = attributes(o.Network != nil)
	p.cmd.WaitDelay = outputGrace
	err = p.cmd.Start()
	theirs.Close()
	if err != nil {
		p.control.Close()
		if o.Network != nil {
			return &RefusedError{err}
		}
		return err
	}
	stop := context.AfterFunc(ctx, func() { p.control.Close() })
	defer stop()
	if err := p.ready(); err != nil {
		p.control.Close()
		waited := p.cmd.Wait()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case o.Network != nil:
			return &RefusedError{err}
		}
		return errors.Join(err, waited)
	}
	return nil
}

// Signals are those that Signal takes.
func Signals() []os.Signal {
	return []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2}
}

// Signal passes on a signal that this process got. What went to the whole process group, as a
// terminal's interrupt does, the program has got already and does not get again.
func (p *Program) Signal(s os.Signal) error {
	if !slices.Contains(Signals(), s) {
		return fmt.Errorf("signal %v is not passed on", s)
	}
	if _, err := p.control.Write([]byte{byte(s.(syscall.Signal))}); err != nil {
		return fmt.Errorf("pass on signal %v: %w", s, err)
	}
	return nil
}

// Close ends the program, if it still runs, and all it started, by force.
func (p *Program) Close() error {
	err := p.control.Close()
	_, waited := p.Wait()
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	return errors.Join(err, waited)
}

// Wait returns once the program and all it started have ended.
func (p *Program) Wait() (Exit, error) {
	p.once.Do(func() { p.exit, p.err = p.await() })
	return p.exit, p.err
}

func (p *Program) await() (Exit, error) {
	var last jobwire.Foreground
	reported := p.reports.Decode(&last)
	waited := p.cmd.Wait()
	p.control.Close()
	var failed *exec.ExitError
	if errors.As(waited, &failed) {
		waited = nil // the holder passes the program's code on
	}
	if waited != nil {
		waited = fmt.Errorf("wait for the program: %w", waited)
	}
	switch {
	case reported != nil: // the holder was ended, and the program with it
		return signaled(syscall.SIGKILL), waited
	case last.NotStarted != "":
		return Exit{NotStarted: last.NotStarted}, waited
	case last.Signal != 0:
		return signaled(syscall.Signal(last.Signal)), waited
	}
	return Exit{Code: last.Code}, waited
}

func signaled(s syscall.Signal) Exit { return Exit{Code: 128 + int(s), Signal: unix.SignalName(s)} }
