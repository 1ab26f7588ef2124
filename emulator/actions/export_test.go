package actions

import (
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/actions/internal/expr"
)

// SetMinute changes how long a minute of timeout-minutes is. It must be called before the first event.
func SetMinute(e *Engine, d time.Duration) { e.minute = d }

// SetLogSize changes how many bytes of a job's log are kept. It must be called before the first event.
func SetLogSize(e *Engine, n int) { e.logSize = n }

// SignToken makes the ACTIONS_RUNTIME_TOKEN of a job of acme/app.
func SignToken(key []byte, run, job int64, expires time.Time) string {
	return SignScopes(key, run, job, expires)
}

// SignScopes makes one that may see the cache entries of refs, and make those of the first.
func SignScopes(key []byte, run, job int64, expires time.Time, refs ...string) string {
	c := runtimeClaims{Run: run, Job: job, Repo: "acme/app", Expires: expires}
	for i, ref := range refs {
		c.Caches = append(c.Caches, cacheScope{Ref: ref, Permission: 1})
		if i == 0 {
			c.Caches[0].Permission = 3
		}
	}
	token, err := signToken(key, c)
	if err != nil {
		panic(err)
	}
	return token
}

// Expand returns the cells of a matrix given as JSON, each as its name and its JSON in one line.
func Expand(matrix string) ([]string, error) {
	v, err := expr.FromJSON([]byte(matrix))
	if err != nil {
		return nil, err
	}
	cells, err := expand(v)
	var out []string
	for _, c := range cells {
		out = append(out, cellName("run", c)+" "+strings.Join(strings.Fields(expr.ToJSON(c)), " "))
	}
	return out, err
}
