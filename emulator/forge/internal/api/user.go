package api

import (
	"net/http"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func (a *API) userRoutes() []route {
	return []route{
		{method: http.MethodGet, pattern: "/user", do: func(c *call) (answer, error) {
			if c.who.Anonymous() {
				return answer{}, wire.RequiresAuthentication()
			}
			if c.who.App() {
				return answer{}, wire.NotByIntegration()
			}
			p, err := a.State.Account(c.who.Login)
			if err != nil {
				return answer{}, err
			}
			return ok(p)
		}},
		{method: http.MethodGet, pattern: "/users/{login}", do: func(c *call) (answer, error) {
			p, err := a.State.Account(c.param["login"])
			if err != nil {
				return answer{}, err
			}
			return ok(p)
		}},
		{method: http.MethodGet, pattern: "/rate_limit", do: a.rateLimit},
	}
}

// rateLimit says that nothing was used: this forge does not limit.
func (a *API) rateLimit(*call) (answer, error) {
	full := map[string]any{"limit": 5000, "used": 0, "remaining": 5000, "reset": a.Now().Add(time.Hour).Unix()}
	return ok(map[string]any{
		"resources": map[string]any{"core": full, "search": full, "graphql": full},
		"rate":      full,
	})
}
