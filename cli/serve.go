package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/emulator/network"
	"github.com/understudy-dev/understudy/environment/page"
	"github.com/understudy-dev/understudy/environment/place"
	"github.com/understudy-dev/understudy/evidence"
	"github.com/understudy-dev/understudy/internal/workdir"
	"github.com/understudy-dev/understudy/trial"
	"github.com/understudy-dev/understudy/world/fixture"
)

type serveFlags struct {
	port         int
	journal      bool
	noNamespaces bool
	dir          string
	seed         string
	faults       []string
}

func serveCommand(o Options) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Start a forge whose workflows run, to look at and to talk to",
		Long: `Start a forge with the organisation acme, whose workflows run, and keep it until it is interrupted.
It prints addresses, tokens and commands to try. It listens on the loopback interface only; what is in
it is gone when it ends.

With --dir it stays: each change is answered when it is stored, so that nothing is lost even when the
process is killed, and the next start with the same directory has the same content, tokens and, when it
is free, port. Runs that were under way are cancelled then. The directory holds tokens and secrets, and
is for its owner only.

Exit codes: 0 interrupted · 2 it could not start · 3 it did not end well.`,
		Example: "  understudy serve\n  understudy serve --port 8080 --journal\n  understudy serve --dir ~/forge\n  understudy serve --seed testdata/world\n  understudy serve --fault delivery.twice@issues.labeled",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("port") && (f.port < 1 || f.port > 65535) {
				return fmt.Errorf("--port is 1 to 65535, not %d; without it a free one is taken", f.port)
			}
			if c.Flags().Changed("dir") && f.dir == "" {
				return errors.New("--dir names no directory")
			}
			return runServe(c.Context(), o, f)
		},
	}
	fl := cmd.Flags()
	fl.IntVar(&f.port, "port", 0, "port of the loopback interface; without it a free one is taken")
	fl.BoolVar(&f.journal, "journal", false, "show what happens, one line for each change with its cause")
	fl.BoolVar(&f.noNamespaces, "no-namespaces", false, "keep programs in process groups even where namespaces are allowed")
	fl.StringVar(&f.dir, "dir", "", "directory in which everything stays for the next start; without it nothing does")
	fl.StringVar(&f.seed, "seed", "", seedUsage)
	fl.StringArrayVar(&f.faults, "fault", nil, faultUsage)
	return cmd
}

func runServe(ctx context.Context, o Options, f serveFlags) error {
	s := o.screen
	faults, err := readFaults(f.faults)
	if err != nil {
		return err
	}
	seed, err := readSeed(f.seed)
	if err == nil {
		err = checkSeedNames(seed)
	}
	if err != nil {
		return err
	}
	tools, err := trial.FindTools(ctx, trial.ToolOptions{Env: o.Env, ProcessGroups: f.noNamespaces, Status: s.status})
	if ctx.Err() != nil {
		return nil // interrupted before there was anything to serve
	}
	if err != nil {
		return err
	}
	var stays *serveDir
	if f.dir != "" {
		if stays, err = openServeDir(f.dir); err != nil {
			return err
		}
		if stays.again() && f.seed != "" {
			return errors.Join(&hinted{fmt.Errorf("--seed is for a first start, and --dir %s has had one", stays.path),
				"leave --seed out, or name a new directory"}, stays.close())
		}
	}
	sv, err := startServing(ctx, o, serveAs{repo: serveRepo, port: f.port, seed: seed, stays: stays, faults: faults}, tools)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return explainServe(err, f.port)
	}
	s.printf("%s", sv.welcome(o.Env))
	if f.journal {
		sv.followJournal(s)
	} else {
		sv.followRuns(s)
	}
	<-ctx.Done()
	if err := sv.close(context.WithoutCancel(ctx)); err != nil {
		return s.broken(err)
	}
	return nil
}

// serveAs says what a person finds.
type serveAs struct {
	repo   string // name of the repository to try things with, in the organisation
	port   int    // of the forge; 0 is a free one
	github bool   // the forge is github.com
	// told what workflows could not reach; may be nil
	refused func(network.Refusal)
	seed    fixture.Seed
	faults  []forge.Fault
	stays   *serveDir // where it stays; nil is nowhere
}

