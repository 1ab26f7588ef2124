package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/fault"
	"github.com/understudy-dev/understudy/internal/journal"
)

// answer is what a handler gives. Body is JSON unless raw or file is set.
type answer struct {
	status int
	body   any
	raw    []byte
	file   io.ReadCloser // sent as it is read; write closes it
	kind   string        // content type of raw or file

	changed bool   // the request was handled and changed something, whatever the answer says
	cut     string // where the connection ends: "after" without an answer, "body" in the middle of it
}

func ok(body any) (answer, error)      { return answer{status: http.StatusOK, body: body}, nil }
func created(body any) (answer, error) { return answer{status: http.StatusCreated, body: body}, nil }

// answered is an answer with a body, or the error that there is instead.
func answered[T any](body T, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	return ok(body)
}

// done is an answer without a body, or the error that there is instead.
func done(err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	return noContent()
}

func noContent() (answer, error) { return answer{status: http.StatusNoContent}, nil }

// finish journals the request, so that who got the answer finds it in the journal, and writes it.
func (a *API) finish(w http.ResponseWriter, c *call, subject string, ans answer, err error) {
	text := a.texts.Get().(*bytes.Buffer)
	defer a.texts.Put(text)
	if err == nil {
		err = ans.encode(text)
	}
	if err != nil {
		e := a.wireError(subject, err)
		ans = answer{status: e.Code(), body: e}
		if err := ans.encode(text); err != nil {
			panic("api: an error cannot be written: " + err.Error()) // only strings
		}
	}
	now := a.Now()
	if ans.file == nil {
		a.validate(c, &ans, ans.raw, now)
	}
	if c.where&servesAPI != 0 {
		a.describe(c, ans.status, now)
	}
	a.record(asked{id: c.id, who: c.who, method: c.Method, subject: subject, status: ans.status, body: ans.body, at: now, fault: c.fault, changed: ans.changed})
	if ans.cut != "" {
		a.cut(w, c, ans)
	}
	if err := a.write(w, c.Request, ans); err != nil {
		a.Log.Debug("answer not delivered", "part", "forge", "request", subject, "error", err)
	}
}

// encode makes raw of an answer that is JSON; the bytes are in text.
func (ans *answer) encode(text *bytes.Buffer) error {
	if ans.raw != nil || ans.body == nil {
		return nil
	}
	text.Reset()
	if err := json.NewEncoder(text).Encode(ans.body); err != nil {
		return err
	}
	ans.raw, ans.kind = bytes.TrimSuffix(text.Bytes(), []byte("\n")), "application/json; charset=utf-8"
	return nil
}

// describe sets the headers that every answer of the API has.
func (a *API) describe(c *call, status int, now time.Time) {
	c.header["X-Github-Media-Type"] = a.json
	if c.media.param != "" {
		c.header["X-Github-Media-Type"] = []string{c.media.shown}
	}
	c.header["X-Github-Api-Version-Selected"] = a.selected
	a.limits(c, status, now)
	a.showRights(c)
}

// showRights says what a classic token may and what would have sufficed, and of any other token which permissions
// the request took.
// https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api#insufficient-permissions
func (a *API) showRights(c *call) {
	if has, wanted, classic := c.who.ShownScopes(); classic {
		c.header["X-Oauth-Scopes"] = a.everyScope
		if has != nil {
			c.header["X-Oauth-Scopes"] = []string{strings.Join(has, ", ")}
		}
		c.header["X-Accepted-Oauth-Scopes"] = []string{strings.Join(wanted, ", ")}
		return
	}
	if needed := c.who.Asked(); len(needed) > 0 {
		text := strings.ReplaceAll(strings.Join(needed, "; "), ":", "=")
		c.header["X-Accepted-Github-Permissions"] = []string{strings.ReplaceAll(text, "-", "_")}
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

// asked is a request that has its answer.
type asked struct {
	id      string
	who     state.Identity
	method  string // of a request that only reads: GET
	subject string
	status  int
	body    any
	at      time.Time
	fault   *fault.Fault // whose doing the answer is
	changed bool         // also with an answer that does not say so
}

// record appends the entry of an answered request.
func (a *API) record(r asked) {
	e := journal.Entry{
		Time: r.at, Kind: journal.Read, Type: "request", Cause: r.who.Cause, Actor: r.who.Login, Subject: r.subject,
		Detail: map[string]string{"status": strconv.Itoa(r.status), "request_id": r.id},
	}
	if needed := r.who.Asked(); needed != nil {
		e.Detail["permission"] = strings.Join(needed, " ")
	}
	if r.fault != nil {
		e.Detail["fault"] = r.fault.Name
		if r.changed {
			e.Kind = journal.Change
		}
	} else if r.status == http.StatusNotImplemented {
		e.Type = "unknown-route"
		if w, found := r.body.(*wire.Error); found {
			e.Detail["message"] = w.Message
		}
		a.Log.Warn("outside the dialect", "part", "forge", "request", r.subject, "id", r.id)
	} else if r.status >= http.StatusInternalServerError {
		e.Type = "internal-error" // the forge broke, not who asked
	} else if r.status < 400 && r.method != http.MethodGet && r.method != http.MethodHead {
		e.Kind = journal.Change
	}
	a.Journal.Append(e)
	a.Log.Debug("request", "part", "forge", "request", r.subject, "id", r.id, "status", r.status, "actor", r.who.Login)
}

func (a *API) write(w http.ResponseWriter, r *http.Request, ans answer) error {
	if ans.file != nil {
		return writeFile(w, r, ans)
	}
	bodiless := ans.status == http.StatusNoContent || ans.status == http.StatusNotModified
	if !bodiless {
		if ans.kind != "" {
			w.Header()["Content-Type"] = []string{ans.kind}
		}
		w.Header()["Content-Length"] = []string{strconv.Itoa(len(ans.raw))}
	}
	w.WriteHeader(ans.status)
	if !bodiless && r.Method != http.MethodHead {
		if _, err := w.Write(ans.raw); err != nil {
			return err
		}
	}
	// The obligation ends after this, so the client must have all of the answer.
	return http.NewResponseController(w).Flush()
}

// writeFile sends a file as it is read, so that its size is nobody's memory.
func writeFile(w http.ResponseWriter, r *http.Request, ans answer) error {
	defer ans.file.Close()
	w.Header().Set("Content-Type", ans.kind)
	if f, found := ans.file.(interface{ Stat() (fs.FileInfo, error) }); found {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		w.Header().Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	}
	w.WriteHeader(ans.status)
	if r.Method != http.MethodHead {
		if _, err := io.Copy(w, ans.file); err != nil {
			return err
		}
	}
	return http.NewResponseController(w).Flush()
}
