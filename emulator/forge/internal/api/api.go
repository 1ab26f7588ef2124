// Package api speaks the GitHub dialect over HTTP: REST, raw files and git. A handler reads the
// request, asks the state or the git store, and returns an answer; one adapter journals and
// writes it. No rule about who may do what lives here.
package api

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/fault"
	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/internal/ledger"
)

// Options is what an API needs; all fields are required.
type Options struct {
	Base    wire.Base
	Now     func() time.Time
	State   *state.State
	Git     *gitstore.Store
	Ledger  *ledger.Ledger
	Journal *journal.Journal
	Log     *slog.Logger
	Faults  *fault.Set
	// OpenArtifact returns the zip of an artifact.
	OpenArtifact func(id int64) (io.ReadCloser, error)
	// DropArtifact removes the zip of an artifact.
	DropArtifact func(id int64) error
	// DropCache removes the bytes of a cache entry.
	DropCache func(id int64) error
	// PutAsset stores the bytes of a release's asset; DropAsset removes them.
	PutAsset  func(id int64, from io.Reader) (size int64, digest string, err error)
	DropAsset func(id int64) error
	// OpenAsset returns the bytes of a release's asset.
	OpenAsset func(id int64) (io.ReadCloser, error)
}

// API is an http.Handler.
type API struct {
	Options
	routes *router
	key    []byte // signs short-lived addresses
	texts  sync.Pool
	ids    requestIDs
	meter  meter
	past   *past // while faults are in force
	slow   slow
	spoken languages

	// Headers that many answers have; nobody writes to them.
	vary, selected, json []string
	forAll, forOne       []string // caching
	everyScope           []string
}

// New returns the handler of a forge.
func New(o Options) *API {
	a := &API{Options: o, routes: newRouter(), key: make([]byte, 32), ids: newRequestIDs(), past: newPast(), meter: meter{windows: map[string]*window{}}, spoken: languages{byRepo: map[int64]spoken{}},
		vary:     []string{"Accept, Authorization, Cookie, X-GitHub-OTP, Accept-Encoding, X-Requested-With"},
		selected: []string{version}, everyScope: []string{strings.Join(state.EveryScope(), ", ")},
		json:   []string{plainMedia().shown},
		forAll: []string{"public, max-age=60, s-maxage=60"},
		forOne: []string{"private, max-age=60, s-maxage=60"},
	}
	a.texts.New = func() any { return new(bytes.Buffer) }
	rand.Read(a.key) // never fails: it ends the program instead
	for _, group := range a.groups() {
		for _, r := range group {
			a.routes.add(r)
		}
	}
	return a
}

// groups are all routes, by what they are about.
func (a *API) groups() [][]route {
	return [][]route{
		a.userRoutes(),
		a.orgRoutes(),
		a.membershipRoutes(),
		a.roleRoutes(),
		a.teamRoutes(),
		a.repoRoutes(),
		a.forkRoutes(),
		a.actionsSettingRoutes(),
		a.branchRoutes(),
		a.compareRoutes(),
		a.searchRoutes(),
		a.furnitureRoutes(),
		a.issueEventRoutes(),
		a.milestoneRoutes(),
		a.repoListRoutes(),
		a.languageRoutes(),
		a.contentRoutes(),
		a.refRoutes(),
		a.objectRoutes(),
		a.commitRoutes(),
		a.labelRoutes(),
		a.issueRoutes(),
		a.commentRoutes(),
		a.collaboratorRoutes(),
		a.configRoutes(),
		a.environmentRoutes(),
		a.workflowRoutes(),
		a.runRoutes(),
		a.artifactRoutes(),
		a.cacheRoutes(),
		a.hookRoutes(),
		a.controlRoutes(),
		a.pullRoutes(),
		a.pullMergeRoutes(),
		a.pullFileRoutes(),
		a.checkRoutes(),
		a.statusRoutes(),
		a.appRoutes(),
		a.reviewRoutes(),
		a.reviewCommentRoutes(),
		a.reviewRequestRoutes(),
		a.protectionRoutes(),
		a.protectionPartRoutes(),
		a.releaseRoutes(),
		a.releaseAssetRoutes(),
	}
}

