// Command crew is a small agent platform: installed into a repository, it runs agents when
// something happens to issues and pull requests, checks what they say, and acts on it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"example.com/crew/internal/defect"
	"example.com/crew/internal/forge"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a := app{getenv: os.Getenv, stdout: os.Stdout, stderr: os.Stderr}
	code := a.main(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

const usage = `usage: crew COMMAND [flags]

  crew setup --repo OWNER/NAME [--dir .crew] [--config FILE|URL]
                                               install crew into a repository; --config is a preset, on
                                               which the repository's own configuration stands
  crew dispatch [--event FILE.json]            in a workflow: decide which agents an event starts
  crew status --agent NAME --number N          in a workflow: say that an agent is running
  crew run --agent NAME --number N             in a workflow: run one agent and check its result;
                                               --runtime, --model and --effort go before CREW_RUNTIME,
                                               CREW_MODEL, CREW_EFFORT and these before the configuration
  crew replay --dir DIR --agent NAME --round N --workspace DIR --repo DIR
                                               as the agent of runtime dummy-playback: replay a recorded result
  crew post --agent NAME --number N            in a workflow: act on an agent's result; --role ROLE when
                                               the agent's role is not its name, --base BRANCH
                                               when not GITHUB_REF_NAME was checked out
  crew poll --tracker URL --project KEY --repo OWNER/NAME [--dir .crew]
                                               print what new labels and comments of a tracker's issues start,
                                               one JSON object a line, each event once

N is the issue's or the pull request's number; FILE.json holds a normalised event.

setup reads CREW_API_URL (such as https://api.github.com), CREW_TOKEN (may administer the
repository) and CREW_BOT_TOKEN (what the installed crew acts with). poll reads CREW_TRACKER_EMAIL and
CREW_TRACKER_TOKEN; without --dir it goes by crew's own configuration.
`

// app is the program with its surroundings.
type app struct {
	getenv func(string) string
	stdout io.Writer
	stderr io.Writer
}

// usageError is a mistake of the caller: exit code 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func misuse(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// main returns the exit code: 0 done, 1 not done or the result was invalid, 2 wrong usage.
func (a app) main(ctx context.Context, args []string) int {
	err := a.dispatchCommand(ctx, args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(a.stdout, usage)
		return 0
	}
	if err == nil {
		return 0
	}
	// An invalid result was announced already, in the form that workflows show.
	if !errors.Is(err, errInvalid) {
		fmt.Fprintf(a.stderr, "crew: error: %v\n", err)
	}
	if _, ok := errors.AsType[usageError](err); ok {
		return 2
	}
	return 1
}

func (a app) dispatchCommand(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return misuse("no command; see crew --help")
	}
	switch args[0] {
	case "setup":
		return a.setup(ctx, args[1:])
	case "dispatch":
		return a.dispatch(ctx, args[1:])
	case "status":
		return a.status(ctx, args[1:])
	case "run":
		return a.run(ctx, args[1:])
	case "replay":
		return a.replay(ctx, args[1:])
	case "post":
		return a.post(ctx, args[1:])
	case "poll":
		return a.poll(ctx, args[1:])
	case "help", "-h", "--help":
		return flag.ErrHelp
	}
	return misuse("unknown command %q; see crew --help", args[0])
}

// flags are what a command takes. --defect is for test suites and not in the usage text.
type flags struct {
	*flag.FlagSet
	defect *string
}

func newFlags(command string) flags {
	f := flag.NewFlagSet("crew "+command, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	return flags{f, f.String("defect", "", "")}
}

func (a app) parse(f flags, args []string) (defect.Name, error) {
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return defect.None, err
		}
		return defect.None, usageError{err}
	}
	if f.NArg() > 0 {
		return defect.None, misuse("unexpected argument %q", f.Arg(0))
	}
	name := *f.defect
	if name == "" {
		name = a.getenv("CREW_DEFECT")
	}
	d, err := defect.Parse(name)
	if err != nil {
		return defect.None, usageError{err}
	}
	return d, nil
}

// variable returns an environment variable that must be set.
func (a app) variable(name string) (string, error) {
	if v := a.getenv(name); v != "" {
		return v, nil
	}
	return "", misuse("%s is not set", name)
}

// client makes a client from the environment: the API's address and a token by their names.
func (a app) client(api, token, repo string) (*forge.Client, error) {
	address, err := a.variable(api)
	if err != nil {
		return nil, err
	}
	secret, err := a.variable(token)
	if err != nil {
		return nil, err
	}
	c, err := forge.New(address, secret, repo)
	if err != nil {
		return nil, usageError{err}
	}
	return c, nil
}
