package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// protectionPartRoutes change parts of a protection, and what is listed in them.
func (a *API) protectionPartRoutes() []route {
	const at = "/repos/{owner}/{repo}/branches/{branch}/protection"
	const contexts, users = at + "/required_status_checks/contexts", at + "/restrictions/users"
	out := []route{
		{method: http.MethodPatch, pattern: at + "/required_status_checks", do: a.patchChecks},
		{method: http.MethodPatch, pattern: at + "/required_pull_request_reviews", do: a.patchReviews},
		{method: http.MethodGet, pattern: contexts, do: a.protectionPart(func(p wire.Protection) (any, bool) {
			return contextsOf(p), p.Checks != nil
		})},
		{method: http.MethodGet, pattern: users, do: a.protectionPart(func(p wire.Protection) (any, bool) {
			return usersOf(p), p.Restrictions != nil
		})},
	}
	for method, change := range map[string]func(have, names []string) []string{
		http.MethodPost: plus, http.MethodPut: func(_, names []string) []string { return plus(nil, names) }, http.MethodDelete: minus,
	} {
		out = append(out, route{method: method, pattern: contexts, do: a.listed("contexts", change, setContexts, contextsOf)},
			route{method: method, pattern: users, do: a.listed("users", change, setUsers, func(p wire.Protection) any { return usersOf(p) })})
	}
	return out
}

// contextsOf and usersOf are what is listed, or nil.
func contextsOf(p wire.Protection) any {
	if p.Checks == nil {
		return nil
	}
	return p.Checks.Contexts
}

func usersOf(p wire.Protection) []wire.User {
	if p.Restrictions == nil {
		return nil
	}
	return p.Restrictions.Users
}

// plus is a list with further names, each once; case does not tell names apart.
func plus(have, names []string) []string {
	out := slices.Clone(have)
	for _, n := range names {
		if !among(out, n) {
			out = append(out, n)
		}
	}
	return out
}

func minus(have, names []string) []string {
	return slices.DeleteFunc(slices.Clone(have), func(n string) bool { return among(names, n) })
}

func among(all []string, name string) bool {
	return slices.ContainsFunc(all, func(o string) bool { return strings.EqualFold(o, name) })
}

func setContexts(p *state.Protection, change func([]string) []string) error {
	if p.Checks == nil {
		return wire.NewError(http.StatusNotFound, "Required status checks not enabled")
	}
	byName, have := map[string]state.RequiredCheck{}, []string{}
	for _, c := range p.Checks.Checks {
		byName[c.Context], have = c, append(have, c.Context)
	}
	now := &state.RequiredChecks{Strict: p.Checks.Strict}
	for _, name := range change(have) {
		c := byName[name]
		c.Context = name
		now.Checks = append(now.Checks, c)
	}
	p.Checks = now
	return nil
}

func setUsers(p *state.Protection, change func([]string) []string) error {
	if !p.Restricted {
		return wire.NewError(http.StatusNotFound, "Push restrictions not enabled")
	}
	p.Users = change(p.Users)
	return nil
}

// listed is a handler that changes a list; its body is the names, or an object that has them under a field.
// https://docs.github.com/en/rest/branches/branch-protection#add-status-check-contexts
func (a *API) listed(field string, change func(have, names []string) []string, set func(*state.Protection, func([]string) []string) error,
	show func(wire.Protection) any) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		var raw json.RawMessage
		return a.changeProtection(c, &raw, func(p *state.Protection) error {
			names, err := namesIn(c, raw, field)
			if err != nil {
				return err
			}
			return set(p, func(have []string) []string { return change(have, names) })
		}, show)
	}
}

func namesIn(c *call, raw json.RawMessage, field string) ([]string, error) {
	var names []string
	if bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
		return names, c.part(raw, &names)
	}
	var in map[string][]string
	if err := c.part(raw, &in); err != nil {
		return nil, err
	}
	names, given := in[field]
	if !given || len(in) != 1 {
		return nil, missing(field)
	}
	return names, nil
}

// changeProtection reads a body and changes the protection that there is by it.
func (a *API) changeProtection(c *call, body any, change func(*state.Protection) error, show func(wire.Protection) any) (answer, error) {
	if _, err := a.State.Authorize(c.who, c.repo(), state.Administer); err != nil {
		return answer{}, err
	}
	if err := c.decode(smallBody, body); err != nil {
		return answer{}, err
	}
	v, err := a.State.Protect(c.who, c.repo(), c.param["branch"], func(old *state.Protection) (*state.Protection, error) {
		if old == nil {
			return nil, notProtected()
		}
		now := *old
		return &now, change(&now)
	})
	if err != nil {
		return answer{}, err
	}
	return ok(show(v))
}

func (a *API) patchChecks(c *call) (answer, error) {
	var in struct {
		Strict   *bool    `json:"strict"`
		Contexts []string `json:"contexts"`
		Checks   []struct {
			Context string `json:"context"`
			App     int64  `json:"app_id"`
		} `json:"checks"`
	}
	return a.changeProtection(c, &in, func(p *state.Protection) error {
		if p.Checks == nil {
			return wire.NewError(http.StatusNotFound, "Required status checks not enabled")
		}
		now := *p.Checks
		if in.Contexts != nil || in.Checks != nil {
			now.Checks = checksBody{Contexts: in.Contexts, Checks: in.Checks}.read().Checks
		}
		if in.Strict != nil {
			now.Strict = *in.Strict
		}
		p.Checks = &now
		return nil
	}, func(p wire.Protection) any { return p.Checks })
}

// patchReviews changes what a request names; it makes the part where there is none.
func (a *API) patchReviews(c *call) (answer, error) {
	var in struct {
		reviewsBody
		DismissStale *bool `json:"dismiss_stale_reviews"`
	}
	return a.changeProtection(c, &in, func(p *state.Protection) error {
		now, err := in.reviewsBody.read()
		if err != nil {
			return err
		}
		if old := p.Reviews; old != nil {
			now.DismissStale = old.DismissStale
			if in.Count == nil {
				now.Count = old.Count
			}
		}
		if in.DismissStale != nil {
			now.DismissStale = *in.DismissStale
		}
		p.Reviews = now
		return nil
	}, func(p wire.Protection) any { return p.Reviews })
}
