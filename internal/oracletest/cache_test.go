package oracletest_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-github/v88/github"
)

// TestCacheClients lets the official clients of caches save and restore as jobs of a real run, looks at what
// they left with go-github, and lets a second run restore it. CACHE_CLIENTS names a directory with a
// node_modules for each version.
func TestCacheClients(t *testing.T) {
	clients, err := filepath.Glob(filepath.Join(os.Getenv("CACHE_CLIENTS"), "*", "node_modules"))
	if os.Getenv("CACHE_CLIENTS") == "" {
		t.Skip("skipped: CACHE_CLIENTS is not set, so no official client kept caches; .ci/run installs them")
	}
	if err != nil || len(clients) != 3 {
		t.Fatalf("clients: %q, %v", clients, err)
	}
	script, err := filepath.Abs("cache.mjs")
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
			// The clients ask Enterprise Servers for version 1; *.localhost is none.
			job := fmt.Sprintf(`on: push
jobs:
  one:
    runs-on: ubuntu-latest
    steps: [{run: 'GITHUB_SERVER_URL=http://forge.localhost:%s node %s %s d'}]
`, at.Port(), script, modules)
			for n, want := range []string{"all held with", "restored from the run before"} {
				commit(t, c, job, n)
				settle(t, p)
				if log := jobLog(t, c, int64(n+1)); !strings.Contains(log, want) {
					t.Fatalf("run %d:\n%s", n+1, log)
				}
			}
			lookAtCaches(t, c)
		})
	}
}

// TestCachesOverREST does with go-github what it can do with caches.
func TestCachesOverREST(t *testing.T) {
	p := openPlace(t)
	c, err := github.NewClient(github.WithAuthToken(p.Tokens["ada"]), github.WithEnterpriseURLs(p.Forge.URL(), p.Forge.URL()))
	check(t, err)
	_, _, err = c.Repositories.Create(t.Context(), "acme", &github.Repository{Name: github.Ptr("app"), AutoInit: github.Ptr(true)})
	check(t, err)
	commit(t, c, `on: push
jobs:
  one:
    runs-on: ubuntu-latest
    steps:
      - run: echo 1 > f
      - {uses: actions/cache/save@v4, with: {path: f, key: large-1}}
      - {uses: actions/cache/save@v4, with: {path: f, key: large-3}}
`, 0)
	settle(t, p)
	lookAtCaches(t, c)
}

// lookAtCaches expects the entries large-1 and large-3 of the branch main, and deletes them.
func lookAtCaches(t *testing.T, c *github.Client) {
	t.Helper()
	list, _, err := c.Actions.ListCaches(t.Context(), "acme", "app", &github.ActionsCacheListOptions{
		Key: github.Ptr("large-"), Ref: github.Ptr("refs/heads/main"), Sort: github.Ptr("created_at"), Direction: github.Ptr("asc"),
	})
	check(t, err)
	if list.TotalCount != 2 || list.ActionsCaches[0].GetKey() != "large-1" || list.ActionsCaches[1].GetKey() != "large-3" {
		t.Fatalf("caches: %+v", list)
	}
	one := list.ActionsCaches[0]
	if one.GetSizeInBytes() == 0 || one.GetVersion() == "" || one.GetRef() != "refs/heads/main" || one.GetCreatedAt().IsZero() || one.GetLastAccessedAt().IsZero() {
		t.Errorf("%+v", one)
	}
	usage, _, err := c.Actions.GetCacheUsageForRepo(t.Context(), "acme", "app")
	check(t, err)
	if usage.ActiveCachesCount != 2 || usage.ActiveCachesSizeInBytes != one.GetSizeInBytes()+list.ActionsCaches[1].GetSizeInBytes() {
		t.Errorf("usage: %+v", usage)
	}
	_, err = c.Actions.DeleteCachesByID(t.Context(), "acme", "app", one.GetID())
	check(t, err)
	_, err = c.Actions.DeleteCachesByKey(t.Context(), "acme", "app", "large-3", nil)
	check(t, err)
	list, _, err = c.Actions.ListCaches(t.Context(), "acme", "app", nil)
	check(t, err)
	if list.TotalCount != 0 {
		t.Errorf("left: %+v", list)
	}
}
