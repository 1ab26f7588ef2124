package page_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha1"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"

	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/environment/page"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const secret = "ghp_notARealTokenBut<A>Secret"

// shown is a forge with the page.
type shown struct {
	*forge.Server
	t     testing.TB
	token string
	sha   string
	run   forge.Run
	job   forge.Job
}

// furnished is a forge with a repository, an issue, a run that goes on, and the page.
func furnished(t testing.TB, files fstest.MapFS) *shown {
	t.Helper()
	return furnishedIn(t, "", files)
}

// furnishedIn is furnished in a directory; "" is one of the forge's own.
func furnishedIn(t testing.TB, dir string, files fstest.MapFS) *shown {
	t.Helper()
	f, err := forge.New(forge.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	f.Handle(page.Root, page.New(page.Options{Forge: f, Note: "a forge of a test", Clean: func(b []byte) []byte {
		return bytes.ReplaceAll(b, []byte(secret), []byte("[hidden]"))
	}}))
	s := &shown{Server: f, t: t}
	a := f.Admin()
	s.must(a.AddUser(forge.User{Login: "ada"}))
	all := fstest.MapFS{".github/workflows/w.yml": {Data: []byte("on: push\n")}}
	for name, file := range files {
		all[name] = file
	}
	s.sha, err = a.Seed("ada/app", "ada", all)
	s.must(err)
	s.token, err = a.MintToken(forge.TokenSpec{Login: "ada", Cause: "token:ada"})
	s.must(err)
	s.post("/repos/ada/app/issues", `{"title": "<script>alert(1)</script>", "labels": ["bug"], "body": "Some **bold** <img src=x onerror=alert(1)>\n\n[bad](javascript:alert(1)) ![far](http://example.com/x.png) [near](docs/a.md)"}`)
	s.run, err = a.SaveRun(forge.Run{Repo: "ada/app", Workflow: ".github/workflows/w.yml", Name: "W", Title: "Seed", Event: "push", Actor: "ada",
		Cause: "event:3", HeadSHA: s.sha, HeadBranch: "main", Status: "in_progress"})
	s.must(err)
	s.job, err = a.SaveJob(forge.Job{RunID: s.run.ID, Key: "j", Name: "the job", Status: "in_progress"})
	s.must(err)
	s.say("2026-01-02T03:04:05.0000000Z said <b> and " + secret + "\n2026-01-02T03:04:05.0000000Z ##[warning]\x1b[31mold\x1b[0m\n")
	return s
}

func (s *shown) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *shown) say(text string) {
	s.t.Helper()
	s.must(s.Admin().AppendLog(s.job.ID, []byte(text)))
}

// end ends the job and the run.
func (s *shown) end(conclusion string) {
	s.t.Helper()
	s.job.Status, s.job.Conclusion = "completed", conclusion
	_, err := s.Admin().SaveJob(s.job)
	s.must(err)
	s.run.Status, s.run.Conclusion = "completed", conclusion
	_, err = s.Admin().SaveRun(s.run)
	s.must(err)
}

// post makes a change through the API.
func (s *shown) post(path, body string) {
	s.t.Helper()
	req := s.request(http.MethodPost, "/api/v3"+path)
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Body = io.NopCloser(strings.NewReader(body))
	if resp, got := s.do(req); resp.StatusCode >= 300 {
		s.t.Fatalf("%s: %d %s", path, resp.StatusCode, got)
	}
}

func (s *shown) request(method, path string) *http.Request {
	s.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, s.URL()+path, nil)
	s.must(err)
	return req
}