// call is one request with what is known of it.
type call struct {
	*http.Request
	id     string // of the request
	who    state.Identity
	media  media
	route  route
	path   string // below the API's root, escaped
	where  serves
	param  map[string]string
	header http.Header  // of the answer
	inits  bool         // a repository was created with its first commit
	fault  *fault.Fault // that made the answer what it is; nil is none
}

func (c *call) repo() string { return c.param["owner"] + "/" + c.param["repo"] }

// number reads a numeric path parameter; what is no number names nothing.
func (c *call) number(name string) (int64, error) {
	n, err := strconv.ParseInt(c.param[name], 10, 64)
	if err != nil {
		return 0, wire.NotFound()
	}
	return n, nil
}

// ServeHTTP implements http.Handler.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, where := locate(r)
	id := a.ids.next()
	w.Header()["X-Github-Request-Id"] = []string{id}
	if owner, repo, op, found := gitPath(path); found && where&servesGit != 0 {
		a.serveGit(w, r, id, owner+"/"+repo, op)
		return
	}
	rt, param := a.routes.find(r.Method, path)
	identify := a.State.Identify
	if rt.app {
		identify = a.State.IdentifyApp
	}
	who, err := identify(tokenOf(r))
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	subject := r.Method + " " + path
	var work *ledger.Obligation
	if !reads || !who.Quiet() {
		work = a.Ledger.Open("request " + subject)
		defer work.Close()
	}
	c := &call{Request: r, id: id, who: who, route: rt, path: path, where: where, param: param, header: w.Header()}
	if rt.do != nil && a.Faults.Any() {
		if a.hold(c, subject, work) == nil { // else whoever asked has gone
			a.misbehave(w, c, subject, err)
		}
	} else {
		ans, err := a.serve(c, subject, err)
		a.finish(w, c, subject, ans, err)
	}
	if work != nil {
		a.slow.answered()
	}
}

// serve handles a request; refused is why its credential is none.
func (a *API) serve(c *call, subject string, refused error) (answer, error) {
	switch {
	case refused != nil:
		return answer{}, refused
	case strings.HasPrefix(c.path, "/signed/"):
		return a.signed(c, c.path)
	case strings.HasPrefix(c.path, "/raw/"):
		return a.rawFile(c, c.path)
	case c.where&servesGit != 0 && c.route.do == nil && releaseFile.MatchString(c.path):
		return a.downloadReleaseFile(c)
	case c.route.do == nil || c.where&servesAPI == 0:
		return answer{}, wire.Unsupported(subject + instead(c.path))
	}
	return a.handle(c)
}

func (a *API) handle(c *call) (ans answer, err error) {
	if c.media, err = mediaOf(c.Request); err != nil {
		return answer{}, err
	}
	if err := cmp.Or(checkVersion(c.Request), checkMedia(c.route, c.media)); err != nil {
		return answer{}, err
	}
	if c.URL.RawQuery != "" {
		for name := range c.URL.Query() {
			if !c.route.takes(name) {
				return answer{}, wire.Unsupported("query parameter " + name + " of " + c.route.method + " " + c.route.pattern)
			}
		}
	}
	return c.route.do(c)
}

// tokenOf returns the token that a request carries, or "".
func tokenOf(r *http.Request) string {
	if user, pass, found := r.BasicAuth(); found {
		if pass == "" || pass == "x-oauth-basic" {
			return user
		}
		return pass
	}
	scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "token") {
		return strings.TrimSpace(value)
	}
	return r.Header.Get("Authorization") // an unknown scheme is no token and is refused as one
}

// lasting is the context of a change that is completed even when the client goes away.
func lasting(r *http.Request) context.Context { return context.WithoutCancel(r.Context()) }
