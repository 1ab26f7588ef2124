package bench_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/driver/job"
	"github.com/understudy-dev/understudy/driver/process"
	"github.com/understudy-dev/understudy/environment"
	"github.com/understudy-dev/understudy/environment/local"
	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/result/coverage"
)

const oneStep = "on: {issues: {types: [labeled]}}\njobs:\n  one:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo hi\n"

// labelToRun opens an issue, labels it, and waits until the one-step run that this causes has
// completed and nothing is going on.
func labelToRun(b *testing.B, t *table) {
	runner, err := job.Find(b.Context(), job.Options{Explicit: os.Getenv("UNDERSTUDY_JOB")})
	must(b, err)
	namespaces := process.Namespaces(b.Context(), runner) == nil
	set := lease(b, runner, namespaces)
	repo := repository(b, set, oneStep)
	write, err := set.Forge.As("write")
	must(b, err)
	seen := 0
	one := func() {
		is, err := write.Issues.Open(b.Context(), repo, driver.NewIssue{Title: "A question"})
		must(b, err)
		must(b, write.Issues.Edit(b.Context(), is.Ref, driver.IssueEdit{AddLabels: []string{"ask"}}))
		quiet(b, set)
		seen++
	}
	one()
	var c, bash cost
	const rounds = 30
	for range rounds {
		c.add(b, one)
		bash.add(b, func() { must(b, exec.Command("bash", "-e", "-c", "echo hi").Run()) })
	}
	runs, err := write.Runs.List(b.Context(), repo, driver.RunFilter{})
	must(b, err)
	for _, r := range runs {
		if r.Conclusion != "success" {
			b.Fatalf("run %d: %s", r.ID, r.Conclusion)
		}
	}
	if len(runs) != seen {
		b.Fatalf("%d runs, want %d", len(runs), seen)
	}
	how := "namespaces"
	if !namespaces {
		how = "process groups"
	}
	t.add(figure{name: "label → one-step run completed: CPU of kit and children", value: milli(c.cpu(), rounds), target: 60, unit: "ms", format: "%.0f",
		peer: fmt.Sprintf("bash alone: %.1f ms; kit %.1f ms, children %.1f ms, wall %.0f ms (%s)", milli(bash.cpu(), rounds), milli(c.self, rounds), milli(c.children, rounds), milli(c.wall, rounds), how)})
}

func lease(b *testing.B, runner string, namespaces bool) *driver.Set {
	b.Helper()
	site, err := local.New(local.Options{
		JobRunner: runner, Path: os.Getenv("PATH"), CallerEnv: os.Environ(), Namespaces: namespaces, Capacity: 2,
	}).Open(b.Context(), environment.Scope{Dir: b.TempDir(), Platform: environment.Platform{
		Platform: driver.Platform{Name: "none", Actors: map[string]driver.Actor{
			"admin": {Name: "admin", Login: "admin", Role: "admin"}, "write": {Name: "write", Login: "write", Role: "write"},
		}},
		Get:     environment.Get{Run: []string{"bash", "-c", `printf '#!/bin/sh\nexit 0\n' > "$0" && chmod +x "$0"`, "{gives}"}, Gives: "noop"},
		Install: environment.Install{Run: []string{"noop"}},
	}})
	must(b, err)
	b.Cleanup(func() { must(b, site.Close(context.Background())) })
	l, err := site.Lease(b.Context(), b.Name())
	must(b, err)
	b.Cleanup(func() { must(b, l.Release(context.Background())) })
	return l.Drivers
}

// repository has one workflow.
func repository(b *testing.B, set *driver.Set, workflow string) driver.Repo {
	b.Helper()
	admin, err := set.Forge.As("admin")
	must(b, err)
	r := driver.Repo{Owner: set.Place.Org, Name: set.Place.Repo}
	must(b, admin.Repos.Create(b.Context(), driver.NewRepo{Repo: r, AutoInit: true}))
	_, err = admin.Files.Commit(b.Context(), r, driver.NewCommit{
		Message: "Add workflow", Files: []driver.NewFile{{Path: ".github/workflows/w.yml", Content: []byte(workflow)}},
	})
	must(b, err)
	return r
}

func quiet(b *testing.B, set *driver.Set) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
	defer cancel()
	for seq, done := uint64(0), false; !done; {
		var err error
		seq, done, err = set.Ledger.Wait(ctx, seq)
		must(b, err)
	}
}

// acceptance runs eight scenarios of the acceptance suite at capacity, after once that built
// everything.
func acceptance(b *testing.B, t *table) {
	out := filepath.Join(b.TempDir(), "out")
	exe, _ := command(b)
	const features = "../../examples/acceptance/features/"
	run := func(jobs ...string) (cpu, wall time.Duration) {
		return runs(b, exe, append([]string{features + "triage.feature", features + "dispatch.feature", features + "egress.feature", "--out", out}, jobs...)...)
	}
	run()
	cpu, wall := run()
	_, alone := run("--jobs", "1")
	t.add(figure{name: "8 scenarios at capacity: wall", value: wall.Seconds(), target: 6, unit: "s", format: "%.1f",
		peer: fmt.Sprintf("one at a time: %.1f s; CPU of all processes %.1f s", alone.Seconds(), cpu.Seconds())})
	coverageCost(b, t, out, cpu)
}

// runs runs scenarios, all of which pass, and tells what they took with the start and the building of the platform.
func runs(b *testing.B, exe string, args ...string) (cpu, wall time.Duration) {
	b.Helper()
	cmd := exec.Command(exe, append([]string{"run"}, args...)...)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	wall = time.Since(start)
	if err != nil {
		b.Fatalf("understudy run: %v\n%s", err, out)
	}
	u := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), wall
}

// forks runs the fork contract three times at once, and takes from that what sixteen scenarios are.
func forks(b *testing.B, t *table) {
	out := filepath.Join(b.TempDir(), "out")
	exe, _ := command(b)
	args := []string{"../../examples/acceptance", "--tags", "@fork", "--repeat", "3", "--out", out}
	runs(b, exe, args...)
	cpu, wall := runs(b, exe, args...)
	record, err := result.Read(filepath.Join(out, "record.json"))
	must(b, err)
	part := 16 / float64(record.Counts().Passed)
	t.add(figure{name: "16 scenarios with fork and pull request at capacity: wall", value: wall.Seconds() * part, target: 3, unit: "s", format: "%.1f",
		peer: fmt.Sprintf("CPU of all processes: %.1f s", cpu.Seconds()*part)})
}

// coverageCost is what counting the coverage of a run's workflows adds to the run: once for each of its
// page, its summary and its text.
func coverageCost(b *testing.B, t *table, out string, run time.Duration) {
	record, err := result.Read(filepath.Join(out, "record.json"))
	must(b, err)
	const rounds = 50
	files, gaps := 0, 0
	var c cost
	c.add(b, func() {
		for range rounds {
			for range 3 {
				files, gaps = 0, 0
				for _, w := range coverage.Of(record).Workflows {
					files++
					gaps += len(w.Gaps())
				}
			}
			must(b, coverage.Of(record).WriteText(io.Discard))
		}
	})
	one := milli(c.self, rounds)
	t.add(figure{name: "coverage of those 8 scenarios: part of the run's CPU", value: 100 * one / milli(run, 1), target: 1, unit: "%", format: "%.3f",
		peer: fmt.Sprintf("%.2f ms for %d files with %d gaps, of %.1f s", one, files, gaps, run.Seconds())})
}
