// Package cli is the command line as a library: a program of a user's own calls Main with his step
// packs and gets the whole of it.
//
//	func main() { os.Exit(cli.Main(cli.Options{Packs: []suite.Pack{mypack.Pack}})) }
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/trial"
)

// Exit codes.
const (
	exitPassed = 0
	exitFailed = 1 // the product is wrong
	exitUsage  = 2 // known before anything starts
	exitBroken = 3 // the test or its environment is wrong
)

// Version is the release of the kit; a checkout says so.
const Version = trial.Version

// Options add to the command line and say where it reads and writes. The zero value is the
// understudy command itself.
type Options struct {
	Packs  []suite.Pack // besides the kit's own
	Args   []string     // nil: os.Args[1:]
	Env    []string     // nil: os.Environ()
	Stdout io.Writer    // nil: os.Stdout
	Stderr io.Writer    // nil: os.Stderr

	screen *screen // over Stdout
	ignore func()  // interrupts end the context no longer: whoever calls it takes care of them
}

// Main runs the command line and returns the exit code.
func Main(o Options) int {
	if o.Args == nil {
		o.Args = os.Args[1:]
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	if o.Stdout == nil {
		o.Stdout = os.Stdout
	}
	if o.Stderr == nil {
		o.Stderr = os.Stderr
	}
	o.screen = newScreen(o.Stdout, o.Stderr)
	ctx, ignore, stop := interruptible(o.screen)
	defer stop()
	o.ignore = ignore
	root := &cobra.Command{
		Use:           "understudy",
		Short:         "Run a whole agent platform end to end on one machine, with the model taken out",
		Version:       Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.SetArgs(o.Args)
	root.SetOut(o.Stdout)
	root.SetErr(o.Stderr)
	root.AddCommand(runCommand(o), planCommand(o), fixturesCommand(o), reportCommand(o), judgeCommand(o), doctorCommand(o), stepsCommand(o), faultsCommand(o), serveCommand(o), execCommand(o))
	root.AddCommand(initCommand(o), lintCommand(o), diffCommand(o), openCommand(o))
	root.AddCommand(referenceCommand(o))
	completeFlags(root.Commands())
	hintUsage(root)
	err := root.ExecuteContext(ctx)
	var code exitError
	switch {
	case err == nil:
		return exitPassed
	case errors.As(err, &code):
		return int(code)
	}
	complain(o.Stderr, err)
	return exitUsage
}

// exitError carries an exit code whose reason has been shown already.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// hinted is an error with something to do about it.
type hinted struct {
	err  error
	hint string
}

func (h *hinted) Error() string { return h.err.Error() }
func (h *hinted) Unwrap() error { return h.err }
func (h *hinted) Hint() string  { return h.hint }

// hintUsage adds the form of the command to what is said of a wrong number of arguments or a wrong flag.
func hintUsage(c *cobra.Command) {
	hint := c.UseLine()
	switch {
	case !c.HasParent():
		hint = "all commands: understudy --help"
	case c.HasExample():
		hint += "; examples: " + c.CommandPath() + " --help"
	}
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			err := check(c, args)
			if err == nil {
				return nil
			}
			if near := suggested(c, args); near != "" {
				return &hinted{err, "did you mean " + c.CommandPath() + " " + near + "?"}
			}
			return &hinted{err, hint}
		}
	}
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return &hinted{plainFlagError(err), hint}
	})
	for _, sub := range c.Commands() {
		hintUsage(sub)
	}
}

// plainFlagError leaves out the words of Go's own parsers.
func plainFlagError(err error) error {
	var number *strconv.NumError
	if !errors.As(err, &number) {
		return err
	}
	text, _, _ := strings.Cut(err.Error(), ": strconv.")
	if number.Func == "ParseBool" {
		return errors.New(text + ": it is true or false")
	}
	return errors.New(text + ": it is a number")
}

// suggested is the command below c that an argument may have been meant to name.
func suggested(c *cobra.Command, args []string) string {
	if c.HasSubCommands() && len(args) > 0 {
		c.SuggestionsMinimumDistance = 2
		if near := c.SuggestionsFor(args[0]); len(near) > 0 {
			return near[0]
		}
	}
	return ""
}

func complain(w io.Writer, err error) {
	fmt.Fprintf(w, "understudy: error: %v\n", err)
	var h interface{ Hint() string }
	if errors.As(err, &h) && h.Hint() != "" {
		fmt.Fprintf(w, "understudy: hint: %s\n", h.Hint())
	}
}

// sameInterrupt is how long after an interrupt another signal is still the same one.
const sameInterrupt = 150 * time.Millisecond

// interruptible returns a context that the first interrupt ends in good order. The second one ends
// the process at once: the programs it started notice that their lifeline is cut.
// ignore gives the signals back, stop ends all of it.
func interruptible(s *screen) (_ context.Context, ignore, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		if !signal.Ignored(sig) { // as for a command that a shell started in the background
			signal.Notify(signals, sig)
		}
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		select {
		case <-signals:
			cancel()
		case <-done:
			return
		}
		// One interrupt may come twice: timeout(1) sends its signal to the program and to its group.
		for burst := time.After(sameInterrupt); burst != nil; {
			select {
			case <-signals:
			case <-burst:
				burst = nil
			case <-done:
				return
			}
		}
		s.note("understudy: interrupted; cleaning up (interrupt again to stop at once)")
		select {
		case <-signals:
			os.Exit(130)
		case <-done:
		}
	})
	ignore = func() { signal.Stop(signals) }
	return ctx, ignore, func() {
		ignore()
		close(done)
		wg.Wait()
		cancel()
	}
}
