package driver

import (
	"context"
	"fmt"
	"io"
	"os"
)

// Spec describes a program to start. Env is complete: nothing is inherited.
type Spec struct {
	Argv   []string
	Dir    string
	Env    []string // "NAME=value"
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Files  []*os.File // become descriptors 3, 4, … of the program
	Daemon bool       // it is expected to run until stopped; it does not hold back quiet
}

// ExitKind says how a program ended.
type ExitKind string

// The ways a program can end. NotStarted and TimedOut are not exit codes.
const (
	Exited     ExitKind = "exited"
	Signaled   ExitKind = "signaled"
	TimedOut   ExitKind = "timed out"
	NotStarted ExitKind = "not started"
)

// Exit is how a program ended: a code, a signal, a time-out, or that it never started.
type Exit struct {
	Kind   ExitKind
	Code   int    // with Exited
	Signal string // with Signaled
	Why    string // with NotStarted
}

// OK reports whether the program exited with code 0.
func (e Exit) OK() bool { return e.Kind == Exited && e.Code == 0 }

// String returns a short sentence such as "exit code 3".
func (e Exit) String() string {
	switch e.Kind {
	case Exited:
		return fmt.Sprintf("exit code %d", e.Code)
	case Signaled:
		return "killed by signal " + e.Signal
	case NotStarted:
		return "not started: " + e.Why
	}
	return string(e.Kind)
}

// Launcher starts programs in a sealed environment and makes sure that none outlives the kit.
type Launcher interface {
	Start(ctx context.Context, s Spec) (Process, error)
}

// Process is a started program.
type Process interface {
	// Wait returns once the program has ended and its output is complete. When ctx ends first the
	// program and all it started are killed: at a deadline the Exit says TimedOut, otherwise ctx's
	// error is returned.
	Wait(ctx context.Context) (Exit, error)
	// Stop ends the program and all it started, first politely, then at ctx's end by force.
	Stop(ctx context.Context) error
}
