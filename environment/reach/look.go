package reach

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/environment"
)

// Options say how to look. The zero value works.
type Options struct {
	Env    func(string) string // nil: no variable is set
	Client *http.Client        // nil: one of its own
}

// Actor is what was found of one.
type Actor struct {
	Name     string            `json:"name"`
	Login    string            `json:"login"`
	Role     string            `json:"role"`              // as declared
	Member   []string          `json:"member,omitempty"`  // organisations, but those of tests
	Tests    map[string]string `json:"tests,omitempty"`   // organisation → roles in its repositories
	Outside  []string          `json:"outside,omitempty"` // repositories elsewhere in which he may more than read, with the role
	Findings []string          `json:"findings,omitempty"`
	Unknown  []string          `json:"unknown,omitempty"` // what could not be told
}

type wireRepo struct {
	FullName string `json:"full_name"`
	Private  bool   `json:"private"`
	Owner    struct {
		Login string `json:"login"`
	} `json:"owner"`
	Permissions struct{ Admin, Maintain, Push, Triage, Pull bool } `json:"permissions"`
}

func (r wireRepo) role() string {
	p := r.Permissions
	switch {
	case p.Admin:
		return "admin"
	case p.Maintain:
		return "maintain"
	case p.Push:
		return "write"
	case p.Triage:
		return "triage"
	case p.Pull:
		return "read"
	}
	return "none"
}

// looker looks at one forge for one file.
type looker struct {
	f       File
	http    *http.Client
	auditor string
}

// Look asks the forge about each actor of the platform, in the platform file's order. An error is why nothing can be
// told of anybody.
func Look(ctx context.Context, f File, p environment.Platform, o Options) ([]Actor, error) {
	if o.Env == nil {
		o.Env = func(string) string { return "" }
	}
	tokens, err := f.secrets(o.Env)
	if err != nil {
		return nil, err
	}
	l := looker{f: f, http: &http.Client{Timeout: time.Minute}}
	if o.Client != nil {
		*l.http = *o.Client
	}
	l.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	defer l.http.CloseIdleConnections()
	if f.Auditor != "" {
		l.auditor = o.Env(f.Auditor)
	}
	if err := l.known(ctx, tokens[p.Order[0]]); err != nil {
		return nil, err
	}
	var out []Actor
	for _, name := range p.Order {
		a, err := l.actor(ctx, p.Actors[name], tokens[name])
		if err != nil {
			return nil, fmt.Errorf("look at actor %s: %w", name, err)
		}
		out = append(out, a)
	}
	return out, nil
}

// known looks whether all organisations are there: who is asked for a member of one that is not says that nobody is.
func (l looker) known(ctx context.Context, token string) error {
	for _, org := range slices.Concat(l.f.Test, l.f.Production) {
		switch status, _, err := l.as(token).get(ctx, "/orgs/"+url.PathEscape(org), nil); {
		case err != nil:
			return fmt.Errorf("look at organisation %s: %w", org, err)
		case status != http.StatusOK:
			return fmt.Errorf("look at organisation %s: GET /orgs/%s: %d", org, org, status)
		}
	}
	return nil
}

func (l looker) as(token string) client { return client{http: l.http, api: l.f.API, token: token} }

func (l looker) actor(ctx context.Context, declared driver.Actor, token string) (Actor, error) {
	a := Actor{Name: declared.Name, Login: declared.Login, Role: declared.Role, Tests: map[string]string{}}
	c := l.as(token)
	if declared.App != nil {
		return a, l.installation(ctx, c, &a)
	}
	var me struct {
		Login string `json:"login"`
	}
	status, _, err := c.get(ctx, "/user", &me)
	if err != nil {
		return a, err
	}
	if status != http.StatusOK {
		return a, fmt.Errorf("GET /user: %d: it is no person's token", status)
	}
	if !strings.EqualFold(me.Login, declared.Login) {
		a.finding("the token is of %s, the platform file declares %s", me.Login, declared.Login)
	}
	a.Login = me.Login
	if err := l.memberships(ctx, c, &a); err != nil {
		return a, err
	}
	if err := l.repositories(ctx, c, &a); err != nil {
		return a, err
	}
	return a, l.roles(ctx, c, &a)
}

func (a *Actor) finding(format string, args ...any) {
	a.Findings = append(a.Findings, fmt.Sprintf(format, args...))
}

func (a *Actor) unknown(format string, args ...any) {
	a.Unknown = append(a.Unknown, fmt.Sprintf(format, args...))
}

