package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/fault"
)

// seen is an answer as a reader got it, or would have.
type seen struct {
	status int
	raw    []byte
	kind   string
	login  string // whose it was
	change string // that it is from before: create, edit, delete, push
	pusher string // the credential that sees what it pushed at once; "" is none
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
		put(a, a.past.seen, at, was.before(is.status))
	}
	for _, at := range a.made(c, ans) {
		if _, known := before[at+"?"]; !known {
			a.keepAbsent(at, seen{login: c.who.Login, change: "create"})
		}
	}
}

// keepAbsent remembers that what is at a path now was not there.
func (a *API) keepAbsent(at string, was seen) {
	e := wire.NotFound()
	raw, err := json.Marshal(e)
	if err != nil {
		return
	}
	was.status, was.raw, was.kind = e.Code(), raw, "application/json; charset=utf-8"
	put(a, a.past.seen, at+"?", was)
}

// forgetSeen drops what is remembered of a repository of this name: the one that has it now is another.
func (a *API) forgetSeen(full string) {
	a.past.mu.Lock()
	defer a.past.mu.Unlock()
	below := "/repos/" + strings.ToLower(full) + "/"
	maps.DeleteFunc(a.past.seen, func(at string, _ mark[seen]) bool { return strings.HasPrefix(strings.ToLower(at), below) })
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
	before, ok := take(a, a.past.seen, c.path+"?"+c.URL.RawQuery)
	was := before.was
	if !ok || ans.file != nil {
		return ans, err
	}
	is, ok := a.shown(ans, err)
	if !ok || is.status == was.status && bytes.Equal(is.raw, was.raw) || is.status != http.StatusOK && is.status != http.StatusNotFound && is.status != http.StatusNoContent {
		return ans, err
	}
	if was.pusher != "" && was.pusher == c.who.Credential() {
		return ans, err
	}
	if is.status == http.StatusNotFound && !a.mayRecall(c, was) || !a.strikes(c, fault.StaleRead, subject, c.path, before.seq, "after", was.change) {
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
