package api

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// protectionPart is a handler that shows a part of a protection.
func (a *API) protectionPart(of func(wire.Protection) (any, bool)) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		v, err := a.State.Protection(c.who, c.repo(), c.param["branch"])
		if err != nil {
			return answer{}, err
		}
		out, found := of(v)
		if !found {
			return answer{}, wire.NotFound()
		}
		return ok(out)
	}
}

func (a *API) protectionRoutes() []route {
	const at = "/repos/{owner}/{repo}/branches/{branch}/protection"
	part := a.protectionPart
	return []route{
		{method: http.MethodGet, pattern: at, do: part(func(p wire.Protection) (any, bool) { return p, true })},
		{method: http.MethodPut, pattern: at, do: a.protect},
		{method: http.MethodDelete, pattern: at, do: func(c *call) (answer, error) {
			_, err := a.State.Protect(c.who, c.repo(), c.param["branch"], func(old *state.Protection) (*state.Protection, error) {
				if old == nil {
					return nil, notProtected()
				}
				return nil, nil
			})
			return done(err)
		}},
		{method: http.MethodGet, pattern: at + "/enforce_admins", do: part(func(p wire.Protection) (any, bool) { return p.Admins, true })},
		{method: http.MethodPost, pattern: at + "/enforce_admins", do: a.editProtection(func(p *state.Protection) { p.Admins = true },
			func(v wire.Protection) (answer, error) { return ok(v.Admins) })},
		{method: http.MethodDelete, pattern: at + "/enforce_admins", do: a.editProtection(func(p *state.Protection) { p.Admins = false }, nothing)},
		{method: http.MethodGet, pattern: at + "/required_pull_request_reviews", do: part(func(p wire.Protection) (any, bool) { return p.Reviews, p.Reviews != nil })},
		{method: http.MethodDelete, pattern: at + "/required_pull_request_reviews", do: a.editProtection(func(p *state.Protection) { p.Reviews = nil }, nothing)},
		{method: http.MethodGet, pattern: at + "/required_status_checks", do: part(func(p wire.Protection) (any, bool) { return p.Checks, p.Checks != nil })},
		{method: http.MethodDelete, pattern: at + "/required_status_checks", do: a.editProtection(func(p *state.Protection) { p.Checks = nil }, nothing)},
		{method: http.MethodGet, pattern: at + "/restrictions", do: part(func(p wire.Protection) (any, bool) { return p.Restrictions, p.Restrictions != nil })},
		{method: http.MethodDelete, pattern: at + "/restrictions", do: a.editProtection(func(p *state.Protection) { p.Restricted, p.Users = false, nil }, nothing)},
	}
}

func notProtected() error { return wire.NewError(http.StatusNotFound, "Branch not protected") }

func nothing(wire.Protection) (answer, error) { return noContent() }

// editProtection is a handler that changes a part of the protection that there is.
func (a *API) editProtection(change func(*state.Protection), show func(wire.Protection) (answer, error)) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		v, err := a.State.Protect(c.who, c.repo(), c.param["branch"], func(old *state.Protection) (*state.Protection, error) {
			if old == nil {
				return nil, notProtected()
			}
			now := *old
			change(&now)
			return &now, nil
		})
		if err != nil {
			return answer{}, err
		}
		return show(v)
	}
}

// protectionBody is what a request for protection says. Four members must be there, and can be null.
type protectionBody struct {
	Checks        json.RawMessage `json:"required_status_checks"`
	Admins        json.RawMessage `json:"enforce_admins"`
	Reviews       json.RawMessage `json:"required_pull_request_reviews"`
	Restrictions  json.RawMessage `json:"restrictions"`
	Linear        *bool           `json:"required_linear_history"`
	ForcePushes   *bool           `json:"allow_force_pushes"`
	Deletions     *bool           `json:"allow_deletions"`
	Creations     *bool           `json:"block_creations"`
	Conversations *bool           `json:"required_conversation_resolution"`
	Lock          *bool           `json:"lock_branch"`
	ForkSyncing   *bool           `json:"allow_fork_syncing"`
}

type checksBody struct {
	Strict   bool     `json:"strict"`
	Contexts []string `json:"contexts"`
	Checks   []struct {
		Context string `json:"context"`
		App     int64  `json:"app_id"`
	} `json:"checks"`
}

