package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"
)

// How long a request is pursued.
const (
	maxTries = 4
	maxWait  = 2 * time.Minute // who is told to come later than this is told so, and no more
)

// recent is how old at most a thing is that was made just now.
const recent = maxWait + time.Minute

// found looks, after an answer that leaves it open, whether a request has made what it should, and decodes
// that into the request's out.
type found func(ctx context.Context) (bool, error)

// harmless is for a request that may be made twice: the second one changes nothing.
func harmless(context.Context) (bool, error) { return false, nil }

// do sends body as JSON and decodes the answer into out; out may be nil or *[]byte for the raw bytes. Who is
// told to wait waits as long as the answer says. What may be done twice is done again at once when the server
// broke or the connection ended; a POST is not, see make.
func (c *client) do(ctx context.Context, method, path string, body, out any) (http.Header, error) {
	return c.pursue(ctx, method, path, body, out, nil)
}

// make is do for a POST. When the answer leaves open whether it was handled, there says; a thing that is not there
// is asked for again.
func (c *client) make(ctx context.Context, path string, body, out any, there found) error {
	_, err := c.pursue(ctx, http.MethodPost, path, body, out, there)
	return err
}

func (c *client) pursue(ctx context.Context, method, path string, body, out any, there found) (http.Header, error) {
	open := false // an earlier try may have done it
	for try := 1; ; try++ {
		h, err := c.once(ctx, method, path, body, out)
		if err == nil || ctx.Err() != nil {
			return h, err
		}
		if open && method == http.MethodDelete && isStatus(err, http.StatusNotFound) {
			return h, nil
		}
		wait, limited := limit(err)
		lost := unanswered(err)
		open = open || lost
		switch {
		case try == maxTries || !limited && !lost:
			return nil, err
		case limited && wait > maxWait:
			return nil, fmt.Errorf("%w (come again in %s)", err, wait.Round(time.Second))
		case limited:
			if err := c.wait(ctx, wait); err != nil {
				return nil, err
			}
		case there == nil && method != http.MethodPost: // twice comes to the same
		case there == nil:
			return nil, err
		default:
			is, missing := there(ctx)
			if is || missing != nil {
				return nil, missing
			}
		}
	}
}

// soon is how long at first to wait for what was made and is not seen yet.
const soon = 50 * time.Millisecond

// later asks again, a few times and each time after a longer wait, until what was made is seen as it was. It returns
// false when it never was.
func (c *client) later(ctx context.Context, seen func(context.Context) (bool, error)) (bool, error) {
	for try := range maxTries {
		if is, err := seen(ctx); is || err != nil {
			return is, err
		}
		if try == maxTries-1 {
			break
		}
		if err := c.wait(ctx, soon<<try); err != nil {
			return false, err
		}
	}
	return false, nil
}

// unanswered reports whether an error leaves open that the request was handled.
func unanswered(err error) bool {
	var e *StatusError
	if !errors.As(err, &e) {
		var decode *decodeError
		return !errors.As(err, &decode)
	}
	switch e.Status {
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// limit reads from a refusal how long to wait before the next request.
// https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#handle-rate-limit-errors-appropriately
func limit(err error) (wait time.Duration, limited bool) {
	var e *StatusError
	if !errors.As(err, &e) || e.Status != http.StatusForbidden && e.Status != http.StatusTooManyRequests {
		return 0, false
	}
	if n, err := strconv.ParseUint(e.header.Get("Retry-After"), 10, 63); err == nil {
		return time.Duration(min(n, math.MaxInt64/uint64(time.Second))) * time.Second, true
	}
	reset, err := strconv.ParseInt(e.header.Get("X-RateLimit-Reset"), 10, 64)
	if now := dateOf(e.header); err == nil && !now.IsZero() && e.header.Get("X-RateLimit-Remaining") == "0" {
		return max(0, time.Unix(reset, 0).Sub(now)), true
	}
	return time.Minute, e.Status == http.StatusTooManyRequests
}

// dateOf is the time of an answer by the clock of who gave it; zero is unknown.
func dateOf(h http.Header) time.Time {
	t, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return time.Time{}
	}
	return t
}

// pause waits for real; nothing to wait for takes no time.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// exists looks for what has an address of its own.
func (c *client) exists(path string, out any) found {
	return func(ctx context.Context) (bool, error) {
		_, err := c.do(ctx, http.MethodGet, path, nil, out)
		if isStatus(err, http.StatusNotFound) {
			return false, nil
		}
		return err == nil, err
	}
}

// listed looks for an element of a list. from is the time from which on a thing was made just now.
func listed[T any](c *client, path string, out *T, is func(one T, from time.Time) bool) found {
	return func(ctx context.Context) (bool, error) {
		yes := false
		err := c.eachPage(ctx, path, func(raw []byte, h http.Header) error {
			var page []T
			if err := json.Unmarshal(raw, &page); err != nil {
				return err
			}
			for _, one := range page {
				if !yes && is(one, dateOf(h).Add(-recent)) {
					*out, yes = one, true
				}
			}
			return nil
		})
		return yes, err
	}
}