// serving is a place for a person.
type serving struct {
	*place.Place
	dir   *workdir.Dir
	scrub *evidence.Scrubber
	seed  fixture.Seed
	apps  []seededApp
	kinds map[string]string // of tokens of a seed, by name: whose, and what they may
	stays *serveDir         // nil without --dir
	moved bool              // the port that it had is taken

	unfollow context.CancelFunc // ends what is shown of the journal
	wg       sync.WaitGroup
}

func startServing(ctx context.Context, o Options, as serveAs, tools trial.Tools) (*serving, error) {
	dir, err := workdir.New("")
	if err != nil {
		return nil, errors.Join(err, as.stays.close())
	}
	sv := &serving{dir: dir, scrub: &evidence.Scrubber{}, seed: as.seed, stays: as.stays, kinds: map[string]string{}}
	if err := sv.start(ctx, o, as, tools); err != nil {
		return nil, errors.Join(err, sv.close(context.WithoutCancel(ctx)))
	}
	return sv, nil
}

func (sv *serving) start(ctx context.Context, o Options, as serveAs, tools trial.Tools) error {
	bin := filepath.Join(sv.dir.Path, "tools")
	if err := os.Mkdir(bin, 0o755); err != nil {
		return err
	}
	if err := os.Symlink(tools.JobRunner, filepath.Join(bin, "understudy-job")); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(scrubbed{sv.scrub, o.Stderr}, &slog.HandlerOptions{Level: slog.LevelWarn}))
	po := place.Options{
		Dir: sv.dir.Path, Port: as.port, GitHub: as.github, Refused: as.refused, Org: serveOrg, People: append(servePeople(), seedPeople(sv.seed, servePeople())...), JobRunner: tools.JobRunner, Tools: bin, Path: tools.Path,
		Namespaces: tools.Namespaces, Hide: sv.hide, Log: log,
		Faults: as.faults, Unattended: true,
	}
	if err := sv.open(po); err != nil {
		return err
	}
	sv.Forge.Handle(page.Root, page.New(page.Options{Forge: sv.Forge, Clean: sv.scrub.Bytes}))
	sv.Forge.Handle(clockPattern, http.HandlerFunc(sv.advanceClock))
	if sv.Forge.Reopened() {
		sv.apps, sv.kinds = sv.stays.kept.Apps, sv.stays.kept.Kinds
		return sv.complete(as.port)
	}
	if !slices.ContainsFunc(sv.seed.Repos, func(r fixture.Repo) bool { return r.Name == serveOrg+"/"+as.repo }) {
		if err := sv.furnish(ctx, as.repo); err != nil {
			return err
		}
	}
	if err := sv.plant(ctx, o.Env); err != nil {
		return err
	}
	return sv.complete(as.port)
}

func (sv *serving) hide(value, label string) error {
	if err := sv.scrub.Hide(value, label); !errors.Is(err, evidence.ErrTooShort) {
		return err
	}
	return nil
}

// close ends everything, programs first, and removes the directory.
func (sv *serving) close(ctx context.Context) error {
	var errs []error
	if sv.Place != nil {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		errs = append(errs, sv.Close(ctx))
	}
	if sv.unfollow != nil {
		sv.unfollow()
		sv.wg.Wait()
	}
	return errors.Join(append(errs, sv.dir.Close(), sv.stays.close())...)
}

// explainServe says what to do about a port that cannot be had.
func explainServe(err error, port int) error {
	switch {
	case port != 0 && errors.Is(err, syscall.EADDRINUSE):
		return &hinted{fmt.Errorf("port %d is taken: %w", port, err), "name another with --port, or leave it out"}
	case port != 0 && errors.Is(err, syscall.EACCES):
		return &hinted{fmt.Errorf("port %d is not for ordinary users: %w", port, err), "name one above 1023 with --port, or leave it out"}
	}
	return err
}

// scrubbed takes secrets out of what is logged. A handler of slog writes each record whole.
type scrubbed struct {
	scrub *evidence.Scrubber
	w     io.Writer
}

func (s scrubbed) Write(b []byte) (int, error) {
	if _, err := s.w.Write(s.scrub.Bytes(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}
