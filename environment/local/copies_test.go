package local_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/environment"
	"github.com/understudy-dev/understudy/environment/local"
)

// installing is a platform whose installer counts its starts in a file, runs what is to come before, commits a
// workflow and sets a variable that holds a token.
func installing(t testing.TB, workflow, before string) (p environment.Platform, started func() int) {
	t.Helper()
	count := filepath.Join(t.TempDir(), "count")
	p = platform()
	p.Install = environment.Install{
		Run: []string{"bash", "-ec", "echo x >> " + count + "\n" + before + `
send() { curl -fsS -o /dev/null -H "Authorization: Bearer $TOKEN" -X "$1" "$API/repos/$REPO/$2" -d "$3"; }
send PUT contents/.github/workflows/w.yml '{"message":"Install","content":"` + base64.StdEncoding.EncodeToString([]byte(workflow)) + `"}'
send POST actions/variables '{"name":"BOX","value":"{\"token\":\"'"$WRITE"'\"}"}'`},
		Env:      map[string]string{"TOKEN": "{token:admin}", "WRITE": "{token:write}", "API": "{api}", "REPO": "{repo}"},
		Validate: []string{".github/workflows/w.yml"},
	}
	return p, func() int {
		data, err := os.ReadFile(count)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Error(err)
		}
		return strings.Count(string(data), "x")
	}
}

func enrollment(set *driver.Set) driver.Enrollment {
	r := driver.Repo{Owner: set.Place.Org, Name: set.Place.Repo}
	return driver.Enrollment{NewRepo: driver.NewRepo{Repo: r, AutoInit: true}}
}

// installed is where the platform of a lease comes from, with the cause of the entry that says so.
func installed(t testing.TB, set *driver.Set) string {
	t.Helper()
	entries, err := set.Journal.Entries(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if e.Type == "platform.installed" {
			out = append(out, fmt.Sprintf("%s %s %s", e.Cause, e.Detail["platform"], e.Detail["from"]))
		}
	}
	return strings.Join(out, ", ")
}

// worker answers a label with the token that the installer was given.
var worker = strings.Replace(labeler, "${{ github.token }}", "${{ fromJSON(vars.BOX).token }}", 1)

