package api

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/internal/fault"
)

// What one account, or all anonymous requests together, may ask for in an hour at GitHub. See
// https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api.
const (
	limitKnown     = 5000
	limitAnonymous = 60
)

// meter counts requests. It limits nobody: whoever used all that GitHub gives is told that one
// request remains, since clients stop by themselves at none.
type meter struct {
	mu      sync.Mutex
	windows map[string]*window // by login
}

type window struct {
	limit int
	used  int
	reset time.Time
}

func (w window) remaining() int { return max(1, w.limit-w.used) }

// count returns the window of who, with n more requests in it.
func (m *meter) count(who state.Identity, now time.Time, n int) window {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := m.windows[who.Login]
	if w == nil || !now.Before(w.reset) {
		w = &window{limit: limitKnown, reset: now.Add(time.Hour)}
		if who.Anonymous() {
			w.limit = limitAnonymous
		}
		m.windows[who.Login] = w
	}
	w.used = min(w.used+n, w.limit-1)
	return *w
}

// limits tells the client how much he used. A 304 to somebody known costs him nothing, nor does the
// question itself.
func (a *API) limits(c *call, status int, now time.Time) {
	n := 1
	if status == http.StatusNotModified && !c.who.Anonymous() || c.route.pattern == ratePattern {
		n = 0
	}
	w := a.meter.count(c.who, now, n)
	values := [...]string{strconv.Itoa(w.limit), strconv.Itoa(w.remaining()), strconv.FormatInt(w.reset.Unix(), 10), "core", strconv.Itoa(w.used)}
	for i, name := range [...]string{"X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Reset", "X-Ratelimit-Resource", "X-Ratelimit-Used"} {
		c.header[name] = values[i : i+1 : i+1]
	}
	if c.fault != nil && c.fault.Name == fault.RateLimit && c.fault.Arg("limit") == "primary" {
		c.exhausted(w.limit, now)
	}
}

const ratePattern = "/rate_limit"

func (a *API) rateLimit(c *call) (answer, error) {
	w := a.meter.count(c.who, a.Now(), 0)
	view := func(limit, used int) map[string]any {
		return map[string]any{"limit": limit, "used": used, "remaining": max(1, limit-used), "reset": w.reset.Unix()}
	}
	core := view(w.limit, w.used)
	return ok(map[string]any{
		"resources": map[string]any{"core": core, "search": view(30, 0), "graphql": view(w.limit, 0)},
		"rate":      core,
	})
}
