package local_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/driver/job"
	"github.com/understudy-dev/understudy/driver/process"
	"github.com/understudy-dev/understudy/environment"
	"github.com/understudy-dev/understudy/environment/local"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var findRunner = sync.OnceValues(func() (string, error) {
	return job.Find(context.Background(), job.Options{Explicit: os.Getenv("UNDERSTUDY_JOB")})
})

// platform is a platform whose install commits nothing but what a test gives it.
func platform() environment.Platform {
	return environment.Platform{
		Platform: driver.Platform{
			Name: "none",
			Actors: map[string]driver.Actor{
				"admin": {Name: "admin", Login: "admin", Role: "admin"},
				"write": {Name: "write", Login: "write", Role: "write"},
			},
		},
		Get:     environment.Get{Run: []string{"bash", "-c", `printf '#!/bin/sh\nexit 0\n' > "$0" && chmod +x "$0"`, "{gives}"}, Gives: "noop"},
		Install: environment.Install{Run: []string{"noop"}},
	}
}

func openSite(t testing.TB, namespaces bool, p environment.Platform) environment.Site {
	t.Helper()
	return openSiteOf(t, namespaces, p, 2)
}

func openSiteOf(t testing.TB, namespaces bool, p environment.Platform, capacity int) environment.Site {
	t.Helper()
	return openSiteIn(t, spaced(t), namespaces, p, capacity)
}

func openSiteIn(t testing.TB, dir string, namespaces bool, p environment.Platform, capacity int) environment.Site {
	t.Helper()
	runner, err := findRunner()
	if err != nil {
		t.Fatal(err)
	}
	if namespaces {
		if err := process.Namespaces(t.Context(), runner); err != nil {
			t.Logf("namespaces are refused here, process groups are used: %v", err)
			namespaces = false
		}
	}
	site, err := local.New(local.Options{
		JobRunner: runner, Path: os.Getenv("PATH"), CallerEnv: os.Environ(), Namespaces: namespaces, Capacity: capacity,
	}).Open(t.Context(), environment.Scope{Dir: dir, Platform: p})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := site.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return site
}

