package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/understudy-dev/understudy/driver/foreground"
	"github.com/understudy-dev/understudy/emulator/network"
	"github.com/understudy-dev/understudy/trial"
	"github.com/understudy-dev/understudy/world/fixture"
)

// execRepo is the repository that is there, in the organisation.
const execRepo = "app"

// Exit codes of exec besides the program's own: those of a shell and of env(1).
const (
	exitNotRunnable = 126
	exitNotFound    = 127
	exitInterrupted = 130
)

type execFlags struct {
	actor        string
	rung         string
	noCredential bool
	noNamespaces bool
	seed         string
}

const execLong = `Run a program so that github.com, api.github.com, uploads.github.com and raw.githubusercontent.com are a
forge on this machine, and nothing else can be reached. The forge is as that of "understudy serve", with the repository
acme/app, and is gone with the program. Attempts to reach anything else are named on standard error.

Two rungs, of which the program gets the highest that this machine allows:

  proxy   the variables HTTPS_PROXY and HTTP_PROXY lead to the forge. A program that ignores them is
          not held, and reaches whatever it reaches without understudy.
  name    the program has a network of its own, in which these names and no others exist. It needs
          Linux and namespaces. Servers outside, also those of this machine, cannot be reached.

The program gets the caller's terminal, directory and environment, except:

  GITHUB_TOKEN, GH_TOKEN                        the actor's token
  GITHUB_API_URL, _SERVER_URL, _GRAPHQL_URL     those of github.com
  GH_HOST, GH_ENTERPRISE_TOKEN, GITHUB_ENTERPRISE_TOKEN, ACTIONS_*_TOKEN, ACTIONS_*_URL   removed
  HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, FTP_PROXY, NO_PROXY, in either case                 replaced or removed
  SSL_CERT_FILE, GIT_SSL_CAINFO, NODE_EXTRA_CA_CERTS and their like   a certificate made for this run
  GIT_CONFIG_COUNT …    git's credential helpers and proxies are replaced, ssh remotes of github.com become https

A request without a credential is the actor's, unless --no-credential.

Exit codes: the program's own, 128+n after signal n · 127 no such program · 126 it cannot be run ·
2 usage · 3 it was not started or did not end well.`

func execCommand(o Options) *cobra.Command {
	var f execFlags
	cmd := &cobra.Command{
		Use:   "exec [flags] -- PROGRAM [ARGUMENT]…",
		Short: "Run any program so that github.com is a forge of this machine",
		Long:  execLong,
		Example: `  understudy exec -- sh -c 'curl -s https://api.github.com/user; git clone https://github.com/acme/app'
  understudy exec --actor admin --rung proxy -- bash`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			if len(args) == 0 {
				return &hinted{errors.New("exec: no program is given"), "understudy exec -- PROGRAM [ARGUMENT]…"}
			}
			return runExec(c.Context(), o, f, args)
		},
	}
	fl := cmd.Flags()
	fl.SetInterspersed(false)
	fl.StringVar(&f.actor, "actor", "write", "who the program is: "+strings.Join(personNames(), ", ")+", or a user of the seed")
	fl.StringVar(&f.rung, "rung", rungAuto, "auto, proxy or name")
	fl.BoolVar(&f.noCredential, "no-credential", false, "requests without a credential are anonymous; the variables still hold the token")
	fl.StringVar(&f.seed, "seed", "", seedUsage)
	fl.BoolVar(&f.noNamespaces, "no-namespaces", false, "use no namespaces even where they are allowed")
	return cmd
}

func personNames() []string {
	var names []string
	for _, p := range people() {
		names = append(names, p.name)
	}
	return names
}

func (f execFlags) check() error {
	switch {
	case f.rung != rungAuto && f.rung != rungProxy && f.rung != rungName:
		return fmt.Errorf("exec: no rung %q; there are auto, proxy, name", f.rung)
	case f.rung == rungName && f.noNamespaces:
		return errors.New("exec: --rung name is made of namespaces, which --no-namespaces rules out")
	}
	return nil
}

// checkActor looks among those that there always are, and those of the seed.
func (f execFlags) checkActor(seed fixture.Seed) error {
	names := personNames()
	for _, u := range seedPeople(seed, servePeople()) {
		names = append(names, u.Name)
	}
	for _, t := range seed.Tokens {
		names = append(names, t.Name)
	}
	if !slices.Contains(names, f.actor) {
		return fmt.Errorf("exec: no actor %q; there are %s", f.actor, strings.Join(names, ", "))
	}
	return nil
}

