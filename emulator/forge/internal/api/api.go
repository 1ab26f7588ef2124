// Package api speaks the GitHub dialect over HTTP: REST, raw files and git. A handler reads the
// request, asks the state or the git store, and returns an answer; one adapter journals and
// writes it. No rule about who may do what lives here.
package api

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
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
	// OpenArtifact returns the zip of an artifact.
	OpenArtifact func(id int64) (io.ReadCloser, error)
	// DropArtifact removes the zip of an artifact.
	DropArtifact func(id int64) error
}

// API is an http.Handler.
type API struct {
	Options
	routes *router
	key    []byte // signs short-lived addresses
	texts  sync.Pool
	fine   map[string]string // detail of every request answered with 200; nobody writes to an entry
}

// New returns the handler of a forge.
func New(o Options) *API {
	a := &API{Options: o, routes: newRouter(), key: make([]byte, 32), fine: map[string]string{"status": "200"}}
	a.texts.New = func() any { return new(bytes.Buffer) }
	rand.Read(a.key) // never fails: it ends the program instead
	for _, group := range [][]route{
		a.userRoutes(), a.repoRoutes(), a.contentRoutes(), a.refRoutes(), a.objectRoutes(), a.commitRoutes(),
		a.labelRoutes(), a.issueRoutes(), a.commentRoutes(), a.collaboratorRoutes(), a.configRoutes(),
		a.workflowRoutes(), a.runRoutes(), a.artifactRoutes(),
	} {
		for _, r := range group {
			a.routes.add(r)
		}
	}
	return a
}

// call is one request with what is known of it.
type call struct {
	*http.Request
	who    state.Identity
	route  route
	path   string // below the API's root, escaped
	param  map[string]string
	header http.Header // of the answer
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

// answer is what a handler gives. Body is JSON unless Raw is set.
type answer struct {
	status int
	body   any
	raw    []byte
	kind   string // content type of raw
}

func ok(body any) (answer, error)      { return answer{status: http.StatusOK, body: body}, nil }
func created(body any) (answer, error) { return answer{status: http.StatusCreated, body: body}, nil }
func noContent() (answer, error)       { return answer{status: http.StatusNoContent}, nil }

// ServeHTTP implements http.Handler.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, where := locate(r)
	id := make([]byte, 10)
	rand.Read(id)
	w.Header().Set("X-GitHub-Request-Id", strings.ToUpper(hex.EncodeToString(id)))
	w.Header().Set("X-GitHub-Media-Type", "github.v3; format=json")
	if owner, repo, op, found := gitPath(path); found && where&servesGit != 0 {
		a.serveGit(w, r, owner+"/"+repo, op)
		return
	}
	who, err := a.State.Identify(tokenOf(r))
	rt, param := a.routes.find(r.Method, path)
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	subject := r.Method + " " + path
	if !reads || !who.Quiet() {
		ob := a.Ledger.Open("request " + subject)
		defer ob.Close()
	}
	c := &call{Request: r, who: who, route: rt, path: path, param: param, header: w.Header()}
	var ans answer
	switch {
	case err != nil:
	case strings.HasPrefix(path, "/signed/"):
		ans, err = a.signed(c, path)
	case strings.HasPrefix(path, "/raw/"):
		ans, err = a.rawFile(c, path)
	case rt.do == nil || where&servesAPI == 0:
		err = wire.Unsupported(subject)
	default:
		ans, err = a.handle(c)
	}
	a.finish(w, c, subject, ans, err)
}

func (a *API) handle(c *call) (answer, error) {
	if !c.who.Anonymous() && !c.who.App() {
		c.header.Set("X-OAuth-Scopes", "admin:org, delete_repo, read:user, repo, workflow")
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

// finish journals the request, so that who got the answer finds it in the journal, and writes it.
func (a *API) finish(w http.ResponseWriter, c *call, subject string, ans answer, err error) {
	if err != nil {
		e := a.wireError(subject, err)
		ans = answer{status: e.Code(), body: e}
	}
	a.record(c.who, c.Request, subject, ans.status, ans.body)
	if err := a.write(w, c.Request, ans); err != nil {
		a.Log.Debug("answer not delivered", "part", "forge", "request", subject, "error", err)
	}
}

func (a *API) wireError(subject string, err error) *wire.Error {
	var e *wire.Error
	var big *http.MaxBytesError
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, gitstore.ErrNotFound):
		return wire.NotFound()
	case errors.Is(err, gitstore.ErrRefConflict):
		return wire.Unprocessable("Reference update failed: " + gitstore.ErrRefConflict.Error())
	case errors.As(err, &big):
		return wire.NewError(http.StatusRequestEntityTooLarge, "Payload too large")
	}
	a.Log.Error("request broke", "part", "forge", "request", subject, "error", err)
	return wire.NewError(http.StatusInternalServerError, "understudy: "+err.Error())
}

// record appends the entry of an answered request.
func (a *API) record(who state.Identity, r *http.Request, subject string, status int, body any) {
	e := journal.Entry{
		Time: a.Now(), Kind: journal.Read, Type: "request", Cause: who.Cause, Actor: who.Login, Subject: subject,
		Detail: a.fine,
	}
	if status != http.StatusOK {
		e.Detail = map[string]string{"status": strconv.Itoa(status)}
	}
	if status == http.StatusNotImplemented {
		e.Type = "unknown-route"
		if w, found := body.(*wire.Error); found {
			e.Detail["message"] = w.Message
		}
		a.Log.Warn("outside the dialect", "part", "forge", "request", subject)
	} else if status >= http.StatusInternalServerError {
		e.Type = "internal-error" // the forge broke, not who asked
	} else if status < 400 && r.Method != http.MethodGet && r.Method != http.MethodHead {
		e.Kind = journal.Change
	}
	a.Journal.Append(e)
	a.Log.Debug("request", "part", "forge", "request", subject, "status", status, "actor", who.Login)
}

func (a *API) write(w http.ResponseWriter, r *http.Request, ans answer) error {
	data, kind := ans.raw, ans.kind
	if data == nil && ans.body != nil {
		text := a.texts.Get().(*bytes.Buffer)
		defer a.texts.Put(text)
		text.Reset()
		if err := json.NewEncoder(text).Encode(ans.body); err != nil {
			return err
		}
		data = bytes.TrimSuffix(text.Bytes(), []byte("\n"))
		kind = "application/json; charset=utf-8"
	}
	if kind != "" {
		w.Header().Set("Content-Type", kind)
	}
	if ans.status != http.StatusNoContent {
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	}
	w.WriteHeader(ans.status)
	if r.Method != http.MethodHead {
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
	// The obligation ends after this, so the client must have all of the answer.
	return http.NewResponseController(w).Flush()
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
