package place_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/driver/github"
	"github.com/understudy-dev/understudy/environment/place"
	"github.com/understudy-dev/understudy/internal/journal"
)

// put writes a file on a branch of acme/app.
func (c client) put(branch, path, text string) {
	c.t.Helper()
	c.do(201, "PUT", "/repos/acme/app/contents/"+path, map[string]any{"message": "m", "branch": branch, "content": base64.StdEncoding.EncodeToString([]byte(text))})
}

// branch makes a branch at main.
func (c client) branch(name string) {
	c.t.Helper()
	var ref struct{ Object struct{ SHA string } }
	if err := json.Unmarshal([]byte(c.do(200, "GET", "/repos/acme/app/git/ref/heads/main", nil)), &ref); err != nil {
		c.t.Fatal(err)
	}
	c.do(201, "POST", "/repos/acme/app/git/refs", map[string]any{"ref": "refs/heads/" + name, "sha": ref.Object.SHA})
}

// ran lists the runs as "event conclusion", oldest first.
func (c client) ran() []string {
	c.t.Helper()
	var v struct {
		Runs []struct{ Event, Conclusion string } `json:"workflow_runs"`
	}
	if err := json.Unmarshal([]byte(c.do(200, "GET", "/repos/acme/app/actions/runs?per_page=100", nil)), &v); err != nil {
		c.t.Fatal(err)
	}
	var out []string
	for _, r := range slices.Backward(v.Runs) {
		out = append(out, r.Event+" "+r.Conclusion)
	}
	return out
}

// TestPullRequestRuns opens a pull request, pushes to it, makes it conflict and merges another: what runs,
// and on which commit, is what GitHub documents.
// https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows#pull_request
func TestPullRequestRuns(t *testing.T) {
	p := open(t)
	c := client{t, p}
	c.do(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "auto_init": true})
	c.workflow("ci.yml", `
on:
  pull_request: {types: [opened, synchronize, labeled], paths: ["*.txt"]}
  pull_request_target: {types: [opened]}
jobs:
  look:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        if: github.event_name == 'pull_request'
      - if: github.event_name == 'pull_request'
        run: |
          test "$GITHUB_REF" = "refs/pull/${{ github.event.number }}/merge"
          test "$(git rev-parse HEAD)" = "$GITHUB_SHA"
          test "$(git log -1 --format=%s)" = "Merge ${{ github.event.pull_request.head.sha }} into ${{ github.event.pull_request.base.sha }}"
          test -e README.md -a -e a.txt
          test "$GITHUB_HEAD_REF $GITHUB_BASE_REF" = "feature main"
      - if: github.event_name == 'pull_request_target'
        run: test "$GITHUB_REF" = refs/heads/main
`)
	c.workflow("closed.yml", `
on: {pull_request: {types: [closed]}}
jobs:
  look: {runs-on: ubuntu-latest, steps: [{run: 'test "$GITHUB_REF" = refs/heads/main && test "$GITHUB_SHA" = ${{ github.event.pull_request.merge_commit_sha }}'}]}
`)
	c.branch("feature")
	c.put("feature", "a.txt", "a\n")
	c.do(201, "POST", "/repos/acme/app/pulls", map[string]any{"title": "A", "head": "feature", "base": "main"})
	quiet(t, p)
	want := []string{"pull_request success", "pull_request_target success"}
	if d := cmp.Diff(want, c.ran()); d != "" {
		t.Errorf("opened (-want +got):\n%s\n%s", d, c.log(p, 1))
	}
	c.put("feature", "b.txt", "b\n")
	quiet(t, p)
	want = append(want, "pull_request success")
	if d := cmp.Diff(want, c.ran()); d != "" {
		t.Errorf("synchronize (-want +got):\n%s", d)
	}

	// The head's commit asks for no runs.
	c.do(201, "PUT", "/repos/acme/app/contents/c.txt", map[string]any{"message": "c [skip ci]", "branch": "feature", "content": "eA=="})
	quiet(t, p)
	if d := cmp.Diff(want, c.ran()); d != "" {
		t.Errorf("skipped (-want +got):\n%s", d)
	}

	// Conflicts: no run on the merge.
	c.put("main", "a.txt", "other\n")
	c.do(200, "GET", "/repos/acme/app/pulls/1", nil)
	c.do(200, "POST", "/repos/acme/app/issues/1/labels", map[string]any{"labels": []string{"bug"}})
	quiet(t, p)
	if d := cmp.Diff(want, c.ran()); d != "" {
		t.Errorf("with conflicts (-want +got):\n%s", d)
	}

	c.branch("second")
	c.put("second", "doc.md", "no text file\n")
	c.do(201, "POST", "/repos/acme/app/pulls", map[string]any{"title": "B", "head": "second", "base": "main"})
	c.do(200, "PUT", "/repos/acme/app/pulls/2/merge", nil)
	quiet(t, p)
	want = append(want, "pull_request_target success", "pull_request success")
	if d := cmp.Diff(want, c.ran()); d != "" {
		t.Errorf("merged (-want +got):\n%s", d)
	}
}