func runExec(ctx context.Context, o Options, f execFlags, argv []string) error {
	// Standard output is the program's alone.
	o.screen = newScreen(o.Stderr, o.Stderr)
	s := o.screen
	seed, err := readSeed(f.seed)
	if err != nil {
		return err
	}
	if err := cmp.Or(checkSeedNames(seed), checkExecApps(seed), f.checkActor(seed)); err != nil {
		return err
	}
	if code, err := findProgram(o.Env, argv[0]); err != nil {
		complain(o.Stderr, err)
		return exitError(code)
	}
	tools, err := trial.FindTools(ctx, trial.ToolOptions{Env: o.Env, ProcessGroups: f.noNamespaces, Status: s.status})
	if err == nil {
		x := &execution{o: o, f: f, argv: argv, runner: tools.JobRunner, refused: &refusals{s: s}}
		x.serving, err = startServing(ctx, o, serveAs{repo: execRepo, github: true, seed: seed, refused: x.refused.addOfJob}, tools)
		if err == nil {
			s.done()
			return x.run(ctx)
		}
	}
	if ctx.Err() != nil {
		return exitError(exitInterrupted) // before there was anything to run in
	}
	return err
}

// findProgram looks for a program as execvp(3) does, before anything is started.
func findProgram(env []string, name string) (code int, err error) {
	hint := "give the path of a program, or a name that is on the PATH"
	if !strings.ContainsRune(name, filepath.Separator) {
		if onPath(env, name) == "" {
			return exitNotFound, &hinted{fmt.Errorf("exec: no program %q on the PATH", name), hint}
		}
		return 0, nil
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return exitNotFound, &hinted{fmt.Errorf("exec: there is no program %s", name), hint}
	case err != nil:
		return exitNotRunnable, fmt.Errorf("exec: %w", err)
	case !info.Mode().IsRegular() || info.Mode()&0o111 == 0:
		return exitNotRunnable, &hinted{fmt.Errorf("exec: %s is not executable", name), hint}
	}
	return 0, nil
}

// execution is one program run in a place.
type execution struct {
	*serving
	o       Options
	f       execFlags
	argv    []string
	runner  string // understudy-job
	refused *refusals
}

func (x *execution) run(ctx context.Context) error {
	exit, err := x.program(ctx)
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	err = errors.Join(err, x.serving.close(closing))
	x.refused.summary()
	switch {
	case errors.Is(err, context.Canceled):
		return exitError(exitInterrupted)
	case err != nil:
		return x.o.screen.broken(err)
	case exit.NotStarted != "":
		return x.o.screen.broken(fmt.Errorf("exec: %s was not started: %s", x.argv[0], exit.NotStarted))
	case exit.Code != 0:
		return exitError(exit.Code)
	}
	return nil
}

// program runs the program behind a door of its own, in which it is the actor.
func (x *execution) program(ctx context.Context) (exit foreground.Exit, err error) {
	token := x.Tokens[x.f.actor]
	lent := token
	if x.f.noCredential {
		lent = ""
	}
	door, err := network.New(network.Options{
		Openings: x.GitHub(lent), Authority: x.Authority, Refused: x.refused.add, Journal: x.Journal, Ledger: x.Ledger,
	})
	if err != nil {
		return exit, err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		err = errors.Join(err, door.Close(closing))
	}()
	signals := make(chan os.Signal, 16)
	for _, sig := range foreground.Signals() {
		if !signal.Ignored(sig) {
			signal.Notify(signals, sig)
		}
	}
	defer signal.Stop(signals)
	p, err := x.climb(ctx, door, token)
	if err != nil {
		return exit, err
	}
	x.o.ignore()
	ended := make(chan struct{})
	x.wg.Go(func() { passSignals(p, signals, ended) })
	exit, err = p.Wait()
	close(ended)
	x.wg.Wait()
	return exit, err
}

func passSignals(p *foreground.Program, signals <-chan os.Signal, ended <-chan struct{}) {
	for {
		select {
		case s := <-signals:
			_ = p.Signal(s) // it may just have ended
		case <-ended:
			return
		}
	}
}
