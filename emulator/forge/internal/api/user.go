package api

import (
	"net/http"

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
		{method: http.MethodGet, pattern: ratePattern, do: a.rateLimit},
	}
}
