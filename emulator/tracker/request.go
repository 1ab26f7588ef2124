package tracker

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/internal/ledger"
)

const maxBody = 1 << 20

// request is one that has been let in. The store is locked while it is handled.
type request struct {
	*http.Request
	*store
	who   *Account
	cause string
	body  []byte
	log   []journal.Entry // what it changed
}

// answer is a status and a body; nil is none.
type answer struct {
	status int
	body   any
}

func ok(body any) answer { return answer{http.StatusOK, body} }

// failure is the form of Jira's errors. https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/#status-codes
type failure struct {
	status   int
	Messages []string          `json:"errorMessages"`
	Errors   map[string]string `json:"errors"`
}

func (f *failure) Error() string { return fmt.Sprint(f.status, " ", f.Messages, f.Errors) }

func refuse(status int, format string, args ...any) error {
	return &failure{status, []string{fmt.Sprintf(format, args...)}, map[string]string{}}
}

func refuseField(field, format string, args ...any) error {
	return &failure{http.StatusBadRequest, []string{}, map[string]string{field: fmt.Sprintf(format, args...)}}
}

func unsupported(what string) error {
	return refuse(http.StatusNotImplemented, "This tracker does not speak %s.", what)
}

// route is one method of the API.
type route struct {
	pattern string // of http.ServeMux
	do      func(*request) (answer, error)
	query   []string // parameters that it takes
	admin   bool     // for administrators
}

func (s *Server) newRoutes() *http.ServeMux {
	mux := http.NewServeMux()
	for _, r := range slices.Concat(issueRoutes(), commentRoutes(), propertyRoutes(), searchRoutes(), projectRoutes(), roleRoutes(), groupRoutes(), accountRoutes()) {
		mux.Handle(r.pattern, route.handler(r, s))
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.journal.Append(journal.Entry{Kind: journal.Read, Type: "unknown-route", Subject: r.Method + " " + r.URL.Path, Detail: map[string]string{"part": "tracker"}})
		write(w, r, answer{}, unsupported(r.Method+" "+r.URL.Path))
	})
	return mux
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.routes.ServeHTTP(w, r) }

func (rt route) handler(s *Server) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		subject := r.Method + " " + r.URL.Path
		who, spec := s.store.identify(r)
		var work *ledger.Obligation
		if r.Method != http.MethodGet || !spec.Quiet {
			work = s.ledger.Open("tracker request " + subject)
			defer work.Close()
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			write(w, r, answer{}, refuse(http.StatusRequestEntityTooLarge, "The request is larger than %d bytes, or broke off.", maxBody))
			return
		}
		req := &request{Request: r, store: s.store, who: who, body: body, cause: spec.Cause}
		ans, err := rt.serve(req, spec, s.journal)
		s.journal.Append(journal.Entry{
			Kind: journal.Read, Type: "tracker.request", Cause: req.cause, Actor: actorOf(who), Subject: subject,
			Detail: map[string]string{"status": strconv.Itoa(statusOf(ans, err))},
		})
		write(w, r, ans, err)
	}
}

func (rt route) serve(r *request, spec TokenSpec, j *journal.Journal) (answer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if spec.Kit {
		r.cause = r.mark
	}
	switch version := r.PathValue("version"); {
	case r.who == nil:
		return answer{}, refuse(http.StatusUnauthorized, "Client must be authenticated to access this resource.")
	case version != "2" && version != "3" && version != "latest":
		return answer{}, unsupported("version " + version + " of the REST API")
	case rt.admin && !r.who.Admin:
		return answer{}, refuse(http.StatusForbidden, "You are not authorized to perform this action. Administrator privileges are required.")
	}
	for name := range r.URL.Query() {
		if !slices.Contains(rt.query, name) {
			return answer{}, unsupported("the query parameter " + name + " of " + rt.pattern)
		}
	}
	ans, err := rt.do(r)
	for _, e := range r.log { // under the lock, so that they stand in the order in which things happened
		j.Append(e)
	}
	return ans, err
}

// identify finds whose token a request carries: the password of basic authentication, whose user is the account's
// address, or a bearer. nil is nobody.
// https://developer.atlassian.com/cloud/jira/platform/basic-auth-for-rest-apis/
func (s *store) identify(r *http.Request) (*Account, TokenSpec) {
	s.mu.Lock()
	defer s.mu.Unlock()
	email, token, basic := r.BasicAuth()
	if !basic {
		scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "bearer") {
			return nil, TokenSpec{}
		}
		token = value
	}
	// A digest is looked up, so how long it takes tells nothing of the tokens there are.
	spec, found := s.tokens[sha256.Sum256([]byte(token))]
	who := s.accounts[spec.Account]
	if !found || basic && !strings.EqualFold(email, who.Email) {
		return nil, TokenSpec{}
	}
	return who, spec
}

func actorOf(who *Account) string {
	if who == nil {
		return ""
	}
	return who.ID
}

func statusOf(ans answer, err error) int {
	if f, is := errors.AsType[*failure](err); is {
		return f.status
	}
	return ans.status
}

func write(w http.ResponseWriter, r *http.Request, ans answer, err error) {
	if f, is := errors.AsType[*failure](err); is {
		ans = answer{f.status, f}
	}
	if ans.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="tracker"`)
	}
	if ans.body == nil {
		w.WriteHeader(ans.status)
		return
	}
	w.Header().Set("Content-Type", "application/json;charset=UTF-8")
	w.WriteHeader(ans.status)
	if r.Method == http.MethodHead {
		return
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(ans.body) // who asked may have gone
}

// changed notes a change for the journal.
func (r *request) changed(what, subject string, detail map[string]string) {
	r.log = append(r.log, journal.Entry{Kind: journal.Change, Type: "jira." + what, Cause: r.cause, Actor: r.who.ID, Subject: subject, Detail: detail})
}

// decode reads the body; a field that is not known is an error that names it.
func (r *request) decode(into any) error {
	dec := json.NewDecoder(bytes.NewReader(r.body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return refuse(http.StatusBadRequest, "Invalid request payload. Refer to the REST API documentation and try again. (%v)", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return refuse(http.StatusBadRequest, "Invalid request payload. Refer to the REST API documentation and try again.")
	}
	return nil
}

// documents reports whether the request's version of the API has documents where others have text.
func (r *request) documents() bool { return r.PathValue("version") == "3" }

// at is the address of a resource.
func (r *request) at(format string, args ...any) string {
	version := r.PathValue("version")
	return r.base + "/rest/api/" + version + fmt.Sprintf(format, args...)
}

// window reads startAt and maxResults.
func (r *request) window(most int) (start, count int, err error) {
	return number(r.URL.Query().Get("startAt"), 0, 1<<30), number(r.URL.Query().Get("maxResults"), most, most), r.numbers()
}

// numbers refuses what is no number.
func (r *request) numbers() error {
	for _, name := range []string{"startAt", "maxResults"} {
		if v := r.URL.Query().Get(name); v != "" {
			if n, err := strconv.Atoi(v); err != nil || n < 0 {
				return refuse(http.StatusBadRequest, "The %s query parameter must be a number that is 0 or more, not %q.", name, v)
			}
		}
	}
	return nil
}

// number is a parameter's value, at most most; fallback when it is not given.
func number(text string, fallback, most int) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return fallback
	}
	return min(n, most)
}

// page is the part of all from start, count long.
func page[T any](all []T, start, count int) []T {
	start = min(start, len(all))
	return all[start:min(start+count, len(all))]
}
