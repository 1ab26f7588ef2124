package bench_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/internal/ledger"
)

// quietSeen is how long a waiter sleeps on after the last obligation has closed.
func quietSeen(b *testing.B, t *table) {
	const n = 1000
	l := ledger.New()
	ours := wakes(n, func() (wait, end func()) {
		ob := l.Open("run 7")
		return func() {
			if _, quiet, err := l.Wait(context.Background(), l.Seq()); !quiet || err != nil {
				b.Error(quiet, err)
			}
		}, ob.Close
	})
	bare := wakes(n, func() (wait, end func()) {
		c := make(chan struct{})
		return func() { <-c }, func() { close(c) }
	})
	for _, p := range []struct {
		name string
		at   int
	}{{"median", n / 2}, {"99th of 100", n * 99 / 100}} {
		t.add(figure{name: "quiet seen after the last obligation, " + p.name, value: milli(ours[p.at], 1), target: 2, unit: "ms", format: "%.3f",
			peer: fmt.Sprintf("a bare channel: %.3f ms", milli(bare[p.at], 1))})
	}
}

// wakes are n times from end until wait has returned, sorted.
func wakes(n int, next func() (wait, end func())) []time.Duration {
	took := make([]time.Duration, 0, n)
	for range n {
		wait, end := next()
		ready, woken := make(chan struct{}), make(chan time.Time)
		go func() {
			close(ready)
			wait()
			woken <- time.Now()
		}()
		<-ready
		for began := time.Now(); time.Since(began) < 50*time.Microsecond; { // let it fall asleep
		}
		start := time.Now()
		end()
		took = append(took, (<-woken).Sub(start))
	}
	slices.Sort(took)
	return took
}
