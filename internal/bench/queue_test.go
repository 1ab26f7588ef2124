package bench_test

import (
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/driver/job"
	"github.com/understudy-dev/understudy/driver/process"
)

const eightCells = `on: {issues: {types: [labeled]}}
jobs:
  one:
    strategy: {matrix: {a: [1, 2], b: [1, 2], c: [1, 2]}}
    runs-on: ubuntu-latest
    steps:
      - run: echo hi
`

// manyJobs runs a matrix of eight one-step jobs, and lets two hundred runs queue and drain.
func manyJobs(b *testing.B, t *table) {
	runner, err := job.Find(b.Context(), job.Options{Explicit: os.Getenv("UNDERSTUDY_JOB")})
	must(b, err)
	namespaces := process.Namespaces(b.Context(), runner) == nil
	wall, cpu := matrixOfEight(b, lease(b, runner, namespaces))
	t.add(figure{name: "matrix of 8 one-step jobs, from the label: wall, least of 10", value: milli(wall, 1), target: 400, unit: "ms", format: "%.0f",
		peer: fmt.Sprintf("CPU of kit and children %.0f ms", milli(cpu, 1))})
	took, before, after := queueOf(b, lease(b, runner, namespaces), 200)
	t.add(figure{name: "200 queued runs: memory kept when they are done", value: float64(max(after, before)-before) / (1 << 20), target: 50, unit: "MB", format: "%.1f",
		peer: fmt.Sprintf("all in the journal; drained in %.1f s", took.Seconds())})
}

// BenchmarkQueue lets -benchtime Nx runs queue and drain, and reports what of the memory is kept.
func BenchmarkQueue(b *testing.B) {
	runner, err := job.Find(b.Context(), job.Options{Explicit: os.Getenv("UNDERSTUDY_JOB")})
	must(b, err)
	set := lease(b, runner, process.Namespaces(b.Context(), runner) == nil)
	took, before, after := queueOf(b, set, b.N)
	b.ReportMetric(float64(max(after, before)-before)/(1<<20), "MB-kept")
	b.ReportMetric(float64(max(after, before)-before)/1024/float64(b.N), "KB-kept/run")
	b.ReportMetric(took.Seconds(), "s")
}

func matrixOfEight(b *testing.B, set *driver.Set) (wall, cpu time.Duration) {
	label := labeller(b, set, eightCells)
	label()
	for range 10 {
		var c cost
		c.add(b, func() { label(); quiet(b, set) })
		if wall == 0 || c.wall < wall {
			wall, cpu = c.wall, c.cpu()
		}
	}
	return wall, cpu
}

// queueOf labels n issues at once and waits until all their runs are done.
func queueOf(b *testing.B, set *driver.Set, n int) (took time.Duration, before, after uint64) {
	label := labeller(b, set, oneStep)
	label()
	quiet(b, set)
	before = heap()
	start := time.Now()
	for range n {
		label()
	}
	quiet(b, set)
	return time.Since(start), before, heap()
}

// labeller returns what opens and labels an issue of a repository with this workflow.
func labeller(b *testing.B, set *driver.Set, workflow string) func() {
	b.Helper()
	repo := repository(b, set, workflow)
	write, err := set.Forge.As("write")
	must(b, err)
	return func() {
		is, err := write.Issues.Open(b.Context(), repo, driver.NewIssue{Title: "A question"})
		must(b, err)
		must(b, write.Issues.Edit(b.Context(), is.Ref, driver.IssueEdit{AddLabels: []string{"ask"}}))
	}
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
