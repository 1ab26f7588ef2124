package behaviourtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
)

var errInterrupted = errors.New("interrupted")

// interruptible returns a context that the first interrupt ends, so that the run is cleaned up and its
// evidence kept. The second one ends the program at once. stop gives interrupts back to the program.
func interruptible(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-signals:
			signal.Stop(signals)
			cancel(errInterrupted)
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(nil)
		<-ended
	}
}

// exitInterrupted is what shells report of a program that an interrupt ended.
const exitInterrupted = 130

// endIfInterrupted ends the program when an interrupt is what ended ctx: go test must not go on with
// other tests. What the test has not shown yet is lost, so the place of the evidence goes to standard error.
func endIfInterrupted(ctx context.Context, k kept) {
	if !errors.Is(context.Cause(ctx), errInterrupted) {
		return
	}
	where := "its evidence is not kept: use -artifacts or BEHAVIOUR_ARTIFACT_DIR"
	if !k.temp {
		where = "record: " + k.shown() + "record.json"
	}
	fmt.Fprintf(os.Stderr, "understudy: interrupted   %s\n", where)
	os.Exit(exitInterrupted)
}