// spaced is a directory as some people's temp directories are called.
func spaced(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a place")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func lease(t testing.TB, site environment.Site) *driver.Set {
	t.Helper()
	l, err := site.Lease(t.Context(), t.Name())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Release(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return l.Drivers
}

func as(t testing.TB, set *driver.Set, actor string) driver.Session {
	t.Helper()
	s, err := set.Forge.As(actor)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// quiet waits until nothing is going on.
func quiet(t testing.TB, set *driver.Set) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var seq uint64
	for {
		var done bool
		var err error
		if seq, done, err = set.Ledger.Wait(ctx, seq); err != nil {
			t.Fatalf("wait for quiet: %v; pending: %q", err, set.Ledger.Pending())
		}
		if done {
			return
		}
	}
}

// logs joins the logs of every job, for a test that failed.
func logs(t testing.TB, set *driver.Set, r driver.Repo) string {
	t.Helper()
	observer := as(t, set, "observer")
	runs, err := observer.Runs.List(t.Context(), r, driver.RunFilter{})
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, run := range runs {
		jobs, err := observer.Runs.Jobs(t.Context(), r, run.ID)
		if err != nil {
			return err.Error()
		}
		for _, j := range jobs {
			log, err := observer.Runs.Log(t.Context(), r, j.ID)
			fmt.Fprintf(&b, "run %d job %s %v %v\n%s\n", run.ID, j.Name, j.Steps, err, log)
		}
	}
	return b.String()
}

// labeler is a workflow that answers a label with another one, through the API, with bash alone.
const labeler = `
on:
  issues:
    types: [labeled]
permissions:
  issues: write
jobs:
  answer:
    runs-on: ubuntu-latest
    if: github.event.label.name == 'ask'
    steps:
      - name: Answer
        env:
          TOKEN: ${{ github.token }}
          NUMBER: ${{ github.event.issue.number }}
        run: |
          rest=${GITHUB_API_URL#http://}
          host=${rest%%/*}
          body='{"labels":["answered"]}'
          exec 3<>/dev/tcp/${host%:*}/${host#*:}
          printf 'POST /%s/repos/%s/issues/%s/labels HTTP/1.0\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Length: %s\r\n\r\n%s' \
            "${rest#*/}" "$GITHUB_REPOSITORY" "$NUMBER" "$host" "$TOKEN" "${#body}" "$body" >&3
          head -n 1 <&3 | tee /dev/stderr | grep -q ' 200 '
`

func repository(t testing.TB, set *driver.Set, workflow string) driver.Repo {
	t.Helper()
	ctx := t.Context()
	admin := as(t, set, "admin")
	r := driver.Repo{Owner: set.Place.Org, Name: set.Place.Repo}
	if err := admin.Repos.Create(ctx, driver.NewRepo{Repo: r, AutoInit: true}); err != nil {
		t.Fatal(err)
	}
	_, err := admin.Files.Commit(ctx, r, driver.NewCommit{
		Message: "Add workflow", Files: []driver.NewFile{{Path: ".github/workflows/w.yml", Content: []byte(workflow)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func ask(t testing.TB, set *driver.Set, r driver.Repo) driver.Ref {
	t.Helper()
	ctx := t.Context()
	write := as(t, set, "write")
	is, err := write.Issues.Open(ctx, r, driver.NewIssue{Title: "A question"})
	if err != nil {
		t.Fatal(err)
	}
	if err := write.Issues.Edit(ctx, is.Ref, driver.IssueEdit{AddLabels: []string{"ask"}}); err != nil {
		t.Fatal(err)
	}
	return is.Ref
}

func TestLabelRunsWorkflowThatLabels(t *testing.T) {
	for _, namespaces := range []bool{true, false} {
		t.Run(fmt.Sprintf("namespaces=%v", namespaces), func(t *testing.T) {
			site := openSite(t, namespaces, platform())
			set := lease(t, site)
			ctx := t.Context()
			r := repository(t, set, labeler)
			if err := set.Marker.Mark(ctx, "step:7", "the issue is labeled"); err != nil {
				t.Fatal(err)
			}
			ref := ask(t, set, r)
			quiet(t, set)

			observer := as(t, set, "observer")
			is, err := observer.Issues.Get(ctx, ref)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(is.Labels, " "); got != "answered ask" && got != "ask answered" {
				t.Errorf("labels: got %q, want ask and answered", got)
			}
			runs, err := observer.Runs.List(ctx, r, driver.RunFilter{})
			if err != nil {
				t.Fatal(err)
			}
			if len(runs) != 1 || runs[0].Conclusion != "success" {
				t.Fatalf("runs: got %+v, want one that succeeded: GITHUB_TOKEN starts no runs\n%s", runs, logs(t, set, r))
			}
			entries, err := set.Journal.Entries(ctx, 0)
			if err != nil {
				t.Fatal(err)
			}
			caused := driver.CausedBy(entries, "step:7")
			if !caused[driver.Cause(fmt.Sprintf("run:%d", runs[0].ID))] {
				t.Error("the run's causal chain does not lead to step:7")
			}
			jobs, err := observer.Runs.Jobs(ctx, r, runs[0].ID)
			if err != nil || len(jobs) != 1 {
				t.Fatalf("jobs: got %v, %v", jobs, err)
			}
			log, err := observer.Runs.Log(ctx, r, jobs[0].ID)
			if err != nil || !strings.Contains(string(log), "200") {
				t.Errorf("log: got %q, %v", log, err)
			}
		})
	}
}

// TestTokenInsideASecretIsAliased gives a job a secret that holds a token among other text. What the
// job does with it is the job's doing, not the step's that runs meanwhile.
func TestTokenInsideASecretIsAliased(t *testing.T) {
	p := platform()
	file := filepath.Join(t.TempDir(), "token")
	p.Install = environment.Install{Run: []string{"bash", "-c", "printf %s {token:write} > " + file}}
	set := lease(t, openSite(t, true, p))
	ctx := t.Context()
	r := repository(t, set, strings.NewReplacer(
		"TOKEN: ${{ github.token }}", "TOKEN: ${{ fromJSON(secrets.BOX).token }}", "'ask'", "'ask'",
	).Replace(labeler))
	if err := set.Installer.Install(ctx, r); err != nil {
		t.Fatal(err)
	}
	token, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := as(t, set, "admin").Config.SetSecret(ctx, r, "BOX", fmt.Sprintf("{\"token\": %q}\n", token)); err != nil {
		t.Fatal(err)
	}
	if err := set.Marker.Mark(ctx, "step:7", "the issue is labeled"); err != nil {
		t.Fatal(err)
	}
	ask(t, set, r)
	quiet(t, set)
	entries, err := set.Journal.Entries(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Type == "issues.labeled" && e.Detail["label"] == "answered" {
			if !strings.HasPrefix(string(e.Cause), "job:") || e.Actor != "write" {
				t.Errorf("the job's label has cause %q and actor %q", e.Cause, e.Actor)
			}
			return
		}
	}
	t.Errorf("the job set no label\n%s", logs(t, set, r))
}

// TestReleaseDoesNotWaitForAlways releases a lease whose job has steps that run whatever happens.
func TestReleaseDoesNotWaitForAlways(t *testing.T) {
	site := openSite(t, true, platform())
	l, err := site.Lease(t.Context(), "always")
	if err != nil {
		t.Fatal(err)
	}
	mark := filepath.Join(t.TempDir(), "mark")
	r := repository(t, l.Drivers, fmt.Sprintf(`
on: {issues: {types: [labeled]}}
jobs:
  long:
    runs-on: ubuntu-latest
    steps:
      - run: mkfifo %[1]s.in; echo > %[1]s; read x < %[1]s.in
      - if: always()
        run: sleep 600
`, mark))
	ask(t, l.Drivers, r)
	var seq uint64
	for {
		if _, err := os.Stat(mark); err == nil {
			break
		}
		short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		seq, _, _ = l.Drivers.Ledger.Wait(short, seq)
		cancel()
		if t.Context().Err() != nil {
			t.Fatal("the job never began")
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
	defer cancel()
	if err := l.Release(ctx); err != nil {
		t.Error(err)
	}
}

func TestLeaseLeavesNothing(t *testing.T) {
	runner, err := findRunner()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	site, err := local.New(local.Options{JobRunner: runner, Path: os.Getenv("PATH"), CallerEnv: os.Environ(), Capacity: 1}).
		Open(t.Context(), environment.Scope{Dir: dir, Platform: platform()})
	if err != nil {
		t.Fatal(err)
	}
	l, err := site.Lease(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	full, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := site.Lease(full, "b"); err == nil {
		t.Error("a second lease was given from a pool of one")
	}
	if err := l.Release(t.Context()); err != nil {
		t.Error(err)
	}
	if err := l.Release(t.Context()); err == nil {
		t.Error("a double release was accepted")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "lease-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	if _, err := site.Lease(t.Context(), "forgotten"); err != nil {
		t.Fatal(err)
	}
	if err := site.Close(t.Context()); err == nil || !strings.Contains(err.Error(), "forgotten") {
		t.Errorf("close: got %v, want an error that names the outstanding lease", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "lease-*")); len(left) > 0 {
		t.Errorf("left behind after close: %q", left)
	}
}

func TestBuildFailureIsTold(t *testing.T) {
	p := platform()
	p.Get.Run = []string{"bash", "-c", "echo no such luck >&2; exit 4"}
	runner, err := findRunner()
	if err != nil {
		t.Fatal(err)
	}
	_, err = local.New(local.Options{JobRunner: runner, Path: os.Getenv("PATH"), CallerEnv: os.Environ()}).
		Open(t.Context(), environment.Scope{Dir: t.TempDir(), Platform: p})
	if err == nil || !strings.Contains(err.Error(), "no such luck") || !strings.Contains(err.Error(), "exit code 4") {
		t.Errorf("got %v", err)
	}
}

func TestInstallFailureIsTold(t *testing.T) {
	for name, tt := range map[string]struct {
		install environment.Install
		want    string
	}{
		"exit code":   {environment.Install{Run: []string{"bash", "-c", "echo {token:admin}; exit 3"}}, "exit code 3\n[token:admin]"},
		"missing":     {environment.Install{Run: []string{"noop"}, Validate: []string{"x.yml"}}, "left no x.yml"},
		"placeholder": {environment.Install{Run: []string{"noop", "{tokn:admin}"}}, "unknown placeholder {tokn:admin}"},
		"not started": {environment.Install{Run: []string{"no-such-program"}}, "not started"},
	} {
		t.Run(name, func(t *testing.T) {
			p := platform()
			p.Install = tt.install
			set := lease(t, openSite(t, true, p))
			r := repository(t, set, labeler)
			err := set.Installer.Install(t.Context(), r)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want it to contain %q", err, tt.want)
			}
			quiet(t, set)
		})
	}
}

// BenchmarkLease is a forge, an engine, a door and a launcher, ready and gone again.
func BenchmarkLease(b *testing.B) {
	site := openSite(b, true, platform())
	for b.Loop() {
		l, err := site.Lease(b.Context(), "bench")
		if err != nil {
			b.Fatal(err)
		}
		if err := l.Release(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLabelToRun is from the label until the one-step run it causes has completed.
func BenchmarkLabelToRun(b *testing.B) {
	set := lease(b, openSite(b, true, platform()))
	r := repository(b, set, "on: {issues: {types: [labeled]}}\njobs:\n  one:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo hi\n")
	for b.Loop() {
		ask(b, set, r)
		quiet(b, set)
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/run")
}
