package conformance

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Reporter is told of findings; a *testing.T is one.
type Reporter interface {
	Helper()
	Errorf(format string, args ...any)
}

// Transport returns a transport that reports what of its requests and answers is not described.
// Answers of 501 are the forge's own, and git, raw files and signed addresses are not of the API.
func (c *Checker) Transport(to Reporter, below http.RoundTripper) http.RoundTripper {
	return transport{c, to, below}
}

type transport struct {
	c     *Checker
	to    Reporter
	below http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	t.to.Helper()
	x := Exchange{Method: r.Method, Accept: r.Header.Get("Accept"), Query: r.URL.Query()}
	x.Path = r.URL.EscapedPath()
	for _, root := range []string{"/api/v3", "/api/uploads"} {
		x.Path = strings.TrimPrefix(x.Path, root)
	}
	if r.GetBody != nil {
		again, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		if x.Sent, err = io.ReadAll(again); err != nil {
			return nil, err
		}
	}
	res, err := t.below.RoundTrip(r)
	if err != nil || !ofTheAPI(r, x.Path) || res.StatusCode == http.StatusNotImplemented {
		return res, err
	}
	x.Status, x.Kind = res.StatusCode, res.Header.Get("Content-Type")
	if strings.HasPrefix(x.Kind, jsonKind) && r.Method != http.MethodHead {
		x.Body, err = io.ReadAll(res.Body)
		res.Body.Close()
		res.Body = io.NopCloser(bytes.NewReader(x.Body))
		if err != nil {
			return nil, err
		}
	}
	findings, err := t.c.Check(x)
	if err != nil {
		return nil, fmt.Errorf("conformance: %w", err)
	}
	for _, f := range findings {
		t.to.Errorf("not as GitHub describes it (%s %s = %d): %s", x.Method, x.Path, x.Status, f)
	}
	return res, nil
}

func ofTheAPI(r *http.Request, path string) bool {
	if r.Host == "raw.githubusercontent.com" || r.Host == "github.com" {
		return false
	}
	for _, other := range []string{"/raw/", "/signed/", "/_/"} {
		if strings.HasPrefix(path, other) {
			return false
		}
	}
	return !strings.Contains(path, ".git/") && !strings.Contains(path, "/releases/download/") && !strings.Contains(path, "/releases/latest/download/")
}
