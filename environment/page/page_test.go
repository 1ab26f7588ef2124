package page_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"

	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/environment/page"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const secret = "ghp_notARealTokenButASecret"

// furnished is a forge with a repository, an issue, a run and the page.
func furnished(t *testing.T) *forge.Server {
	t.Helper()
	f, err := forge.New(forge.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	f.Handle(page.Root, page.New(page.Options{Forge: f, Clean: func(b []byte) []byte {
		return bytes.ReplaceAll(b, []byte(secret), []byte("[hidden]"))
	}}))
	a := f.Admin()
	if err := a.AddUser(forge.User{Login: "ada"}); err != nil {
		t.Fatal(err)
	}
	sha, err := a.Seed("ada/app", "ada", fstest.MapFS{".github/workflows/w.yml": {Data: []byte("on: push\n")}})
	if err != nil {
		t.Fatal(err)
	}
	token, err := a.MintToken(forge.TokenSpec{Login: "ada", Cause: "token:ada"})
	if err != nil {
		t.Fatal(err)
	}
	req := request(t, http.MethodPost, f.URL()+"/api/v3/repos/ada/app/issues")
	req.Header.Set("Authorization", "Bearer "+token)
	req.Body = io.NopCloser(strings.NewReader(`{"title": "<script>alert(1)</script>", "labels": ["bug"]}`))
	if code, body := do(t, req); code != http.StatusCreated {
		t.Fatalf("%d %s", code, body)
	}
	run, err := a.SaveRun(forge.Run{Repo: "ada/app", Workflow: ".github/workflows/w.yml", Name: "W", Event: "push", Actor: "ada",
		Cause: "event:3", HeadSHA: sha, HeadBranch: "main", Status: "in_progress"})
	if err != nil {
		t.Fatal(err)
	}
	job, err := a.SaveJob(forge.Job{RunID: run.ID, Key: "j", Name: "the job", Status: "in_progress"})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.AppendLog(job.ID, []byte("said <b> and "+secret+"\n")); err != nil {
		t.Fatal(err)
	}
	return f
}

func request(t *testing.T, method, url string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

func do(t *testing.T, req *http.Request) (int, string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

func TestPageShowsWhatIsThere(t *testing.T) {
	f := furnished(t)
	before := len(f.Admin().Journal().Entries(0))
	_, top := do(t, request(t, http.MethodGet, f.URL()+page.Root))
	for _, want := range []string{"ada/app", "&lt;script&gt;alert(1)", `<span class="label">bug</span>`, `id="run-1"`, "the job",
		`href="log/1"`, `<a href="#event-3">event:3</a>`, `id="event-3"`, "token:ada", `http-equiv="refresh"`, "issues.opened"} {
		if !strings.Contains(top, want) {
			t.Errorf("the page does not contain %s:\n%s", want, top)
		}
	}
	if strings.Contains(top, `href="#token`) {
		t.Error("a token's cause leads somewhere")
	}
	_, log := do(t, request(t, http.MethodGet, f.URL()+page.Root+"log/1"))
	if !strings.Contains(log, "said &lt;b&gt; and [hidden]") || strings.Contains(log, secret) {
		t.Errorf("the log's page:\n%s", log)
	}
	if after := len(f.Admin().Journal().Entries(0)); after != before {
		t.Errorf("looking made %d journal entries", after-before)
	}
}

func TestPageIsStillWhenNothingRuns(t *testing.T) {
	f := furnished(t)
	run := f.Admin().Overview()[0].Runs[0].Run
	run.Status, run.Conclusion = "completed", "failure"
	if _, err := f.Admin().SaveRun(run); err != nil {
		t.Fatal(err)
	}
	_, top := do(t, request(t, http.MethodGet, f.URL()+page.Root))
	if strings.Contains(top, "refresh") || !strings.Contains(top, `class="bad">failure`) {
		t.Errorf("the page of a forge at rest:\n%s", top)
	}
}

func TestPageOnlyReadsAndIsLocal(t *testing.T) {
	f := furnished(t)
	foreign := request(t, http.MethodGet, f.URL()+page.Root)
	foreign.Host = "example.com"
	for name, tt := range map[string]struct {
		req  *http.Request
		want int
	}{
		"post":           {request(t, http.MethodPost, f.URL()+page.Root), http.StatusMethodNotAllowed},
		"delete a log":   {request(t, http.MethodDelete, f.URL()+page.Root+"log/1"), http.StatusMethodNotAllowed},
		"no such page":   {request(t, http.MethodGet, f.URL()+page.Root+"nowhere"), http.StatusNotFound},
		"no such job":    {request(t, http.MethodGet, f.URL()+page.Root+"log/9"), http.StatusNotFound},
		"no number":      {request(t, http.MethodGet, f.URL()+page.Root+"log/x"), http.StatusNotFound},
		"a foreign name": {foreign, http.StatusForbidden},
	} {
		if code, body := do(t, tt.req); code != tt.want {
			t.Errorf("%s: got %d %s, want %d", name, code, body, tt.want)
		}
	}
}
