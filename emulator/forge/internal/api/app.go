package api

import (
	"net/http"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// appRoutes are those of https://docs.github.com/en/rest/apps. Most are for the app itself, which says who
// it is with a JSON Web Token.
func (a *API) appRoutes() []route {
	const one = "/app/installations/{installation_id}"
	routes := []route{
		{method: http.MethodGet, pattern: "/app", app: true, do: func(c *call) (answer, error) { return answered(a.State.ThisApp(c.who)) }},
		{method: http.MethodGet, pattern: "/apps/{slug}", do: func(c *call) (answer, error) { return answered(a.State.App(c.param["slug"])) }},
		{method: http.MethodGet, pattern: "/app/installations", app: true, list: true, do: func(c *call) (answer, error) {
			all, err := a.State.Installations(c.who)
			return list(c, a.Base, all, err)
		}},
		{method: http.MethodGet, pattern: one, app: true, do: installation(func(c *call, id int64) (answer, error) {
			return answered(a.State.Installation(c.who, id))
		})},
		{method: http.MethodDelete, pattern: one, app: true, do: installation(func(c *call, id int64) (answer, error) {
			return done(a.State.Uninstall(c.who, id))
		})},
		{method: http.MethodPut, pattern: one + "/suspended", app: true, do: installation(func(c *call, id int64) (answer, error) {
			return done(a.State.Suspend(c.who, id, true))
		})},
		{method: http.MethodDelete, pattern: one + "/suspended", app: true, do: installation(func(c *call, id int64) (answer, error) {
			return done(a.State.Suspend(c.who, id, false))
		})},
		{method: http.MethodPost, pattern: one + "/access_tokens", app: true, do: installation(a.installationToken)},
		{method: http.MethodGet, pattern: "/installation/repositories", list: true, do: a.installationRepos},
		{method: http.MethodDelete, pattern: "/installation/token", do: func(c *call) (answer, error) { return done(a.State.EndToken(c.who)) }},
		{method: http.MethodGet, pattern: "/orgs/{org}/installations", list: true, do: func(c *call) (answer, error) {
			all, err := a.State.OrgInstallations(c.who, c.param["org"])
			return counted(c, a.Base, "installations", all, err)
		}},
	}
	for pattern, on := range map[string]func(*call) (login, repo string){
		"/orgs/{org}/installation":           func(c *call) (string, string) { return c.param["org"], "" },
		"/users/{login}/installation":        func(c *call) (string, string) { return c.param["login"], "" },
		"/repos/{owner}/{repo}/installation": func(c *call) (string, string) { return "", c.repo() },
	} {
		routes = append(routes, route{method: http.MethodGet, pattern: pattern, app: true, do: func(c *call) (answer, error) {
			login, repo := on(c)
			return answered(a.State.InstallationOn(c.who, login, repo))
		}})
	}
	return append(routes, a.appHookRoutes()...)
}

// appHookRoutes are those of https://docs.github.com/en/rest/apps/webhooks: an app has one webhook.
func (a *API) appHookRoutes() []route {
	h := hookRoutes{API: a, at: "/app/hook", single: true, owner: func(*call) state.HookOwner { return state.HookOwner{App: true} }}
	routes := append(h.config(), h.deliveries()...)
	for i := range routes {
		routes[i].app = true
	}
	return routes
}

func installation(do func(*call, int64) (answer, error)) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		id, err := c.number("installation_id")
		if err != nil {
			return answer{}, err
		}
		return do(c, id)
	}
}

func (a *API) installationToken(c *call, id int64) (answer, error) {
	var in struct {
		Repositories  []string          `json:"repositories"`
		RepositoryIDs []int64           `json:"repository_ids"`
		Permissions   map[string]string `json:"permissions"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	v, err := a.State.InstallationToken(c.who, id, state.TokenAsk(in))
	if err != nil {
		return answer{}, err
	}
	return created(v)
}

func (a *API) installationRepos(c *call) (answer, error) {
	all, selection, err := a.State.InstallationRepos(c.who)
	if err != nil {
		return answer{}, err
	}
	return ok(struct {
		Total     int               `json:"total_count"`
		Selection string            `json:"repository_selection"`
		All       []wire.Repository `json:"repositories"`
	}{len(all), selection, page(c, a.Base, all)})
}
