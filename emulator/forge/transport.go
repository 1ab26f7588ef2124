package forge

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
)

// noPortURL is the address of a forge that listens nowhere. The name cannot be resolved
// (https://www.rfc-editor.org/rfc/rfc6761#section-6.4) and says in git's own error what is the matter.
const noPortURL = "http://forge-without-port.invalid"

// Client returns an HTTP client whose requests reach the forge inside this process, without TCP, as
// a client of net/http/httptest does for a server. It reaches nothing else: a request to another host
// is an error. A request is answered in the goroutine that makes it, and the answer is held in memory.
// With Options.NoPort it is the only way in, and git has
// none; with Options.PublicURL https://github.com it is for clients that know api.github.com alone.
func (s *Server) Client() *http.Client { return &http.Client{Transport: transport{s: s}} }

// SeedAs returns a client like Server.Client that acts as an account, for setting the forge up: what
// is done with it has the cause "seed" and starts no workflow runs. An account that there is not is
// an error.
func (a *Admin) SeedAs(login string) (*http.Client, error) {
	if _, err := a.state.Account(login); err != nil {
		return nil, wrap("seed as "+login, err)
	}
	return &http.Client{Transport: transport{s: a.server, seeder: login}}, nil
}

// transport hands requests to the forge's handler.
type transport struct {
	s      *Server
	seeder string // whose token each request gets; "" leaves requests as they are
}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	if at := origin(r.URL); !slices.Contains(t.s.origins(), at) {
		return nil, fmt.Errorf("%s is not this forge, whose client reaches %s only", at, strings.Join(t.s.origins(), ", "))
	}
	if t.s.http == nil && gitRequest(r.URL.Path) {
		return nil, fmt.Errorf("git needs a port, and this forge was made with NoPort: %s", r.URL.Path)
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	in := r.Clone(r.Context())
	in.URL = &url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery, ForceQuery: r.URL.ForceQuery}
	in.RequestURI, in.RemoteAddr = r.URL.RequestURI(), "127.0.0.1:0"
	if in.Host == "" {
		in.Host = r.URL.Host
	}
	if in.Body == nil {
		in.Body = http.NoBody
	}
	if t.seeder != "" {
		st := t.s.admin.state
		token, err := st.MintToken(state.TokenSpec{Login: t.seeder, Cause: "seed", Name: "seed", StartsNoRuns: true})
		if err != nil {
			return nil, err
		}
		defer st.RevokeToken(token)
		in.Header.Set("Authorization", "Bearer "+token)
	}
	w := &kept{header: http.Header{}}
	if err := w.serve(t.s, in); err != nil {
		return nil, err
	}
	return w.response(r), nil
}

// origins are all addresses of the forge, without their paths.
func (s *Server) origins() []string {
	all := []string{s.url, s.base.String()}
	for _, root := range []string{s.base.API(""), s.base.Raw("")} {
		if u, err := url.Parse(root); err == nil {
			all = append(all, origin(u))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func origin(u *url.URL) string { return strings.ToLower(u.Scheme + "://" + u.Host) }

// gitRequest reports whether a path is one of smart HTTP's.
// https://git-scm.com/docs/http-protocol
func gitRequest(path string) bool {
	for _, end := range []string{"/info/refs", "/git-upload-pack", "/git-receive-pack"} {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	return false
}

// kept is an answer that is written into memory.
type kept struct {
	header http.Header
	sent   http.Header // as it was when the status was written
	status int
	body   bytes.Buffer
}

// serve lets the forge answer. A handler that gives up loses the connection, where there is one.
func (k *kept) serve(h http.Handler, r *http.Request) (err error) {
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("the forge gave up answering %s %s: %v", r.Method, r.URL.Path, why)
		}
	}()
	h.ServeHTTP(k, r)
	return r.Context().Err()
}

// Header implements http.ResponseWriter.
func (k *kept) Header() http.Header { return k.header }

// WriteHeader implements http.ResponseWriter.
func (k *kept) WriteHeader(status int) {
	if k.status != 0 || status < 200 {
		return
	}
	k.status, k.sent = status, k.header.Clone()
}

// Write implements io.Writer.
func (k *kept) Write(b []byte) (int, error) {
	k.WriteHeader(http.StatusOK)
	return k.body.Write(b)
}

// Flush implements http.Flusher; nobody reads before the end.
func (k *kept) Flush() {}

func (k *kept) response(r *http.Request) *http.Response {
	k.WriteHeader(http.StatusOK)
	body := k.body.Bytes()
	if len(body) > 0 && k.sent.Get("Content-Type") == "" {
		k.sent.Set("Content-Type", http.DetectContentType(body))
	}
	length := int64(len(body))
	if r.Method == http.MethodHead {
		length, body = -1, nil
		if n, err := strconv.ParseInt(k.sent.Get("Content-Length"), 10, 64); err == nil {
			length = n
		}
	}
	return &http.Response{
		Status: strconv.Itoa(k.status) + " " + http.StatusText(k.status), StatusCode: k.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: k.sent,
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: length, Request: r,
	}
}
