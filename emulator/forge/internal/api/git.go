package api

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strconv"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// The most bytes of one git request.
const (
	maxFetch = 16 << 20 // wants and haves
	maxPush  = 1 << 30
)

// gitPath splits the path of a git request: /owner/name(.git)/info/refs, …/git-upload-pack or
// …/git-receive-pack.
func gitPath(escaped string) (owner, repo, op string, found bool) {
	segs := strings.Split(strings.TrimPrefix(escaped, "/"), "/")
	if len(segs) < 3 || segs[0] == "repos" {
		return "", "", "", false
	}
	op = strings.Join(segs[2:], "/")
	if _, isService := gitstore.ParseService(op); !isService && op != "info/refs" {
		return "", "", "", false
	}
	owner, err := url.PathUnescape(segs[0])
	if err != nil {
		return "", "", "", false
	}
	repo, err = url.PathUnescape(strings.TrimSuffix(segs[1], ".git"))
	return owner, repo, op, err == nil
}

// serveGit answers one request of git's smart HTTP protocol.
func (a *API) serveGit(w http.ResponseWriter, r *http.Request, id, full, op string) {
	who, err := a.State.Identify(tokenOf(r))
	name := op
	if op == "info/refs" {
		name = r.URL.Query().Get("service")
	}
	service, known := gitstore.ParseService(name)
	pushes := op == string(gitstore.ReceivePack)
	subject := r.Method + " /" + full + ".git/" + op
	if pushes || !who.Quiet() {
		ob := a.Ledger.Open("request " + subject)
		defer ob.Close()
	}
	g := gitCall{who: who, service: service, op: op}
	if err == nil {
		g.repo, g.only, err = a.gitAccess(who, full, service, known)
	}
	note := asked{id: id, who: who, method: http.MethodGet, subject: subject} // also a fetch: a POST that only reads
	if pushes {
		note.method = http.MethodPost
	}
	if err == nil {
		if note.fault = a.strikesGit(who, subject, op); note.fault != nil {
			note.status, note.changed = a.misbehaveGit(w, r, g, *note.fault)
			note.at = a.Now()
			a.record(note)
			if note.status == statusCut {
				a.cutGit(w, g)
			}
			return
		}
	}
	out := &watched{ResponseWriter: w}
	if err == nil {
		w.Header().Set("Cache-Control", "no-cache, max-age=0, must-revalidate")
		err = a.runGit(out, r, g)
	}
	status := http.StatusOK
	if err != nil {
		status = http.StatusInternalServerError
		if !out.begun {
			status = refuseGit(w, blamed(r, err))
		}
		if status >= http.StatusInternalServerError {
			// An answer that has begun ends early, which git notices by itself.
			a.Log.Error("git request broke", "part", "forge", "request", subject, "error", err)
		}
	}
	note.status, note.at = status, a.Now()
	a.record(note)
	if err := http.NewResponseController(w).Flush(); err != nil {
		a.Log.Debug("answer not delivered", "part", "forge", "request", subject, "error", err)
	}
}

// gitAccess returns the repository when who may use a service of it, and which branches alone he may push to; nil
// is all.
func (a *API) gitAccess(who state.Identity, full string, service gitstore.Service, known bool) (repo state.Repo, only []string, err error) {
	if !known {
		// The dumb protocol is not spoken, as at GitHub.
		return state.Repo{}, nil, wire.Forbidden("Please upgrade your git client.")
	}
	need := state.ReadContents
	if service == gitstore.ReceivePack {
		need = state.WriteContents
	}
	repo, err = a.State.Authorize(who, full, need)
	if err != nil && need == state.WriteContents {
		if maintained, only := a.State.Maintained(who, full); len(only) > 0 {
			return maintained, only, nil
		}
	}
	return repo, nil, a.gitRefusal(who, full, need, err)
}

// gitRefusal says as git's users are told why who may not do need in a repository.
func (a *API) gitRefusal(who state.Identity, full string, need state.Need, err error) error {
	var e *wire.Error
	switch {
	case err == nil:
		return nil
	case who.Anonymous():
		return wire.RequiresAuthentication() // also for what is absent: git then asks for credentials
	case errors.As(err, &e) && e.Message == wire.Archived().Message:
		return wire.Forbidden("This repository was archived so it is read-only.")
	case errors.As(err, &e) && e.Code() == http.StatusForbidden:
		return wire.Forbidden("Permission to " + full + ".git denied to " + who.Login + ".")
	case errors.As(err, &e) && e.Code() == http.StatusNotFound && a.readable(who, full, need):
		return wire.Forbidden("Write access to repository not granted.")
	case errors.As(err, &e) && e.Code() == http.StatusNotFound:
		return wire.NewError(http.StatusNotFound, "Repository not found.")
	}
	return err
}

