package api

import (
	"io"
	"net/http"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/fault"
)

// strikesGit asks the faults of git's requests whether one strikes; nil is none. One that asks for the refs is not
// struck: it does nothing yet, and a fetch or a push is one match however git begins it.
func (a *API) strikesGit(who state.Identity, subject, op string) *fault.Fault {
	service, known := gitstore.ParseService(op)
	if !known || !a.Faults.Any() {
		return nil
	}
	of := map[gitstore.Service]string{gitstore.UploadPack: "fetch", gitstore.ReceivePack: "push"}[service]
	for _, name := range []string{fault.GitError, fault.GitCut} {
		t := fault.Target{What: subject, Of: who.Credential(), Is: map[string]string{"by": who.Login, "of": of}, Cause: who.Cause}
		if f, ok := a.Faults.Strike(name, t); ok {
			return &f
		}
	}
	return nil
}

// misbehaveGit answers a request of git's by a fault, after it was handled or without that. It returns the
// status that the journal tells, and whether something changed.
func (a *API) misbehaveGit(w http.ResponseWriter, r *http.Request, g gitCall, f fault.Fault) (status int, changed bool) {
	if f.Arg("when") == "after" {
		var err error
		if changed, err = a.handleUnseen(r, g); err != nil {
			return refuseGit(w, blamed(r, err)), changed
		}
	} else if _, err := io.Copy(io.Discard, io.LimitReader(r.Body, maxPush)); err != nil {
		a.Log.Debug("request not read", "part", "forge", "error", err) // it is not answered either
	}
	if f.Name == fault.GitError {
		return refuseGit(w, wire.NewError(f.Number("status"), "Server Error")), changed
	}
	return statusCut, changed
}

// handleUnseen handles a request whose answer nobody gets.
func (a *API) handleUnseen(r *http.Request, g gitCall) (changed bool, err error) {
	nowhere := &unseen{header: http.Header{}}
	err = a.runGit(nowhere, r, g)
	return err == nil && g.service == gitstore.ReceivePack, err
}

// cutGit begins an answer and ends the connection; it does not return. Without a first byte git's client would
// silently make the request again on another connection.
func (a *API) cutGit(w http.ResponseWriter, g gitCall) {
	w.Header().Set("Content-Type", "application/x-"+string(g.service)+"-result")
	w.WriteHeader(http.StatusOK)
	if err := http.NewResponseController(w).Flush(); err != nil {
		a.Log.Debug("answer not delivered", "part", "forge", "error", err)
	}
	panic(http.ErrAbortHandler)
}

// unseen takes an answer that is not given.
type unseen struct{ header http.Header }

// Header implements http.ResponseWriter.
func (u *unseen) Header() http.Header { return u.header }

// Write implements http.ResponseWriter.
func (u *unseen) Write(p []byte) (int, error) { return len(p), nil }

// WriteHeader implements http.ResponseWriter.
func (u *unseen) WriteHeader(int) {}
