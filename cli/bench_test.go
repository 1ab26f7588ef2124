package cli_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/understudy-dev/understudy/cli"
	"github.com/understudy-dev/understudy/result"
)

// BenchmarkTriage is the triage scenario alone, over and over in one run: from the lease until it has
// been judged. The seconds are the scenario's own, without building the platform.
func BenchmarkTriage(b *testing.B) {
	out := b.TempDir()
	var text bytes.Buffer
	code := cli.Main(cli.Options{
		Args:   []string{"run", acceptance + "/features/triage.feature:6", "--jobs", "1", "--repeat", "5", "--out", out},
		Env:    os.Environ(),
		Stdout: &text, Stderr: &text,
	})
	if code != 0 {
		b.Fatalf("exit code %d\n%s", code, text.String())
	}
	rec, err := result.Read(out + "/record.json")
	if err != nil {
		b.Fatal(err)
	}
	total, n := 0.0, 0
	for sc := range rec.Scenarios() {
		total += sc.Seconds
		n++
	}
	b.ReportMetric(total/float64(n), "s/scenario")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkOrders tries all orders of two labels on the platform that has no mistake, each in a lease of
// its own, from its installation until it has been judged. No order is tried a second time, so that 1,000
// that are asked for take as long as all there are.
func BenchmarkOrders(b *testing.B) {
	dir, out := mended(b), b.TempDir()
	var text bytes.Buffer
	code := cli.Main(cli.Options{
		Args:   []string{"run", dir, "--explore", "1000", "--seed", "1", "--out", out},
		Env:    os.Environ(),
		Stdout: &text, Stderr: &text,
	})
	if code != 0 {
		b.Fatalf("exit code %d\n%s", code, text.String())
	}
	rec, err := result.Read(out + "/record.json")
	if err != nil {
		b.Fatal(err)
	}
	for sc := range rec.Scenarios() {
		b.ReportMetric(rec.Ended.Sub(rec.Started).Seconds(), "s/1000-schedules")
		b.ReportMetric(float64(sc.Order.Tried), "distinct")
	}
	b.ReportMetric(0, "ns/op")
}
