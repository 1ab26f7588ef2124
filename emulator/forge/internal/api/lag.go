package api

import (
	"cmp"
	"net/http"
	"strings"
	"sync"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/fault"
)

// maxPast bounds what is remembered of each kind. What is beyond it does not lag.
const maxPast = 10_000

// past is what lags: how things were before their last change. It is filled only while a fault of that kind is
// in force, and shown only by one that was in force then.
type past struct {
	mu    sync.Mutex
	seen  map[string]mark[seen]  // by path and query of a read
	gone  map[string]mark[bool]  // names of repositories that were deleted
	young map[int64]mark[string] // id of a repository → the fault by which it has no refs yet
	roles map[state.RoleKey]mark[state.FormerRole]
}

// mark is what was there before a change.
type mark[T any] struct {
	was T
	seq uint64 // of the journal's entry that comes next: faults set before it were in force
}

func newPast() *past {
	return &past{seen: map[string]mark[seen]{}, gone: map[string]mark[bool]{}, young: map[int64]mark[string]{}, roles: map[state.RoleKey]mark[state.FormerRole]{}}
}

func put[K comparable, T any](a *API, m map[K]mark[T], key K, was T) {
	seq := a.Journal.Last() + 1
	a.past.mu.Lock()
	defer a.past.mu.Unlock()
	if _, known := m[key]; known || len(m) < maxPast {
		m[key] = mark[T]{was, seq}
	}
}

func take[K comparable, T any](a *API, m map[K]mark[T], key K) (mark[T], bool) {
	a.past.mu.Lock()
	defer a.past.mu.Unlock()
	v, ok := m[key]
	return v, ok
}

func drop[K comparable, T any](a *API, m map[K]mark[T], key K) {
	a.past.mu.Lock()
	defer a.past.mu.Unlock()
	delete(m, key)
}

// holds reports whether anything of a kind is remembered.
func holds[K comparable, T any](a *API, m map[K]mark[T]) bool {
	a.past.mu.Lock()
	defer a.past.mu.Unlock()
	return len(m) > 0
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
	roles := a.rolesBefore(c)
	ans, err := serve()
	if err != nil || ans.status >= http.StatusBadRequest {
		return ans, err
	}
	a.keepRoles(c, roles)
	if before != nil {
		a.keep(c, before, ans)
	}
	a.born(c, ans)
	return ans, nil
}

// strikes asks one of the faults of consistency. of is what is counted apart, beside the credential; seq is of the
// change that is not seen, or 0.
func (a *API) strikes(c *call, name, subject, of string, seq uint64, is ...string) bool {
	t := fault.Target{What: subject, Seq: seq, Of: strings.TrimSpace(c.who.Credential() + " " + of), Is: map[string]string{"by": c.who.Login}, Cause: c.who.Cause}
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
	if whole && c.Method == http.MethodPost {
		a.forgetSeen(r.FullName)
	}
	switch {
	case c.Method == http.MethodDelete && c.route.pattern == repoPattern && a.Faults.Has(fault.NameTaken):
		put(a, a.past.gone, strings.ToLower(c.repo()), true)
	case whole && ans.status == http.StatusAccepted && a.Faults.Has(fault.ForkLag):
		put(a, a.past.young, r.ID, fault.ForkLag)
	case whole && c.inits && a.Faults.Has(fault.AutoInitLag):
		put(a, a.past.young, r.ID, fault.AutoInitLag)
	}
}

// pushed ends what lags of a repository's first commits: whoever pushes has them.
func (a *API) pushed(repo state.Repo) { drop(a, a.past.young, repo.ID) }

// unborn answers a request about the refs of a repository that has none yet.
func (a *API) unborn(c *call, subject string) (ans answer, err error, lags bool) {
	rest, under := strings.CutPrefix(c.route.pattern, repoPattern+"/")
	if !under || !holds(a, a.past.young) {
		return answer{}, nil, false
	}
	now, missing := a.State.Find(c.repo())
	young, ok := take(a, a.past.young, now.ID)
	if missing != nil || !ok {
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
	if _, denied := a.State.Repo(c.who, c.repo()); denied != nil || !a.strikes(c, young.was, subject, c.repo(), young.seq) {
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
	gone, ok := take(a, a.past.gone, strings.ToLower(full))
	if !ok {
		return nil
	}
	if _, err := a.State.Find(full); err == nil { // somebody has it by now, and this is a refusal like any other
		drop(a, a.past.gone, strings.ToLower(full))
		return nil
	}
	if !a.strikes(c, fault.NameTaken, c.Method+" "+c.path, full, gone.seq) {
		return nil
	}
	return wire.Invalid(wire.FieldError{Resource: "Repository", Field: "name", Code: "custom", Message: "name already exists on this account"})
}

// forcedPrivate reports whether an organisation makes a public repository private.
func (a *API) forcedPrivate(c *call, org string) bool {
	return org != "" && a.Faults.Any() && a.strikes(c, fault.OrgPrivate, c.Method+" "+c.path, "", 0)
}