// forTests reports whether the actors may do something in an organisation.
func (l looker) forTests(org string) bool {
	return slices.ContainsFunc(l.f.Test, func(t string) bool { return strings.EqualFold(t, org) })
}

// memberships looks which organisations an actor is in. What his own token does not show, the auditor's has to.
func (l looker) memberships(ctx context.Context, c client, a *Actor) error {
	type membership struct {
		State        string
		Organization struct{ Login string }
	}
	all, status, err := list(ctx, c, "/user/memberships/orgs?per_page=100", plain[membership])
	if err != nil {
		return err
	}
	for _, m := range all {
		if org := m.Organization.Login; !l.forTests(org) {
			a.Member = append(a.Member, org)
			a.finding("is a member of %s, which is not for tests (%s)", org, m.State)
		}
	}
	for _, org := range l.f.Production {
		if slices.ContainsFunc(a.Member, func(m string) bool { return strings.EqualFold(m, org) }) {
			continue
		}
		// A fine-grained token shows the memberships of its resource owner alone.
		told := status == http.StatusOK && !strings.HasPrefix(c.token, "github_pat_")
		if err := l.audit(ctx, c, a, org, told); err != nil {
			return err
		}
	}
	return nil
}

// audit asks whether an actor is a member of an organisation of production.
func (l looker) audit(ctx context.Context, c client, a *Actor, org string, told bool) error {
	if l.auditor != "" {
		c = l.as(l.auditor)
	}
	status, _, err := c.get(ctx, "/orgs/"+url.PathEscape(org)+"/members/"+url.PathEscape(a.Login), nil)
	switch {
	case err != nil:
		return err
	case status == http.StatusNoContent:
		a.Member = append(a.Member, org)
		a.finding("is a member of %s, which is not for tests", org)
	case status == http.StatusNotFound, told: // his own list is complete; an auditor that is a member says 404
	default:
		a.unknown("whether he is a member of %s: his token does not show it; give him a classic one with read:org, or name an auditor who is a member", org)
	}
	return nil
}

// repositories looks where an actor may do more than read. What is his account's own is his.
func (l looker) repositories(ctx context.Context, c client, a *Actor) error {
	all, status, err := list(ctx, c, "/user/repos?per_page=100", plain[wireRepo])
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		a.unknown("where he may write: GET /user/repos is %d", status)
	}
	for _, r := range all {
		if role := r.role(); !l.forTests(r.Owner.Login) && !strings.EqualFold(r.Owner.Login, a.Login) && role != "read" && role != "none" {
			a.Outside = append(a.Outside, r.FullName+" "+role)
			a.finding("has role %s in %s, outside the organisations for tests", role, r.FullName)
		}
	}
	return nil
}

// roles looks whether an actor is in the organisations for tests what the platform file declares.
func (l looker) roles(ctx context.Context, c client, a *Actor) error {
	for _, org := range l.f.Test {
		all, status, err := list(ctx, c, "/orgs/"+url.PathEscape(org)+"/repos?per_page=100", plain[wireRepo])
		if err != nil {
			return err
		}
		if status != http.StatusOK {
			a.unknown("what he is in %s: GET /orgs/%s/repos is %d", org, org, status)
			continue
		}
		found := map[string]bool{}
		for _, r := range all {
			role := r.role()
			found[role] = true
			if want := a.Role; role != want && !(want == "none" && role == "read" && !r.Private) { // all read what is public
				a.finding("has role %s in %s, declared %s", role, r.FullName, want)
			}
		}
		a.Tests[org] = strings.Join(slices.Sorted(maps.Keys(found)), "+")
		if len(all) == 0 && a.Role != "none" {
			a.unknown("what he is in %s: he sees no repository there; make one, roles show in it", org)
		}
	}
	return nil
}

// installation looks which repositories an app's token reaches.
func (l looker) installation(ctx context.Context, c client, a *Actor) error {
	a.Role = "app"
	all, status, err := list(ctx, c, "/installation/repositories?per_page=100", func(raw []byte) ([]wireRepo, error) {
		var page struct{ Repositories []wireRepo }
		err := json.Unmarshal(raw, &page)
		return page.Repositories, err
	})
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return fmt.Errorf("GET /installation/repositories: %d: it is no token of an installation", status)
	}
	for _, r := range all {
		if l.forTests(r.Owner.Login) {
			a.Tests[r.Owner.Login] = "installed"
			continue
		}
		a.Outside = append(a.Outside, r.FullName+" installed")
		a.finding("is installed on %s, outside the organisations for tests", r.FullName)
	}
	return nil
}
