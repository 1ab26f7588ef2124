package suite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/understudy-dev/understudy/result"
)

// abandonedError is the error of a call that did not return after its context ended.
type abandonedError struct {
	stack string // where it was when it was given up
}

func (*abandonedError) Error() string { return "it did not return when its time was over" }

// panicError is the error of a call that panicked.
type panicError struct {
	value any
	stack string
}

func (p *panicError) Error() string { return fmt.Sprintf("panic: %v", p.value) }

var errGoexit = errors.New("it ended its goroutine (runtime.Goexit) instead of returning")

// call runs f in a goroutine that can be given up: when f has not returned grace after the end of
// ctx, call returns an *abandonedError while f still runs. It is the one place where a goroutine
// may outlive the function that started it.
func call(ctx context.Context, grace time.Duration, f func(context.Context) error) error {
	done := make(chan error, 1)
	id := make(chan []byte, 1)
	go func() {
		id <- goroutineID()
		err := errGoexit
		defer func() { done <- err }()
		defer func() {
			if v := recover(); v != nil {
				err = &panicError{value: v, stack: string(debug.Stack())}
			}
		}()
		err = f(ctx)
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case err := <-done:
		return err
	case <-late.C:
		return &abandonedError{stack: stackOf(<-id)}
	}
}

// goroutineID returns the head of this goroutine's trace, "goroutine 12 ".
func goroutineID() []byte {
	buf := make([]byte, 32)
	buf = buf[:runtime.Stack(buf, false)]
	if i := bytes.IndexByte(buf, '['); i > 0 {
		return buf[:i]
	}
	return buf
}

// maxStacks bounds the dump in which the trace of an abandoned call is looked for.
const maxStacks = 8 << 20

func stackOf(id []byte) string {
	buf := make([]byte, maxStacks)
	buf = buf[:runtime.Stack(buf, true)]
	for trace := range bytes.SplitSeq(buf, []byte("\n\n")) {
		if bytes.HasPrefix(trace, id) {
			return string(trace)
		}
	}
	return ""
}

// problemOf is result.Of with the ends that only a call can have.
func problemOf(err error, what string) *result.Problem {
	var gone *abandonedError
	var panicked *panicError
	switch {
	case errors.As(err, &gone):
		return &result.Problem{Verdict: result.Broken, Stack: gone.stack,
			What: what + " ignored its deadline and was given up; its goroutine may still run",
			Hint: "pass the context on to everything that waits"}
	case errors.As(err, &panicked):
		return &result.Problem{Verdict: result.Broken, What: what + " panicked: " + fmt.Sprint(panicked.value), Stack: panicked.stack}
	case errors.Is(err, ErrPending):
		return &result.Problem{Verdict: result.Broken, What: err.Error()}
	}
	return result.Of(err)
}
