package local_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/environment"
	"github.com/understudy-dev/understudy/internal/schedule"
)

// pushed runs at each push, so that it is installed by one.
const pushed = "on: push\njobs:\n  one:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo hi\n"

// TestCopiesDecideNothing: where the order of deliveries is decided, a lease that installs and keeps a copy
// has the same choices before it as one that gets the copy, or as one that installs because there is none.
func TestCopiesDecideNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		workflow string
		installs int
	}{
		"copied":      {worker, 1},
		"starts runs": {pushed, 2},
	} {
		t.Run(name, func(t *testing.T) {
			p, started := installing(t, tt.workflow, "")
			site := openSite(t, true, p)
			first, second := choices(t, site), choices(t, site)
			if diff := cmp.Diff(first, second); diff != "" || len(first) == 0 {
				t.Errorf("%d choices; -first +second: %s", len(first), diff)
			}
			if n := started(); n != tt.installs {
				t.Errorf("the installer ran %d times, want %d", n, tt.installs)
			}
		})
	}
}

// choices are those of a lease that enrolls and asks.
func choices(t *testing.T, site environment.Site) []schedule.Decision {
	t.Helper()
	d := schedule.Schedule{}.Decider()
	l, err := site.(interface {
		LeaseInOrder(ctx context.Context, scenario string, d *schedule.Decider) (*environment.Lease, error)
	}).LeaseInOrder(t.Context(), t.Name(), d)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.Release(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	in := enrollment(l.Drivers)
	if err := l.Drivers.Installer.Enroll(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if n := d.Points(); n != 0 {
		t.Errorf("the installation decided %d points", n)
	}
	ask(t, l.Drivers, in.Repo)
	quiet(t, l.Drivers)
	return d.Made()
}

// TestWhatHasNoCauseIsCopied installs with a request through the door, which nobody can attribute. It is the
// installer's when no other program could have made it.
func TestWhatHasNoCauseIsCopied(t *testing.T) {
	const asks = "curl -fsS -o /dev/null http://desk.test/"
	p, started := installing(t, worker, asks)
	p.Door = []environment.Opening{{Host: "desk.test", Status: 200, Body: "hello"}}
	site := openSite(t, true, p)
	var journals [][]string
	for _, want := range []string{"install", "copy"} {
		set := lease(t, site)
		mark(t, set, 1)
		if err := set.Installer.Enroll(t.Context(), enrollment(set)); err != nil {
			t.Fatal(err)
		}
		quiet(t, set)
		if got := installed(t, set); got != "step:1 none "+want {
			t.Errorf("installed: %q", got)
		}
		journals = append(journals, happened(t, set))
	}
	if diff := cmp.Diff(journals[0], journals[1]); diff != "" || !slices.Contains(journals[0], "door.request  GET http://desk.test/") {
		t.Errorf("journal %q; -installed +copied: %s", journals[0], diff)
	}
	if n := started(); n != 1 {
		t.Errorf("the installer ran %d times, want 1", n)
	}
}

// TestAProgramMayHaveDoneIt: while another program runs, what has no cause can be of both.
func TestAProgramMayHaveDoneIt(t *testing.T) {
	p, started := installing(t, worker, "curl -fsS -o /dev/null http://desk.test/")
	p.Door = []environment.Opening{{Host: "desk.test", Status: 200, Body: "hello"}}
	site := openSite(t, true, p)
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		set := lease(t, site)
		mark(t, set, 1)
		daemon, err := set.Launcher.Start(t.Context(), driver.Spec{Argv: []string{sleep, "600"}, Dir: t.TempDir(), Daemon: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := set.Installer.Enroll(t.Context(), enrollment(set)); err != nil {
			t.Error(err)
		}
		if err := daemon.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if n := started(); n != 2 {
		t.Errorf("the installer ran %d times, want 2", n)
	}
}

// happened are the journal's entries without what is another one each time; those that change nothing
// stand where the engine had time to write them.
func happened(t *testing.T, set *driver.Set) (changes []string) {
	t.Helper()
	entries, err := set.Journal.Entries(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	var reads []string
	for _, e := range entries {
		text := fmt.Sprintf("%s %s %s", e.Type, e.Cause, e.Subject)
		if e.Change {
			changes = append(changes, text)
		} else {
			reads = append(reads, text)
		}
	}
	slices.Sort(reads)
	return append(changes, reads...)
}

// TestACopyIsValidated: a copy without a file that every installation leaves is none.
func TestACopyIsValidated(t *testing.T) {
	p, _ := installing(t, worker, "")
	dir := spaced(t)
	site := openSiteIn(t, dir, true, p, 2)
	for i := range 2 {
		set := lease(t, site)
		err := set.Installer.Enroll(t.Context(), enrollment(set))
		if i == 0 && err != nil || i == 1 && (err == nil || !strings.Contains(err.Error(), "lacks .github/workflows/w.yml")) {
			t.Fatalf("lease %d: %v", i+1, err)
		}
		if i == 1 {
			return
		}
		packs, err := filepath.Glob(filepath.Join(dir, "copies", "*", "*", "objects", "pack", "*"))
		if err != nil || len(packs) == 0 {
			t.Fatalf("the copy has no packs: %v", err)
		}
		for _, pack := range packs {
			if err := os.Remove(pack); err != nil {
				t.Fatal(err)
			}
		}
	}
}