func (s *shown) do(req *http.Request) (*http.Response, string) {
	s.t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	s.must(err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	s.must(err)
	return resp, string(body)
}

// sees gets a sheet, which must be there and hold each of want.
func (s *shown) sees(path string, want ...string) string {
	s.t.Helper()
	resp, body := s.do(s.request(http.MethodGet, page.Root+path))
	if resp.StatusCode != http.StatusOK {
		s.t.Errorf("%s: %d", path, resp.StatusCode)
	}
	for _, w := range want {
		if !strings.Contains(body, w) {
			s.t.Errorf("%s does not contain %s:\n%s", path, w, body)
		}
	}
	return body
}

func TestPageShowsWhatIsThere(t *testing.T) {
	s := furnished(t, fstest.MapFS{
		"README.md":        {Data: []byte("# Title\n\nsee [the guide](docs/a.md)\n")},
		"docs/a.md":        {Data: []byte("[up](../README.md)\n")},
		"src/a b?#&<.go":   {Data: []byte("package a // <tag>\n")},
		"image.bin":        {Data: []byte{0, 1, 2}},
		"docs/empty.txt":   {},
		"long/" + "x.txt":  {Data: bytes.Repeat([]byte("x"), 600<<10)},
		"secret/token.txt": {Data: []byte(secret + "\n")},
	})
	s.post("/repos/ada/app/issues/1/comments", `{"body": "A comment with `+"`code`"+` and `+secret+`"}`)
	var pack bytes.Buffer
	z := zip.NewWriter(&pack)
	s.must(z.Close())
	made, err := s.Admin().PutArtifact(forge.Artifact{RunID: s.run.ID, JobID: s.job.ID, Name: `odd "na/me"`}, &pack)
	s.must(err)
	before := len(s.Admin().Journal().Entries(0))

	const repo = "repo/ada/app"
	for path, want := range map[string][]string{
		"":                        {"ada/app", "1 open issue", "1 run", "1 going on", "a forge of a test", "issue_comment.created", `href="/_/journal?cause=token%3Aada"`},
		repo:                      {"<h1>Title</h1>", `href="/_/repo/ada/app/files/docs/a.md"`, `href="/_/repo/ada/app/files/docs"`, "Seed", "image.bin"},
		repo + "/files/docs/a.md": {`<a href="/_/repo/ada/app/files/README.md">up</a>`, "as it is written"},
		repo + "/files/src":       {`href="/_/repo/ada/app/files/src/a%20b%3F%23&amp;%3C.go"`, "a b?#&amp;&lt;.go"},
		repo + "/files/src/a%20b%3F%23&%3C.go?ref=refs%2Fheads%2Fmain": {"package a // &lt;tag&gt;"},
		repo + "/files/image.bin":                                      {"not text: 3 B"},
		repo + "/files/docs/empty.txt":                                 {"is empty"},
		repo + "/files/long/x.txt":                                     {"too long to be shown: 600.0 KiB"},
		repo + "/files/secret/token.txt":                               {"[hidden]"},
		repo + "/commits":                                              {"Seed", s.sha[:7]},
		repo + "/commit/" + s.sha:                                      {"8 changed files", "added", s.sha},
		repo + "/about":                                                {"main", "good first issue", `fill="#7057ff"`, "ada"},
		repo + "/issues":                                               {"&lt;script&gt;alert(1)", "bug", "1 comment"},
		repo + "/issues/1":                                             {"<strong>bold</strong>", "&lt;script&gt;", "<code>code</code>", `<a href="http://example.com/x.png">far</a>`, `<a href="">bad</a>`},
		repo + "/runs":                                                 {"W #1", "in_progress", `href="/_/journal/3"`},
		"run/1":                                                        {"the job", "warning</b> old", fmt.Sprintf(`href="/_/run/1/artifact/%d"`, made.ID), "odd &#34;na/me&#34;", ".github/workflows/w.yml"},
		"job/1":                                                        {"said &lt;b&gt; and [hidden]", `class="l warning"`, ">old", `<noscript><meta http-equiv="refresh"`},
		"journal":                                                      {"issues.opened", `id="event-3"`, `href="/_/journal?kind=all&amp;cause=run%3a1"`},
		"journal?q=ISSUES+ada":                                         {"issues.opened"},
		"journal?cause=event:3":                                        {"run.created", "job.created", `class="d1"`},
		"journal/3":                                                    {"run.created", "The event", "seed", "ada/app"},
		"style.css":                                                    {"prefers-color-scheme"},
		"live.js":                                                      {"Log-Next"},
	} {
		body := s.sees(path, want...)
		for _, bad := range []string{secret, "ghp_notARealTokenBut&lt;A&gt;Secret", "<script>alert", "onerror", "javascript:alert", "<img", "ZgotmplZ", "no value"} {
			if strings.Contains(body, bad) {
				t.Errorf("%s contains %s:\n%s", path, bad, body)
			}
		}
	}
	resp, _ := s.do(s.request(http.MethodGet, fmt.Sprintf("%srun/1/artifact/%d", page.Root, made.ID)))
	if got := resp.Header.Get("Content-Disposition"); got != `attachment; filename="odd _na_me_.zip"` || resp.ContentLength != made.Size {
		t.Errorf("the artifact: %v %s", resp.Status, got)
	}
	if after := len(s.Admin().Journal().Entries(0)); after != before {
		t.Errorf("looking made %d journal entries", after-before)
	}
}

func TestPageIsSentOnceUntilItChanges(t *testing.T) {
	s := furnished(t, nil)
	s.end("failure")
	body := s.sees("run/1", "failure")
	if strings.Contains(body, "refresh") {
		t.Errorf("the page of a run that has ended:\n%s", body)
	}
	resp, _ := s.do(s.request(http.MethodGet, page.Root))
	again := s.request(http.MethodGet, page.Root)
	again.Header.Set("If-None-Match", resp.Header.Get("ETag"))
	if resp, body := s.do(again); resp.StatusCode != http.StatusNotModified || body != "" {
		t.Errorf("the same again: %d %s", resp.StatusCode, body)
	}
	s.post("/repos/ada/app/issues", `{"title": "another"}`)
	if resp, _ := s.do(again); resp.StatusCode != http.StatusOK {
		t.Errorf("after a change: %d", resp.StatusCode)
	}
}

func TestPageOnlyReadsAndIsLocal(t *testing.T) {
	s := furnished(t, nil)
	get := func(path string) *http.Request { return s.request(http.MethodGet, page.Root+path) }
	foreign := get("")
	foreign.Host = "example.com"
	disguised := get("")
	disguised.Host = "127.0.0.1.example.com:80"
	for name, tt := range map[string]struct {
		req  *http.Request
		want int
		hint string
	}{
		"post":               {s.request(http.MethodPost, page.Root), http.StatusMethodNotAllowed, ""},
		"delete a job":       {s.request(http.MethodDelete, page.Root+"job/1"), http.StatusMethodNotAllowed, ""},
		"no such page":       {get("nowhere"), http.StatusNotFound, "all there is"},
		"no such repository": {get("repo/ada/nope"), http.StatusNotFound, "there are ada/app"},
		"no such file":       {get("repo/ada/app/files/nope"), http.StatusNotFound, "branches and tags are main"},
		"out of the tree":    {get("repo/ada/app/files/..%2f..%2f..%2fconfig"), http.StatusNotFound, "branches"},
		"no such revision":   {get("repo/ada/app?ref=nope"), http.StatusNotFound, "main"},
		"no such commit":     {get("repo/ada/app/commit/" + strings.Repeat("0", 40)), http.StatusNotFound, "commits"},
		"no such issue":      {get("repo/ada/app/issues/2"), http.StatusNotFound, "has 1 issue"},
		"no such run":        {get("run/9"), http.StatusNotFound, "runs of a repository"},
		"no such job":        {get("job/9"), http.StatusNotFound, "jobs"},
		"no such log":        {get("job/9/log"), http.StatusNotFound, "jobs"},
		"no number":          {get("job/x"), http.StatusNotFound, "jobs"},
		"no such entry":      {get("journal/999"), http.StatusNotFound, "so far"},
		"no such artifact":   {get("run/1/artifact/1"), http.StatusNotFound, "artifacts"},
		"a foreign name":     {foreign, http.StatusForbidden, "this machine"},
		"a disguised name":   {disguised, http.StatusForbidden, "this machine"},
	} {
		resp, body := s.do(tt.req)
		if resp.StatusCode != tt.want || !strings.Contains(body, tt.hint) {
			t.Errorf("%s: got %d %s, want %d and %q", name, resp.StatusCode, body, tt.want, tt.hint)
		}
	}
	resp, _ := s.do(get(""))
	policy := resp.Header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none'; style-src 'self'; script-src 'self';") || strings.Contains(policy, "unsafe") {
		t.Errorf("the content security policy: %s", policy)
	}
}

