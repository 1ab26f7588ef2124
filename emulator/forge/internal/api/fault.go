package api

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/fault"
)

// misbehave answers a request of a forge that has faults; refused is why its credential is none.
func (a *API) misbehave(w http.ResponseWriter, c *call, subject string, refused error) {
	ans, err := a.faulty(c, subject, func() (answer, error) { return a.serve(c, subject, refused) })
	a.finish(w, c, subject, ans, err)
}

// faulty asks the faults of answers whether one strikes, at most one. Without any the request is served.
func (a *API) faulty(c *call, subject string, serve func() (answer, error)) (answer, error) {
	if a.struck(c, fault.RateLimit, subject) {
		return answer{}, a.limited(c)
	}
	if a.struck(c, fault.ServerError, subject) {
		return a.broken(c, serve)
	}
	if a.struck(c, fault.Cut, subject) {
		if c.fault.Arg("when") == "before" {
			return answer{status: statusCut, cut: "after"}, nil
		}
		ans, err := serve()
		if err != nil {
			e := a.wireError(subject, err)
			ans = answer{status: e.Code(), body: e}
		}
		ans.changed, ans.cut = hasChanged(c, ans, err), c.fault.Arg("when")
		return ans, nil
	}
	return a.lagging(c, subject, serve)
}

// statusCut stands in the journal for an answer that there is not.
const statusCut = 0

// struck reports whether a fault of answers strikes a request, and remembers which.
func (a *API) struck(c *call, name, subject string) bool {
	if name == fault.RateLimit && c.route.pattern == ratePattern {
		return false // which costs nothing
	}
	f, ok := a.Faults.Strike(name, fault.Target{What: subject, Of: c.who.Credential(), Is: map[string]string{"by": c.who.Login}, Cause: c.who.Cause})
	if ok {
		c.fault = &f
	}
	return ok
}

func hasChanged(c *call, ans answer, err error) bool {
	return err == nil && ans.status < 400 && c.Method != http.MethodGet && c.Method != http.MethodHead
}

// broken is an answer of GitHub's when something of its own went wrong: the request was handled before that,
// or was not.
func (a *API) broken(c *call, serve func() (answer, error)) (answer, error) {
	done := false
	if c.fault.Arg("when") == "after" {
		ans, err := serve()
		if ans.file != nil {
			ans.file.Close()
		}
		done = hasChanged(c, ans, err)
	}
	status := c.fault.Number("status")
	message := "Server Error"
	switch status {
	case http.StatusServiceUnavailable:
		message = "Service unavailable"
	case http.StatusGatewayTimeout:
		message = "We couldn't respond to your request in time. Sorry about that. Please try resubmitting your request and contact us if the problem persists."
	}
	return answer{status: status, body: wire.NewError(status, message), changed: done}, nil
}

// limited is the refusal of somebody who asked too much, in the forms that GitHub gives it. See
// https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit.
func (a *API) limited(c *call) error {
	e := wire.NewError(c.fault.Number("status"), "")
	wait := c.fault.Number("wait")
	if c.fault.Arg("limit") == "secondary" {
		c.header["Retry-After"] = []string{strconv.Itoa(wait)}
		e.Message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to GitHub Support for help, please include the request ID " + c.id + "."
		e.Docs += "/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"
		return e
	}
	e.Docs += "/overview/rate-limits-for-the-rest-api"
	e.Message = "API rate limit exceeded for " + a.asker(c) + "."
	if c.who.Anonymous() {
		e.Message += " (But here's the good news: Authenticated requests get a higher rate limit. Check out the documentation for more details.)"
	}
	return e
}

// asker names who asks as a refusal for too many requests does.
func (a *API) asker(c *call) string {
	profile, err := a.State.Account(c.who.Login)
	switch {
	case err != nil || c.who.Anonymous():
		return "127.0.0.1"
	case c.who.App():
		return fmt.Sprintf("installation ID %d", profile.ID)
	}
	return fmt.Sprintf("user ID %d", profile.ID)
}

// exhausted makes the headers say that nothing is left until the time that a fault gives.
func (c *call) exhausted(limit int, now time.Time) {
	c.header["Date"] = []string{now.UTC().Format(http.TimeFormat)} // by the clock that the reset is by
	reset := now.Add(time.Duration(c.fault.Number("wait")) * time.Second)
	for name, n := range map[string]int64{"X-Ratelimit-Remaining": 0, "X-Ratelimit-Used": int64(limit), "X-Ratelimit-Reset": reset.Unix()} {
		c.header[name] = []string{strconv.FormatInt(n, 10)}
	}
}

// cut ends the connection, after the first half of the answer or without any of it. It does not return.
func (a *API) cut(w http.ResponseWriter, c *call, ans answer) {
	if ans.file != nil {
		ans.file.Close()
	}
	if ans.cut == "body" && len(ans.raw) > 1 {
		ans.writeHalf(w)
	}
	a.Log.Debug("answer cut", "part", "forge", "request", c.path, "id", c.id)
	panic(http.ErrAbortHandler)
}

func (ans answer) writeHalf(w http.ResponseWriter) {
	if ans.kind != "" {
		w.Header()["Content-Type"] = []string{ans.kind}
	}
	w.Header()["Content-Length"] = []string{strconv.Itoa(len(ans.raw))}
	w.WriteHeader(ans.status)
	if _, err := w.Write(ans.raw[:len(ans.raw)/2]); err == nil {
		_ = http.NewResponseController(w).Flush() // what does not arrive is cut all the earlier
	}
}
