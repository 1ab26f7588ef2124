package bench_test

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"
)

// figure is one line of the table. A figure that misses its target is shown, it fails nothing.
type figure struct {
	name   string
	value  float64
	target float64 // at most; 0 is none
	unit   string
	format string // of numbers
	peer   string // what stands beside it, with its own number
}

// table collects figures in the order in which they are measured.
type table struct{ figures []figure }

func (t *table) add(f figure) { t.figures = append(t.figures, f) }

func (t *table) String() string {
	var text bytes.Buffer
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "figure\tmeasured\ttarget\t\tpeer, in the same run")
	for _, f := range t.figures {
		target, holds := "", ""
		if f.target > 0 {
			target = fmt.Sprintf("≤ "+f.format, f.target)
			holds = "holds"
			if f.value > f.target {
				holds = "MISSES"
			}
		}
		fmt.Fprintf(w, "%s\t"+f.format+" %s\t%s\t%s\t%s\n", f.name, f.value, f.unit, target, holds, f.peer)
	}
	w.Flush()
	return text.String()
}

// BenchmarkFigures measures everything and prints one table.
func BenchmarkFigures(b *testing.B) {
	var t table
	for _, part := range []struct {
		name string
		run  func(*testing.B, *table)
	}{
		{"Issue", issue}, {"Handler", handler}, {"List", list}, {"Large", large}, {"Git", gitFlow}, {"Pull", pullFlow}, {"Quiet", quietSeen},
		{"LabelToRun", labelToRun}, {"ManyJobs", manyJobs}, {"Acceptance", acceptance}, {"Forks", forks}, {"Suite", suite}, {"Page", page}, {"Exec", execAdds}, {"Serve", serveReady}, {"JournalPage", journalPage}, {"Lint", lint},
		{"Artifact", artifact}, {"LeaseFromCopy", leaseFromCopy},
	} {
		done := false
		b.Run(part.name, func(b *testing.B) {
			if !done { // whoever does not loop is called again, with a larger b.N
				done = true
				part.run(b, &t)
			}
			b.ReportMetric(0, "ns/op") // the wall clock of a loop says nothing here
		})
	}
	fmt.Fprintf(os.Stdout, "\n%s\n%d processors, %s\n", t.String(), runtime.NumCPU(), load())
}

// load says how busy the machine is: processor time is dearer on a busy one.
func load() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "load unknown"
	}
	return "load " + strings.Join(strings.Fields(string(data))[:3], " ")
}

// spent is the processor time so far of this process and of the children it waited for.
func spent(b *testing.B) (self, children time.Duration) {
	b.Helper()
	return rusage(b, syscall.RUSAGE_SELF), rusage(b, syscall.RUSAGE_CHILDREN)
}

func rusage(b *testing.B, who int) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// micro is a duration per operation in microseconds.
func micro(d time.Duration, n int) float64 { return float64(d.Nanoseconds()) / 1e3 / float64(n) }

// milli is a duration per operation in milliseconds.
func milli(d time.Duration, n int) float64 { return micro(d, n) / 1e3 }