type allowed struct {
	Users []string `json:"users"`
	Teams []string `json:"teams"`
	Apps  []string `json:"apps"`
}

func (l allowed) names() int { return len(l.Users) + len(l.Teams) + len(l.Apps) }

type reviewsBody struct {
	DismissalRestrictions allowed `json:"dismissal_restrictions"`
	DismissStale          bool    `json:"dismiss_stale_reviews"`
	CodeOwners            bool    `json:"require_code_owner_reviews"`
	Count                 *int    `json:"required_approving_review_count"`
	LastPush              bool    `json:"require_last_push_approval"`
	Bypass                allowed `json:"bypass_pull_request_allowances"`
}

func (a *API) protect(c *call) (answer, error) {
	if _, err := a.State.Authorize(c.who, c.repo(), state.Administer); err != nil {
		return answer{}, err
	}
	var in protectionBody
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	now, err := in.read(c)
	if err != nil {
		return answer{}, err
	}
	return answered(a.State.Protect(c.who, c.repo(), c.param["branch"], func(*state.Protection) (*state.Protection, error) { return now, nil }))
}

func (in protectionBody) read(c *call) (*state.Protection, error) {
	for _, x := range []struct {
		name string
		has  bool
	}{{"required_status_checks", in.Checks != nil}, {"enforce_admins", in.Admins != nil}, {"required_pull_request_reviews", in.Reviews != nil}, {"restrictions", in.Restrictions != nil}} {
		if !x.has {
			return nil, missing(x.name)
		}
	}
	on := func(b *bool) bool { return b != nil && *b }
	for name, refused := range map[string]bool{"block_creations": on(in.Creations), "required_conversation_resolution": on(in.Conversations), "lock_branch": on(in.Lock),
		"allow_fork_syncing": on(in.ForkSyncing)} {
		if refused {
			return nil, wire.Unsupported("protection of branches with " + name)
		}
	}
	out := &state.Protection{Linear: on(in.Linear), ForcePushes: on(in.ForcePushes), Deletions: on(in.Deletions)}
	var admins *bool
	var checks *checksBody
	var reviews *reviewsBody
	var only *allowed
	for _, x := range []struct {
		from json.RawMessage
		to   any
	}{{in.Admins, &admins}, {in.Checks, &checks}, {in.Reviews, &reviews}, {in.Restrictions, &only}} {
		if err := c.part(x.from, x.to); err != nil {
			return nil, err
		}
	}
	out.Admins = on(admins)
	if checks != nil {
		out.Checks = checks.read()
	}
	if only != nil {
		if len(only.Teams)+len(only.Apps) > 0 {
			return nil, wire.Unsupported("restrictions of branches to teams or apps")
		}
		out.Restricted, out.Users = true, only.Users
	}
	if reviews == nil {
		return out, nil
	}
	var err error
	out.Reviews, err = reviews.read()
	return out, err
}

// part decodes a member of a body as decode does the whole.
func (c *call) part(data json.RawMessage, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return wire.Unprocessable("Invalid request.\n\n" + err.Error())
	}
	return nil
}

func (in checksBody) read() *state.RequiredChecks {
	out := &state.RequiredChecks{Strict: in.Strict}
	seen := map[string]bool{}
	for _, x := range in.Checks {
		seen[x.Context] = true
		out.Checks = append(out.Checks, state.RequiredCheck{Context: x.Context, App: max(x.App, 0)})
	}
	for _, name := range in.Contexts {
		if !seen[name] {
			seen[name] = true
			out.Checks = append(out.Checks, state.RequiredCheck{Context: name})
		}
	}
	return out
}

func (in reviewsBody) read() (*state.RequiredReviews, error) {
	for name, refused := range map[string]bool{"require_code_owner_reviews": in.CodeOwners, "require_last_push_approval": in.LastPush,
		"dismissal_restrictions": in.DismissalRestrictions.names() > 0, "bypass_pull_request_allowances": in.Bypass.names() > 0} {
		if refused {
			return nil, wire.Unsupported("protection of branches with " + name)
		}
	}
	out := &state.RequiredReviews{Count: 1, DismissStale: in.DismissStale}
	if in.Count != nil {
		out.Count = *in.Count
	}
	if out.Count < 0 || out.Count > 6 {
		return nil, wire.Unprocessable("Invalid request.\n\nrequired_approving_review_count: want 0 to 6.")
	}
	return out, nil
}
