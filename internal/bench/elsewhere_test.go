package bench_test

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// suite is ./suite's own benchmark.
func suite(b *testing.B, t *table) {
	t.add(figure{name: "a scenario of 4 steps among 250 definitions: CPU", value: elsewhere(b, "../../suite", "BenchmarkSuite", "µs-cpu/scenario"),
		target: 100, unit: "µs", format: "%.0f", peer: "10,000 scenarios, World and record included"})
}

// page is ./report/html's own benchmark.
func page(b *testing.B, t *table) {
	t.add(figure{name: "page of 1,000 scenarios", value: elsewhere(b, "../../report/html", "BenchmarkThousandScenarios", "bytes/page") / 1e6,
		target: 3, unit: "MB", format: "%.2f", peer: "one file, nothing loaded from elsewhere"})
}

// journalPage is ./environment/page's own benchmark.
func journalPage(b *testing.B, t *table) {
	t.add(figure{name: "journal of 10,000 entries, a window of 200: server", value: elsewhere(b, "../../environment/page", "BenchmarkJournal/latest", "ms/window"),
		target: 50, unit: "ms", format: "%.0f", peer: "rendered, counted and cleaned anew each time"})
}

// lint is the command's own benchmark.
func lint(b *testing.B, t *table) {
	t.add(figure{name: "lint of 1,000 scenarios: CPU", value: elsewhere(b, "../../cli", "BenchmarkLint", "ms-cpu/lint"),
		target: 1000, unit: "ms", format: "%.0f", peer: "all rules, 500 fixtures held to a schema"})
}

// leaseFromCopy is ./environment/local's own benchmark.
func leaseFromCopy(b *testing.B, t *table) {
	t.add(figure{name: "lease with the platform from a copy: wall", value: elsewhere(b, "../../environment/local", "BenchmarkLeaseFromCopy", "ms/lease"),
		target: 5, unit: "ms", format: "%.1f", peer: "forge, engine, door, launcher, repository; ready for the next step"})
}

// elsewhere is a metric of a benchmark that lives beside what it measures.
func elsewhere(b *testing.B, dir, name, metric string) float64 {
	b.Helper()
	out, err := exec.Command("go", "test", "-run", "^$", "-bench", "^"+name+"$", "-benchtime", "3x", dir).CombinedOutput()
	if err != nil {
		b.Fatalf("%s in %s: %v\n%s", name, dir, err, out)
	}
	for line := range strings.SplitSeq(string(out), "\n") {
		fields := strings.Fields(line)
		for i, f := range fields {
			if f == metric && i > 0 && strings.HasPrefix(fields[0], name) {
				v, err := strconv.ParseFloat(fields[i-1], 64)
				must(b, err)
				return v
			}
		}
	}
	b.Fatalf("%s in %s tells no %s\n%s", name, dir, metric, out)
	return 0
}
