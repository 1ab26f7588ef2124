package oracletest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-github/v88/github"

	"github.com/understudy-dev/understudy/environment/place"
)

// TestArtifactClients lets the official clients of artifacts do all they can, as jobs of a real run, and
// then again from a second run, which looks at the first one's. ARTIFACT_CLIENTS names a directory with a
// node_modules for each version.
func TestArtifactClients(t *testing.T) {
	clients, err := filepath.Glob(filepath.Join(os.Getenv("ARTIFACT_CLIENTS"), "*", "node_modules"))
	if os.Getenv("ARTIFACT_CLIENTS") == "" {
		t.Skip("skipped: ARTIFACT_CLIENTS is not set, so no official client sent artifacts; .ci/run installs them")
	}
	if err != nil || len(clients) != 2 {
		t.Fatalf("clients: %q, %v", clients, err)
	}
	script, err := filepath.Abs("artifact.mjs")
	check(t, err)
	for _, modules := range clients {
		t.Run(filepath.Base(filepath.Dir(modules)), func(t *testing.T) {
			p := openPlace(t)
			c, err := github.NewClient(github.WithAuthToken(p.Tokens["ada"]), github.WithEnterpriseURLs(p.Forge.URL(), p.Forge.URL()))
			check(t, err)
			_, _, err = c.Repositories.Create(t.Context(), "acme", &github.Repository{Name: github.Ptr("app"), AutoInit: github.Ptr(true)})
			check(t, err)
			at, err := url.Parse(p.Forge.URL())
			check(t, err)
			// The clients refuse hosts that could be an Enterprise Server; *.localhost is none.
			job := fmt.Sprintf(`on: push
permissions: {actions: write, contents: read}
jobs:
  one:
    runs-on: ubuntu-latest
    steps: [{run: 'mkdir d; GITHUB_SERVER_URL=http://forge.localhost:%s node %s %s $PWD/d'}]
    env: {GITHUB_TOKEN: "${{ github.token }}", FIRST_RUN: "${{ github.run_number != 1 && 1 || '' }}"}
`, at.Port(), script, modules)
			for n := range 2 {
				commit(t, c, job, n)
				settle(t, p)
				log := jobLog(t, c, int64(n+1))
				if !strings.Contains(log, "all held with") {
					t.Fatalf("run %d:\n%s", n+1, log)
				}
			}
		})
	}
}

func openPlace(t *testing.T) *place.Place {
	t.Helper()
	dir := t.TempDir()
	out, err := exec.Command("go", "build", "-o", dir+"/", "../../cmd/understudy-job", "../../cmd/understudy-job/understudy-act").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p, err := place.New(place.Options{
		Dir: t.TempDir(), Org: "acme", People: []place.Person{{Name: "ada", Login: "ada", Role: "owner"}},
		JobRunner: filepath.Join(dir, "understudy-job"), Path: os.Getenv("PATH"),
	})
	check(t, err)
	t.Cleanup(func() { check(t, p.Close(context.WithoutCancel(t.Context()))) })
	return p
}

func commit(t *testing.T, c *github.Client, workflow string, n int) {
	t.Helper()
	path, content := ".github/workflows/w.yml", workflow
	if n > 0 {
		path, content = fmt.Sprint(n), "x"
	}
	_, _, err := c.Repositories.CreateFile(t.Context(), "acme", "app", path, &github.RepositoryContentFileOptions{Message: github.Ptr("m"), Content: []byte(content)})
	check(t, err)
}

func settle(t *testing.T, p *place.Place) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	for seq, done := uint64(0), false; !done; {
		var err error
		if seq, done, err = p.Ledger.Wait(ctx, seq); err != nil {
			t.Fatalf("no quiet: %v; open: %q", err, p.Ledger.Pending())
		}
	}
}

// jobLog is the log of the one job of a run.
func jobLog(t *testing.T, c *github.Client, run int64) string {
	t.Helper()
	jobs, _, err := c.Actions.ListWorkflowJobs(t.Context(), "acme", "app", run, nil)
	check(t, err)
	at, _, err := c.Actions.GetWorkflowJobLogs(t.Context(), "acme", "app", jobs.Jobs[0].GetID(), 0)
	check(t, err)
	resp, err := http.Get(at.String())
	check(t, err)
	defer resp.Body.Close()
	log, err := io.ReadAll(resp.Body)
	check(t, err)
	return string(log)
}
