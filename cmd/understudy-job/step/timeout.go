package step

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
)

// Timeout is the variable in which a step's timeout-minutes comes to its wrapper, evaluated. The step does
// not see it.
const Timeout = "UNDERSTUDY_TIMEOUT_MINUTES"

// timeLimit is how long the step may take: whole minutes as GitHub's runner counts them, for which 0 and
// less are no limit.
func (c Control) timeLimit() (minutes int, limit time.Duration, err error) {
	text, given := os.LookupEnv(Timeout)
	if !given {
		return 0, 0, nil
	}
	if err := os.Unsetenv(Timeout); err != nil {
		return 0, 0, err
	}
	text = strings.TrimSpace(text)
	f, err := strconv.ParseFloat(text, 64)
	if text == "" { // null is no limit
		f, err = 0, nil
	}
	if err != nil || math.IsNaN(f) || math.Abs(f) > math.MaxInt32 {
		return 0, 0, fmt.Errorf("timeout-minutes: %q is not a number of minutes", text)
	}
	minute, err := c.minute()
	return int(f), time.Duration(min(int(f), maxMinutes)) * minute, err
}

const maxMinutes = 365 * 24 * 60 // no job lasts longer; what a duration holds is little more than 10⁸

// minute is how long a minute of a time-out is; shorter in tests.
func (c Control) minute() (time.Duration, error) {
	text, err := os.ReadFile(c.Path(Minute))
	if errors.Is(err, fs.ErrNotExist) {
		return time.Minute, nil
	}
	if err != nil {
		return 0, err
	}
	return time.ParseDuration(string(text))
}

// within runs what a step does until its time is over. Then do is told, and not waited for when it has not
// said that it can end what it started.
func (c Control) within(do func(context.Context) (int, error)) (int, error) {
	minutes, limit, err := c.timeLimit()
	if err != nil || limit <= 0 {
		if err != nil {
			return 0, err
		}
		return do(context.Background())
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	type result struct {
		code int
		err  error
	}
	ended := make(chan result, 1)
	go func() {
		code, err := do(ctx)
		ended <- result{code, err}
	}()
	select {
	case r := <-ended:
		if ctx.Err() == nil {
			return r.code, r.err
		}
	case <-ctx.Done():
		grace := time.NewTimer(killGrace)
		defer grace.Stop()
		select { // so that its last output comes before ours
		case <-ended:
		case <-grace.C:
		}
	}
	return 1, fmt.Errorf("The action has timed out after %d minutes.", minutes)
}

// killGrace is how long the end of a step that was told to end is waited for.
const killGrace = 5 * time.Second
