package api

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// hookRoutes are those of https://docs.github.com/en/rest/repos/webhooks and
// https://docs.github.com/en/rest/orgs/webhooks.
func (a *API) hookRoutes() []route {
	ofRepo := hookRoutes{API: a, at: "/repos/{owner}/{repo}/hooks", owner: func(c *call) state.HookOwner { return state.HookOwner{Repo: c.repo()} }}
	ofOrg := hookRoutes{API: a, at: "/orgs/{org}/hooks", owner: func(c *call) state.HookOwner { return state.HookOwner{Org: c.param["org"]} }}
	var routes []route
	for _, h := range []hookRoutes{ofRepo, ofOrg} {
		routes = append(routes, slices.Concat(h.hooks(), h.config(), h.deliveries())...)
	}
	test := ofRepo.act("/tests", http.StatusNoContent, nil, a.State.TestHook)
	older := test
	older.pattern = ofRepo.at + "/{hook_id}/test" // the address in a hook's test_url
	return append(routes, test, older)
}

// hookRoutes are the routes of one kind of owner.
type hookRoutes struct {
	*API
	at    string
	owner func(*call) state.HookOwner

	single bool // there is but one, and its address has no number
}

func (h hookRoutes) hooks() []route {
	one := h.one()
	return []route{
		{method: http.MethodGet, pattern: h.at, list: true, do: func(c *call) (answer, error) {
			all, err := h.State.Hooks(c.who, h.owner(c))
			return list(c, h.Base, all, err)
		}},
		{method: http.MethodPost, pattern: h.at, do: h.create},
		{method: http.MethodGet, pattern: one, do: h.withID(func(c *call, id int64) (answer, error) {
			v, err := h.State.Hook(c.who, h.owner(c), id)
			return answer{status: http.StatusOK, body: v}, err
		})},
		{method: http.MethodPatch, pattern: one, do: h.withID(func(c *call, id int64) (answer, error) {
			e, err := hookBody(c, false)
			if err != nil {
				return answer{}, err
			}
			v, err := h.State.EditHook(c.who, h.owner(c), id, e)
			return answer{status: http.StatusOK, body: v}, err
		})},
		{method: http.MethodDelete, pattern: one, do: h.withID(func(c *call, id int64) (answer, error) {
			return answer{status: http.StatusNoContent}, h.State.DeleteHook(c.who, h.owner(c), id)
		})},
		h.act("/pings", http.StatusNoContent, nil, h.State.PingHook),
	}
}

// one is where a single hook stands.
func (h hookRoutes) one() string {
	if h.single {
		return h.at
	}
	return h.at + "/{hook_id}"
}

func (h hookRoutes) config() []route {
	at := h.one() + "/config"
	return []route{
		{method: http.MethodGet, pattern: at, do: h.withID(func(c *call, id int64) (answer, error) {
			v, err := h.State.Hook(c.who, h.owner(c), id)
			return answer{status: http.StatusOK, body: v.Config}, err
		})},
		{method: http.MethodPatch, pattern: at, do: h.withID(func(c *call, id int64) (answer, error) {
			var in hookConfig
			if err := c.decode(smallBody, &in); err != nil {
				return answer{}, err
			}
			e, err := in.edit()
			if err != nil {
				return answer{}, err
			}
			v, err := h.State.EditHookConfig(c.who, h.owner(c), id, e)
			return answer{status: http.StatusOK, body: v}, err
		})},
	}
}

func (h hookRoutes) create(c *call) (answer, error) {
	e, err := hookBody(c, h.owner(c).Org != "")
	if err != nil {
		return answer{}, err
	}
	v, err := h.State.CreateHook(c.who, h.owner(c), e)
	if err != nil {
		return answer{}, err
	}
	c.header.Set("Location", v.URL)
	return created(v)
}

func (h hookRoutes) withID(do func(*call, int64) (answer, error)) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		if h.single {
			return do(c, 0)
		}
		id, err := c.number("hook_id")
		if err != nil {
			return answer{}, err
		}
		return do(c, id)
	}
}

// act is a route that asks a hook to do something; it has no body.
func (h hookRoutes) act(path string, status int, body any, do func(state.Identity, state.HookOwner, int64) error) route {
	return route{method: http.MethodPost, pattern: h.at + "/{hook_id}" + path, do: h.withID(func(c *call, id int64) (answer, error) {
		if err := c.decode(smallBody, &struct{}{}); err != nil {
			return answer{}, err
		}
		return answer{status: status, body: body}, do(c.who, h.owner(c), id)
	})}
}

// hookBody reads a hook to create or to change. What clients read and send back as it is, GitHub
// ignores; so is it here. GitHub asks for the name, which is always "web", of new hooks of organisations.
func hookBody(c *call, named bool) (state.HookEdit, error) {
	var in struct {
		Name         *string     `json:"name"`
		Config       *hookConfig `json:"config"`
		Events       *[]string   `json:"events"`
		AddEvents    []string    `json:"add_events"`
		RemoveEvents []string    `json:"remove_events"`
		Active       *bool       `json:"active"`

		ID            json.RawMessage `json:"id"`
		Type          json.RawMessage `json:"type"`
		URL           json.RawMessage `json:"url"`
		TestURL       json.RawMessage `json:"test_url"`
		PingURL       json.RawMessage `json:"ping_url"`
		DeliveriesURL json.RawMessage `json:"deliveries_url"`
		LastResponse  json.RawMessage `json:"last_response"`
		CreatedAt     json.RawMessage `json:"created_at"`
		UpdatedAt     json.RawMessage `json:"updated_at"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return state.HookEdit{}, err
	}
	if in.Name == nil && named {
		return state.HookEdit{}, wire.Invalid(wire.FieldError{Resource: "Hook", Field: "name", Code: "missing_field"})
	}
	if in.Name != nil && *in.Name != "web" {
		return state.HookEdit{}, wire.Invalid(wire.FieldError{Resource: "Hook", Field: "name", Code: "custom", Message: `name must be "web"`})
	}
	e := state.HookEdit{Events: in.Events, AddEvents: in.AddEvents, RemoveEvents: in.RemoveEvents, Active: in.Active}
	if in.Config != nil {
		config, err := in.Config.edit()
		if err != nil {
			return state.HookEdit{}, err
		}
		e.Config = &config
	}
	return e, nil
}

type hookConfig struct {
	URL         *string         `json:"url"`
	ContentType *string         `json:"content_type"`
	Secret      *string         `json:"secret"`
	InsecureSSL json.RawMessage `json:"insecure_ssl"` // 0, 1, "0" or "1"
}

func (h hookConfig) edit() (state.HookConfigEdit, error) {
	e := state.HookConfigEdit{URL: h.URL, ContentType: h.ContentType, Secret: h.Secret}
	switch strings.Trim(string(h.InsecureSSL), `"`) {
	case "", "null":
	case "0", "1":
		insecure := strings.Contains(string(h.InsecureSSL), "1")
		e.Insecure = &insecure
	default:
		return e, wire.Invalid(wire.FieldError{Resource: "Hook", Field: "insecure_ssl", Code: "custom", Message: "insecure_ssl is invalid: want 0 or 1"})
	}
	return e, nil
}
