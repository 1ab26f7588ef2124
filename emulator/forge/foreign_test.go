package forge_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-github/v88/github"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// TestForeign has clients that others wrote work with a forge, and looks at each answer they get: those
// of the API are held to GitHub's description, those of git to the protocol that git documents.
func TestForeign(t *testing.T) {
	var names []string
	var calls, valid int64
	for _, c := range []struct {
		name string
		does func(*testing.T, *tally)
	}{{"go-github", goGithub}, {"octokit", octokit}, {"git", realGit}} {
		n := &tally{}
		t.Run(c.name, func(t *testing.T) { n.asked = true; c.does(t, n) })
		if !n.asked {
			continue
		}
		if n.calls.Load() == 0 {
			t.Errorf("%s made no call", c.name)
		}
		names = append(names, c.name)
		calls, valid = calls+n.calls.Load(), valid+n.valid.Load()
	}
	t.Logf("%s: %d calls, %d valid answers", strings.Join(names, ", "), calls, valid)
}

func goGithub(t *testing.T, n *tally) {
	for name, does := range map[string]func(*testing.T, *tally){
		"apps": foreignApps, "checks": foreignChecks, "statuses": foreignStatuses, "forks": foreignForks, "furniture": foreignFurniture,
		"compare": foreignCompare, "search": foreignSearch, "objects": foreignObjects, "hooks": foreignHooks, "hooks of organisations": foreignOrgHooks,
		"organisations": foreignOrgs, "config of organisations": foreignOrgConfig, "payloads": foreignPayloads, "pull requests": foreignPulls,
		"repositories": foreignRepositories, "git data": foreignGitData, "issues": foreignIssues, "protection": foreignProtection, "roles": foreignRoles, "config": foreignConfig, "runs": foreignRuns, "releases": foreignReleases, "teams": foreignTeams,
	} {
		t.Run(name, func(t *testing.T) { does(t, n) })
	}
}

// tally counts the calls of a foreign client, and those that were answered as described.
type tally struct {
	calls, valid atomic.Int64
	asked        bool // false: its test was left out
}

// client returns a go-github client with a token, as it is for a GitHub Enterprise Server.
func (n *tally) client(t *testing.T, f *forge.Server, token string) *github.Client {
	t.Helper()
	below := &http.Transport{}
	t.Cleanup(below.CloseIdleConnections)
	c, err := github.NewClient(github.WithTransport(n.over(t, below)), github.WithAuthToken(token), github.WithEnterpriseURLs(f.URL(), f.URL()))
	must(t, err)
	return c
}

// over looks at what a transport brings.
func (n *tally) over(t *testing.T, below http.RoundTripper) http.RoundTripper {
	return watched{n, t, below}
}

type watched struct {
	n     *tally
	t     *testing.T
	below http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (w watched) RoundTrip(r *http.Request) (*http.Response, error) {
	c, err := checker()
	if err != nil {
		return nil, err
	}
	w.n.calls.Add(1)
	found := &findings{T: w.t}
	over := c.Transport(found, w.below)
	if strings.Contains(r.URL.Path, ".git/") {
		over = w.below
	}
	res, err := over.RoundTrip(r)
	switch {
	case err != nil:
		return res, err
	case res.StatusCode == http.StatusNotImplemented:
		found.Errorf("%s %s is not served", r.Method, r.URL.Path)
	case strings.Contains(r.URL.Path, ".git/"):
		err = checkGit(found, r, res)
	}
	if err == nil && !found.any {
		w.n.valid.Add(1)
	}
	return res, err
}

// findings passes on what is wrong, and knows whether anything was.
type findings struct {
	*testing.T
	any bool
}

func (f *findings) Errorf(format string, args ...any) {
	f.Helper()
	f.any = true
	f.T.Errorf(format, args...)
}

// checkGit holds an answer to git to https://git-scm.com/docs/gitprotocol-http: media types, no caching, and
// nothing but whole pkt-lines, the first of which names what is spoken.
func checkGit(to *findings, r *http.Request, res *http.Response) error {
	body, err := io.ReadAll(res.Body)
	res.Body.Close()
	res.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		if basic := strings.HasPrefix(res.Header.Get("WWW-Authenticate"), "Basic "); basic != (res.StatusCode == http.StatusUnauthorized) {
			to.Errorf("%s %s = %d, WWW-Authenticate %q", r.Method, r.URL.Path, res.StatusCode, res.Header.Get("WWW-Authenticate"))
		}
		return nil
	}
	kind, first := "application/x-"+r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]+"-result", ""
	if service := r.URL.Query().Get("service"); service != "" {
		kind, first = "application/x-"+service+"-advertisement", "# service="+service+"\n"
	}
	if got := res.Header.Get("Content-Type"); got != kind || !strings.Contains(res.Header.Get("Cache-Control"), "no-cache") {
		to.Errorf("%s %s: %q, not %s; Cache-Control %q", r.Method, r.URL, got, kind, res.Header.Get("Cache-Control"))
	}
	lines, err := pktLines(body)
	if err != nil || first != "" && (len(lines) == 0 || lines[0] != first && lines[0] != "version 2\n") {
		to.Errorf("%s %s: %v in %q", r.Method, r.URL, err, body)
	}
	return nil
}

// pktLines splits a body as https://git-scm.com/docs/gitprotocol-common says; what only separates is left out.
func pktLines(body []byte) (lines []string, err error) {
	for len(body) > 0 {
		if len(body) < 4 {
			return nil, fmt.Errorf("%q is no length", body)
		}
		n, err := strconv.ParseUint(string(body[:4]), 16, 16)
		switch {
		case err != nil || n == 3 || int(n) > len(body):
			return nil, fmt.Errorf("%q is no length of what follows", body[:4])
		case n < 4:
			body = body[4:]
			continue
		}
		lines, body = append(lines, string(body[4:n])), body[n:]
	}
	return lines, nil
}