func TestPageShowsWhatWebhooksWereSent(t *testing.T) {
	s := furnished(t, nil)
	got := make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got <- r.Header.Get("X-GitHub-Event")
		http.Error(w, "<b>no</b> "+secret, http.StatusTeapot)
	}))
	defer receiver.Close()
	s.post("/repos/ada/app/hooks", fmt.Sprintf(`{"config": {"url": "%s/in?token=inTheAddress", "content_type": "json", "secret": "%s"}, "events": ["issues"]}`, receiver.URL, secret))
	s.post("/repos/ada/app/issues", `{"title": "<script>alert(1)</script>"}`)
	s.must(s.Quiet(t.Context()))
	if a, b := <-got, <-got; a+b != "pingissues" {
		t.Fatalf("delivered were %s and %s", a, b)
	}
	s.sees("repo/ada/app", "Webhooks <span")
	list := s.sees("repo/ada/app/hooks", "/in?…", "signed", "418", "issues.opened", `href="/_/repo/ada/app/deliveries/2"`)
	one := s.sees("repo/ada/app/deliveries/2", "issues.opened", "X-Hub-Signature-256", `\u003cscript`, "&lt;b&gt;no&lt;/b&gt; [hidden]", "418")
	for _, bad := range []string{"inTheAddress", secret, "<b>no", "<script>alert"} {
		if strings.Contains(list+one, bad) {
			t.Errorf("what a webhook was sent shows %s", bad)
		}
	}
	if resp, body := s.do(s.request(http.MethodGet, page.Root+"repo/ada/app/deliveries/9")); resp.StatusCode != http.StatusNotFound || !strings.Contains(body, "no such delivery") {
		t.Errorf("no such delivery: %d", resp.StatusCode)
	}
}

// TestPageOfWhatARecordLeftOut holds that a file without content takes no sheet with it.
func TestPageOfWhatARecordLeftOut(t *testing.T) {
	dir := t.TempDir()
	text := "# A token stands here\n"
	s := furnishedIn(t, dir, fstest.MapFS{"README.md": {Data: []byte(text)}, "other.txt": {Data: []byte("x\n")}})
	sum := fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(text), text)))
	s.must(os.Remove(filepath.Join(dir, "repos", "1.git", "objects", sum[:2], sum[2:])))
	s.sees("repo/ada/app", "README.md", "other.txt")
	s.sees("repo/ada/app/files/README.md", "is not here")
}