// TestOneInstallationForAll enrolls four times at once. Each place works with tokens of its own, and sees
// what it would see if it had installed.
func TestOneInstallationForAll(t *testing.T) {
	p, started := installing(t, worker, "")
	site := openSiteOf(t, true, p, 5)
	var sets []*driver.Set
	for range 4 {
		sets = append(sets, lease(t, site))
	}
	var all sync.WaitGroup
	for i, set := range sets {
		mark(t, set, i+1)
		all.Go(func() {
			if err := set.Installer.Enroll(t.Context(), enrollment(set)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	fresh := lease(t, site)
	mark(t, fresh, 5)
	in := enrollment(fresh)
	in.Fresh = true
	if err := fresh.Installer.Enroll(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if n := started(); n != 2 {
		t.Errorf("the installer ran %d times, want 2: once for all, once for who asked", n)
	}
	from := map[string]int{}
	for i, set := range append(sets, fresh) {
		got := installed(t, set)
		cause, how, _ := strings.Cut(got, " none ")
		if cause != fmt.Sprintf("step:%d", i+1) {
			t.Errorf("lease %d: installed by %q", i+1, got)
		}
		from[how]++
		mark(t, set, 7)
		ref := ask(t, set, in.Repo)
		quiet(t, set)
		if ref.Number != 1 {
			t.Errorf("the first issue has number %d", ref.Number)
		}
		is, err := as(t, set, "observer").Issues.Get(t.Context(), ref)
		if err != nil || !strings.Contains(fmt.Sprint(is.Labels), "answered") {
			t.Errorf("%s: the token that was installed does not work: %v, %v\n%s", got, is.Labels, err, logs(t, set, in.Repo))
		}
	}
	if from["install"] != 2 || from["copy"] != 3 {
		t.Errorf("got %v, want two installed and three copied", from)
	}
}

func mark(t testing.TB, set *driver.Set, step int) {
	t.Helper()
	if err := set.Marker.Mark(t.Context(), driver.Cause(fmt.Sprintf("step:%d", step)), "a step"); err != nil {
		t.Fatal(err)
	}
}

// TestFailedInstallationIsNotCopied: everybody fails in the same way, with the installer's own words.
func TestFailedInstallationIsNotCopied(t *testing.T) {
	p, started := installing(t, worker, "echo no such luck; exit 3")
	site := openSite(t, true, p)
	for range 2 {
		set := lease(t, site)
		err := set.Installer.Enroll(t.Context(), enrollment(set))
		if want := "exit code 3\nno such luck"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to contain %q", err, want)
		}
	}
	if n := started(); n != 2 {
		t.Errorf("the installer ran %d times, want 2", n)
	}
}

// TestInterruptedInstallationIsTriedAgain interrupts the first while the second waits for it.
func TestInterruptedInstallationIsTriedAgain(t *testing.T) {
	dir := t.TempDir()
	begun := filepath.Join(dir, "begun")
	if err := syscall.Mkfifo(begun, 0o600); err != nil {
		t.Fatal(err)
	}
	p, started := installing(t, worker, fmt.Sprintf("if mkdir %s/first; then echo > %s; sleep 600; fi", dir, begun))
	site := openSiteOf(t, true, p, 3)
	first, second := lease(t, site), lease(t, site)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var all sync.WaitGroup
	all.Go(func() {
		if err := first.Installer.Enroll(ctx, enrollment(first)); !errors.Is(err, context.Canceled) {
			t.Errorf("the first: got %v", err)
		}
	})
	if _, err := os.ReadFile(begun); err != nil {
		t.Fatal(err)
	}
	all.Go(func() {
		if err := second.Installer.Enroll(t.Context(), enrollment(second)); err != nil {
			t.Errorf("the second: %v", err)
		}
	})
	cancel()
	all.Wait()
	third := lease(t, site)
	if err := third.Installer.Enroll(t.Context(), enrollment(third)); err != nil {
		t.Errorf("the third: %v", err)
	}
	if got := installed(t, third); got != " none copy" {
		t.Errorf("the third: %q", got)
	}
	if n := started(); n != 2 {
		t.Errorf("the installer ran %d times, want 2", n)
	}
}

// TestWhatIsNotCopied is installed by everybody: it starts runs, or the forge was not as it is at first: a
// fault may strike the installer.
func TestWhatIsNotCopied(t *testing.T) {
	for name, tt := range map[string]struct {
		workflow string
		before   func(*driver.Set) error
	}{
		"starts runs": {workflow: pushed},
		"a fault before": {workflow: worker, before: func(set *driver.Set) error {
			return set.Faults.Inject(t.Context(), "delivery.late@issues.labeled")
		}},
		"a repository before": {workflow: worker, before: func(set *driver.Set) error {
			return as(t, set, "admin").Repos.Create(t.Context(), driver.NewRepo{Repo: driver.Repo{Owner: set.Place.Org, Name: "before"}})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			p, started := installing(t, tt.workflow, "")
			site := openSite(t, true, p)
			for range 2 {
				set := lease(t, site)
				if tt.before != nil {
					if err := tt.before(set); err != nil {
						t.Fatal(err)
					}
				}
				if err := set.Installer.Enroll(t.Context(), enrollment(set)); err != nil {
					t.Fatal(err)
				}
				if got := installed(t, set); got != " none install" {
					t.Errorf("installed: %q", got)
				}
				quiet(t, set)
			}
			if n := started(); n != 2 {
				t.Errorf("the installer ran %d times, want 2", n)
			}
		})
	}
}

// TestFreshSite installs for every lease.
func TestFreshSite(t *testing.T) {
	p, started := installing(t, worker, "")
	runner, err := findRunner()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	site, err := local.New(local.Options{JobRunner: runner, Path: os.Getenv("PATH"), CallerEnv: os.Environ(), Capacity: 1, Fresh: true}).
		Open(t.Context(), environment.Scope{Dir: dir, Platform: p})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		l, err := site.Lease(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Drivers.Installer.Enroll(t.Context(), enrollment(l.Drivers)); err != nil {
			t.Error(err)
		}
		if err := l.Release(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if n := started(); n != 2 {
		t.Errorf("the installer ran %d times, want 2", n)
	}
	if err := site.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// BenchmarkLeaseFromCopy prints the median of a lease with the platform installed from a copy, ready for the first step.
func BenchmarkLeaseFromCopy(b *testing.B) {
	p, started := installing(b, worker, "")
	site := openSite(b, true, p)
	set := lease(b, site)
	if err := set.Installer.Enroll(b.Context(), enrollment(set)); err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	for b.Loop() {
		for range 30 {
			start := time.Now()
			l, err := site.Lease(b.Context(), "bench")
			if err != nil {
				b.Fatal(err)
			}
			if err := l.Drivers.Installer.Enroll(b.Context(), enrollment(l.Drivers)); err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(start))
			quiet(b, l.Drivers)
			if err := l.Release(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms/lease")
	if n := started(); n != 1 {
		b.Fatalf("the installer ran %d times", n)
	}
}