// TestPullRequestOfToken: what a pull request that a job opens with its token starts waits for approval, and
// pull_request_target starts nothing.
// https://docs.github.com/en/actions/concepts/security/github_token#when-github_token-triggers-workflow-runs
func TestPullRequestOfToken(t *testing.T) {
	p := open(t)
	c := client{t, p}
	c.do(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "auto_init": true})
	c.workflow("ci.yml", `
on: [pull_request, pull_request_target]
jobs: {look: {runs-on: ubuntu-latest, steps: [{run: "true"}]}}
`)
	c.workflow("open.yml", `
on: workflow_dispatch
permissions: {pull-requests: write}
jobs:
  open:
    runs-on: ubuntu-latest
    steps:
      - run: |
          curl -fsS -H "Authorization: Bearer ${{ github.token }}" -d '{"title": "Mine", "head": "feature", "base": "main"}' "$GITHUB_API_URL/repos/acme/app/pulls"
`)
	c.do(204, "PUT", "/repos/acme/app/actions/permissions/workflow", map[string]any{"can_approve_pull_request_reviews": true})
	c.branch("feature")
	c.put("feature", "a.txt", "a\n")
	c.do(204, "POST", "/repos/acme/app/actions/workflows/open.yml/dispatches", map[string]any{"ref": "main"})
	quiet(t, p)
	if d := cmp.Diff([]string{"workflow_dispatch success", "pull_request action_required"}, c.ran()); d != "" {
		t.Errorf("runs (-want +got):\n%s\n%s", d, c.log(p, 1))
	}
	c.do(200, "POST", "/repos/acme/app/issues/1/labels", map[string]any{"labels": []string{"bug"}}) // asks for nothing
	c.do(201, "POST", c.newest("pull_request")+"/approve", nil)
	quiet(t, p)
	if d := cmp.Diff([]string{"workflow_dispatch success", "pull_request success"}, c.ran()); d != "" {
		t.Errorf("approved (-want +got):\n%s", d)
	}
	e := entry(t, p, "pull_request.opened")
	if e.Actor != "github-actions[bot]" || e.Cause != "job:1" || e.Detail["starts_runs"] != "no" {
		t.Errorf("opened: %+v", e)
	}
}

// entry is the newest of a type.
func entry(t *testing.T, p *place.Place, typ string) journal.Entry {
	t.Helper()
	for _, e := range slices.Backward(p.Journal.Entries(0)) {
		if e.Type == typ {
			return e
		}
	}
	t.Fatalf("journal has no %s", typ)
	return journal.Entry{}
}

// TestDriverOfPulls goes through the driver's calls against the forge.
func TestDriverOfPulls(t *testing.T) {
	p := open(t)
	c := client{t, p}
	c.do(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "auto_init": true})
	c.branch("feature")
	c.put("feature", "a.txt", "a\n")
	f := github.New(github.Options{APIURL: p.Forge.APIURL(), Tokens: map[string]string{"ada": p.Tokens["ada"]}})
	defer f.Close()
	session, err := f.As("ada")
	if err != nil {
		t.Fatal(err)
	}
	repo := driver.Repo{Owner: "acme", Name: "app"}
	in := driver.NewPull{Title: "A", Body: "Please", Head: "feature", Base: "main"}
	opened, err := session.Pulls.Open(t.Context(), repo, in)
	if err != nil {
		t.Fatal(err)
	}
	want := driver.Pull{Ref: driver.Ref{Repo: repo, Number: 1}, Title: "A", Body: "Please", State: "open", Author: "ada", Labels: []string{},
		Head: "acme:feature", HeadRepo: repo, HeadSHA: opened.HeadSHA, Base: "main", Mergeable: "clean"}
	if d := cmp.Diff(want, opened); d != "" || len(opened.HeadSHA) != 40 {
		t.Errorf("opened (-want +got):\n%s", d)
	}
	if _, err := session.Pulls.Open(t.Context(), repo, in); !errors.Is(err, driver.ErrConflict) {
		t.Errorf("opened twice: %v", err)
	}
	list, err := session.Pulls.List(t.Context(), repo, driver.PullFilter{Head: "acme:feature"})
	if want.Mergeable = ""; err != nil || cmp.Diff([]driver.Pull{want}, list) != "" {
		t.Errorf("list = %+v, %v", list, err)
	}
	if files, err := session.Pulls.Files(t.Context(), want.Ref); err != nil || cmp.Diff([]string{"a.txt"}, files) != "" {
		t.Errorf("files = %v, %v", files, err)
	}
	if _, err := session.Pulls.Merge(t.Context(), want.Ref, driver.MergePull{SHA: "1111111111111111111111111111111111111111"}); !errors.Is(err, driver.ErrConflict) {
		t.Errorf("merge of another head: %v", err)
	}
	sha, err := session.Pulls.Merge(t.Context(), want.Ref, driver.MergePull{Method: "squash", Title: "One"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := session.Pulls.Merge(t.Context(), want.Ref, driver.MergePull{}); !errors.Is(err, driver.ErrConflict) {
		t.Errorf("merged twice: %v", err)
	}
	got, err := session.Pulls.Get(t.Context(), want.Ref)
	if err != nil || !got.Merged || got.MergeCommit != sha || got.State != "closed" {
		t.Errorf("after the merge: %+v, %v", got, err)
	}
}
