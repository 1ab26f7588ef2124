package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/fault"
)

// maxPast bounds what is remembered of each kind. What is beyond it does not lag.
const maxPast = 10_000

// past is what lags: how things were before their last change. It is filled only while a fault of that kind is
// in force.
type past struct {
	mu    sync.Mutex
	seen  map[string]seen             // by path and query of a read
	gone  map[string]bool             // names of repositories that were deleted
	young map[string]string           // name of a repository → the fault by which it has no refs yet
	roles map[string]state.FormerRole // by repository and login
}

func newPast() *past {
	return &past{seen: map[string]seen{}, gone: map[string]bool{}, young: map[string]string{}, roles: map[string]state.FormerRole{}}
}

func put[T any](p *past, m map[string]T, key string, v T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(m) < maxPast {
		m[key] = v
	}
}

func take[T any](p *past, m map[string]T, key string) (T, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	v, ok := m[key]
	return v, ok
}

// lagging serves a request of a forge on which not everything is seen at once.
func (a *API) lagging(c *call, subject string, serve func() (answer, error)) (answer, error) {
	if ans, err, lags := a.unborn(c, subject); lags {
		return ans, err
	}
	a.backdate(c, subject)
	if c.Method == http.MethodGet || c.Method == http.MethodHead {
		ans, err := serve()
		return a.stale(c, subject, ans, err)
	}
	var before map[string]seen
	if a.Faults.Has(fault.StaleRead) {
		before = a.lookAround(c)
	}
	var role state.FormerRole
	gives := c.route.pattern == rolePattern && a.Faults.Has(fault.PermissionLag)
	if gives {
		role = a.State.RoleOf(c.repo(), c.param["login"])
	}
	ans, err := serve()
	if err != nil || ans.status >= http.StatusBadRequest {
		return ans, err
	}
	if gives {
		put(a.past, a.past.roles, strings.ToLower(c.repo()+" "+c.param["login"]), role)
	}
	if before != nil {
		a.keep(c, before, ans)
	}
	a.born(c, ans)
	return ans, nil
}

// strikes asks one of the faults of consistency. of is what is counted apart, beside the credential.
func (a *API) strikes(c *call, name, subject, of string, is ...string) bool {
	t := fault.Target{What: subject, Of: strings.TrimSpace(c.who.Credential() + " " + of), Is: map[string]string{"by": c.who.Login}, Cause: c.who.Cause}
	for i := 0; i+1 < len(is); i += 2 {
		t.Is[is[i]] = is[i+1]
	}
	f, ok := a.Faults.Strike(name, t)
	if ok {
		c.fault = &f
	}
	return ok
}

// born remembers what is new or gone.
func (a *API) born(c *call, ans answer) {
	r, whole := ans.body.(wire.FullRepository)
	switch {
	case c.Method == http.MethodDelete && c.route.pattern == repoPattern && a.Faults.Has(fault.NameTaken):
		put(a.past, a.past.gone, strings.ToLower(c.repo()), true)
	case whole && ans.status == http.StatusAccepted && a.Faults.Has(fault.ForkLag):
		put(a.past, a.past.young, strings.ToLower(r.FullName), fault.ForkLag)
	case whole && c.inits && a.Faults.Has(fault.AutoInitLag):
		put(a.past, a.past.young, strings.ToLower(r.FullName), fault.AutoInitLag)
	}
}

// pushed ends what lags of a repository's first commits: whoever pushes has them.
func (a *API) pushed(full string) {
	a.past.mu.Lock()
	defer a.past.mu.Unlock()
	delete(a.past.young, strings.ToLower(full))
}

