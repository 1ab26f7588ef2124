package suite_test

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/result"
	"github.com/understudy-dev/understudy/suite"
)

// BenchmarkSuite runs 10,000 scenarios of 4 steps against 250 definitions and reports the CPU time
// of this process for each scenario, the fake site's part included.
func BenchmarkSuite(b *testing.B) {
	var steps []suite.Step
	for i := range 250 {
		steps = append(steps, step(fmt.Sprintf(`the %d(?:st|nd|rd|th) thing has (\w+) "([^"]*)"`, i),
			fmt.Sprintf(`the %dth thing has name "x"`, i), func(context.Context, string, string) error { return nil }))
	}
	var text strings.Builder
	text.WriteString("Feature: F\n")
	const scenarios = 10_000
	for i := range scenarios {
		fmt.Fprintf(&text, "  Scenario: %d\n", i)
		for k := range 4 {
			fmt.Fprintf(&text, "    Given the %dth thing has name \"%d\"\n", (i*4+k)%250, i)
		}
	}
	planned := features(b, map[string]string{"f.feature": text.String()})
	for b.Loop() {
		before := cpu(b)
		trials, err := suite.Run(b.Context(), suite.Options{Planned: planned, Packs: []suite.Pack{pack(steps...)}, Site: &site{capacity: 8}})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64((cpu(b)-before).Microseconds())/scenarios, "µs-cpu/scenario")
		for _, s := range trials[0].Scenarios {
			if s.Verdict != result.Passed {
				b.Fatal(problems(s))
			}
		}
	}
}

func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