// readable reports whether a push is refused to who may read.
func (a *API) readable(who state.Identity, full string, need state.Need) bool {
	if need != state.WriteContents {
		return false
	}
	_, err := a.State.Authorize(who, full, state.ReadContents)
	return err == nil
}

// watched knows whether an answer has begun.
type watched struct {
	http.ResponseWriter
	begun bool
}

// Write implements io.Writer.
func (w *watched) Write(p []byte) (int, error) {
	w.begun = true
	return w.ResponseWriter.Write(p)
}

// blamed makes an error the client's where it is his: git itself ended because of what he sent, or
// he went away.
func blamed(r *http.Request, err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) || r.Context().Err() != nil {
		return wire.NewError(http.StatusBadRequest, err.Error())
	}
	return err
}

// refuseGit answers in plain text, which git shows to its user.
func refuseGit(w http.ResponseWriter, err error) int {
	status, text := http.StatusInternalServerError, "understudy: "+err.Error()
	var e *wire.Error
	if errors.As(err, &e) {
		status, text = e.Code(), e.Message
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="GitHub"`)
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	io.WriteString(w, text)
	return status
}

type gitCall struct {
	who     state.Identity
	repo    state.Repo
	only    []string // branches that alone may be pushed to; nil is all
	service gitstore.Service
	op      string
}

func (a *API) runGit(w http.ResponseWriter, r *http.Request, g gitCall) error {
	protocol := r.Header.Get("Git-Protocol")
	method := http.MethodPost
	if g.op == "info/refs" {
		method = http.MethodGet
	}
	if r.Method != method {
		return wire.NewError(http.StatusMethodNotAllowed, "want "+method)
	}
	if g.op == "info/refs" {
		w.Header().Set("Content-Type", "application/x-"+string(g.service)+"-advertisement")
		return a.Git.Advertise(r.Context(), g.repo.ID, g.service, protocol, w)
	}
	body, err := plainBody(r)
	if err != nil {
		return wire.NewError(http.StatusBadRequest, "body is not gzip")
	}
	w.Header().Set("Content-Type", "application/x-"+string(g.service)+"-result")
	if g.service == gitstore.UploadPack {
		return a.Git.Fetch(r.Context(), g.repo.ID, protocol, io.LimitReader(body, maxFetch), w)
	}
	spool, err := a.Git.Spool(body, maxPush)
	if err != nil {
		return err
	}
	defer spool.Close()
	report, err := a.receive(r, g, protocol, spool)
	if err != nil {
		return err
	}
	_, err = w.Write(report)
	return err
}

func plainBody(r *http.Request) (io.Reader, error) {
	if r.Header.Get("Content-Encoding") == "gzip" {
		return gzip.NewReader(r.Body)
	}
	return r.Body, nil
}

// receive applies a push and records what it moved before anybody else can write.
func (a *API) receive(r *http.Request, g gitCall, protocol string, spool *gitstore.Spool) (report []byte, err error) {
	before, err := a.lookBefore(r, g, spool)
	if err != nil {
		return nil, err
	}
	var moves []gitstore.RefMove
	err = a.update(r, g.who, g.repo, func(git *gitstore.Repo) error {
		var refuse *gitstore.NoWorkflows
		if !g.who.MayWorkflows() {
			to, lacks := g.who.LacksWorkflows()
			refuse = &gitstore.NoWorkflows{To: to, Lacks: lacks}
		}
		guarded, err := a.guarded(g, spool)
		if err != nil {
			return err
		}
		if report, moves, err = git.Receive(lasting(r), protocol, spool, refuse, guarded); err != nil {
			return err
		}
		if refuse != nil && bytes.Contains(report, []byte(gitstore.RefusedWorkflow)) {
			g.who.AskWorkflows()
		}
		changes := make([]state.RefChange, len(moves))
		for i, m := range moves {
			changes[i] = state.RefChange(m)
		}
		if len(changes) == 0 {
			return nil
		}
		a.pushed(g.repo)
		return a.State.MoveRefs(g.who, g.repo.FullName, changes)
	})
	if err == nil {
		a.keepPush(before, g, moves)
	}
	return report, err
}