// unborn answers a request about the refs of a repository that has none yet.
func (a *API) unborn(c *call, subject string) (ans answer, err error, lags bool) {
	rest, under := strings.CutPrefix(c.route.pattern, repoPattern+"/")
	if !under {
		return answer{}, nil, false
	}
	name, ok := take(a.past, a.past.young, strings.ToLower(c.repo()))
	if !ok {
		return answer{}, nil, false
	}
	area, _, more := strings.Cut(rest, "/")
	switch {
	case area == "git" || area == "commits":
		err = wire.NewError(http.StatusConflict, "Git Repository is empty.")
	case area == "contents":
		err = wire.NewError(http.StatusNotFound, "This repository is empty.")
	case area == "branches" && more:
		err = wire.NewError(http.StatusNotFound, "Branch not found")
	case area == "branches":
		ans = answer{status: http.StatusOK, body: []struct{}{}}
	default:
		return answer{}, nil, false
	}
	if _, denied := a.State.Repo(c.who, c.repo()); denied != nil || !a.strikes(c, name, subject, c.repo()) {
		return answer{}, nil, false
	}
	return ans, err, true
}

// taken refuses the name of a repository that was deleted just now.
func (a *API) taken(c *call, owner, name string) error {
	if !a.Faults.Any() {
		return nil
	}
	full := cmp.Or(owner, c.who.Login) + "/" + name
	if _, gone := take(a.past, a.past.gone, strings.ToLower(full)); !gone || !a.strikes(c, fault.NameTaken, c.Method+" "+c.path, full) {
		return nil
	}
	return wire.Invalid(wire.FieldError{Resource: "Repository", Field: "name", Code: "custom", Message: "name already exists on this account"})
}

// forcedPrivate reports whether an organisation makes a public repository private.
func (a *API) forcedPrivate(c *call, org string) bool {
	return org != "" && a.Faults.Any() && a.strikes(c, fault.OrgPrivate, c.Method+" "+c.path, "")
}

// backdate lets a request see a role as it was.
func (a *API) backdate(c *call, subject string) {
	login := c.who.Login
	if c.route.pattern == rolePattern+"/permission" {
		login = c.param["login"]
	}
	role, ok := take(a.past, a.past.roles, strings.ToLower(c.repo()+" "+login))
	if ok && a.strikes(c, fault.PermissionLag, subject, c.repo()) {
		c.who = c.who.Seeing(role)
	}
}

// seen is an answer as a reader got it, or would have.
type seen struct {
	status int
	raw    []byte
	kind   string
	login  string // whose it was
	change string // that it is from before: create, edit, delete
}

func (s seen) public() bool { return bytes.Contains(s.raw, []byte(`"private":false`)) }

// lookAround reads all that a change of a path may change: the object, and what it is below.
func (a *API) lookAround(c *call) map[string]seen {
	out := map[string]seen{}
	at := c.path
	for {
		a.look(c, at, out)
		i := strings.LastIndexByte(at, '/')
		if i <= 0 || strings.HasPrefix(at, "/repos/") && strings.Count(at, "/") <= 3 {
			break
		}
		at = at[:i]
	}
	if ref, found := strings.CutPrefix(c.route.pattern, repoPattern+"/git/refs/"); found && ref != "" {
		a.look(c, strings.Replace(c.path, "/git/refs/", "/git/ref/", 1), out)
	}
	return out
}

// look reads a path, and as a list in the longest pages as well.
func (a *API) look(c *call, path string, into map[string]seen) {
	rt, param := a.routes.find(http.MethodGet, path)
	// The list of workflows has a fault of its own, which a look would use up.
	if rt.do == nil || rt.app || strings.Contains(rt.pattern, "/actions/workflows") {
		return
	}
	queries := []string{""}
	if rt.list {
		queries = append(queries, "per_page=100")
	}
	for _, q := range queries {
		who, err := a.State.Identify(tokenOf(c.Request))
		if err != nil {
			return
		}
		r := c.Request.Clone(c.Request.Context())
		r.Method, r.Body, r.ContentLength = http.MethodGet, http.NoBody, 0
		r.URL = &url.URL{Path: path, RawQuery: q}
		sub := &call{Request: r, id: c.id, who: who, route: rt, path: path, where: c.where, param: param, header: http.Header{}}
		ans, err := a.serve(sub, "GET "+path, nil)
		if s, ok := a.shown(ans, err); ok {
			s.login = who.Login
			into[path+"?"+q] = s
		}
	}
}

// shown is an answer in the form in which it is compared; a file is none.
func (a *API) shown(ans answer, err error) (seen, bool) {
	if ans.file != nil {
		ans.file.Close()
		return seen{}, false
	}
	if err != nil {
		var e *wire.Error
		if !errors.As(err, &e) && !errors.Is(err, gitstore.ErrNotFound) {
			return seen{}, false
		}
		e = a.wireError("", err)
		ans = answer{status: e.Code(), body: e}
	}
	var text bytes.Buffer
	if err := ans.encode(&text); err != nil {
		return seen{}, false
	}
	return seen{status: ans.status, raw: ans.raw, kind: ans.kind}, true
}

// keep remembers what a change has made different, and that what it made was absent.
func (a *API) keep(c *call, before map[string]seen, ans answer) {
	after := a.lookAround(c)
	for at, was := range before {
		is, ok := after[at]
		if !ok || is.status == was.status && bytes.Equal(is.raw, was.raw) {
			continue
		}
		put(a.past, a.past.seen, at, was.before(is.status))
	}
	for _, at := range a.made(c, ans) {
		if _, known := before[at+"?"]; !known {
			e := wire.NotFound()
			raw, err := json.Marshal(e)
			if err == nil {
				put(a.past, a.past.seen, at+"?", seen{status: e.Code(), raw: raw, kind: "application/json; charset=utf-8", login: c.who.Login, change: "create"})
			}
		}
	}
}

// before says by which kind of change a status came to be another.
func (s seen) before(status int) seen {
	switch {
	case s.status == http.StatusNotFound && status == http.StatusOK:
		s.change = "create"
	case s.status == http.StatusOK && status == http.StatusNotFound:
		s.change = "delete"
	default:
		s.change = "edit"
	}
	return s
}

// made are the paths of what a request has made, as its answer names it.
func (a *API) made(c *call, ans answer) []string {
	if c.Method != http.MethodPost || ans.status != http.StatusCreated {
		return nil
	}
	text, err := json.Marshal(ans.body)
	var body struct{ URL, Ref string }
	if err != nil || json.Unmarshal(text, &body) != nil {
		return nil
	}
	path, ours := strings.CutPrefix(body.URL, a.Base.API(""))
	if !ours || path == "" || body.Ref != "" && !strings.HasPrefix(body.Ref, "refs/") {
		return nil
	}
	if name, branch := strings.CutPrefix(body.Ref, "refs/heads/"); branch {
		return []string{strings.Replace(path, "/git/refs/", "/git/ref/", 1), "/repos/" + c.repo() + "/branches/" + name}
	}
	return []string{path}
}

// stale shows a reader what was there before, if a fault says so and there is a difference that he may see.
func (a *API) stale(c *call, subject string, ans answer, err error) (answer, error) {
	was, ok := take(a.past, a.past.seen, c.path+"?"+c.URL.RawQuery)
	if !ok || ans.file != nil {
		return ans, err
	}
	is, ok := a.shown(ans, err)
	if !ok || is.status == was.status && bytes.Equal(is.raw, was.raw) || is.status != http.StatusOK && is.status != http.StatusNotFound && is.status != http.StatusNoContent {
		return ans, err
	}
	if is.status == http.StatusNotFound && !a.mayRecall(c, was) || !a.strikes(c, fault.StaleRead, subject, c.path, "after", was.change) {
		return ans, err
	}
	if was.status == http.StatusNotFound {
		return answer{}, wire.NotFound()
	}
	return answer{status: was.status, raw: was.raw, kind: was.kind}, nil
}

// mayRecall reports whether somebody may see what is not there any more: he can see the repository that it was in, or
// did when he saw this.
func (a *API) mayRecall(c *call, was seen) bool {
	if was.login == c.who.Login || c.route.pattern == repoPattern && was.public() {
		return true
	}
	if c.param["repo"] == "" || c.route.pattern == repoPattern {
		return false
	}
	_, err := a.State.Repo(c.who, c.repo())
	return err == nil
}
