package github_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/steps/fault"
	"github.com/understudy-dev/understudy/suite/feature"
)

// survived is how the driver is shown to hold under a fault: do returns nil when all came to what it should.
type survived struct {
	fault string
	do    func(ctx context.Context, s driver.Session) error
}

// survivals are those of every fault that there is.
func survivals(t *testing.T, g *ground) map[string]survived {
	all := func(ctx context.Context, s driver.Session) error {
		if err := work(ctx, s); err != nil {
			return err
		}
		if n, err := s.Issues.Comments(ctx, driver.Ref{Repo: app, Number: 1}); err != nil || len(n) != 1 {
			return fmt.Errorf("comments %v, %w", n, err)
		}
		return nil
	}
	return map[string]survived{
		"delivery.late":      {"delivery.late=times:always", g.hooked(t, all)},
		"delivery.twice":     {"delivery.twice=times:always", g.hooked(t, all)},
		"delivery.reordered": {"delivery.reordered=times:always", g.hooked(t, all)},
		"delivery.dropped":   {"delivery.dropped=times:always", g.hooked(t, all)},
		"delivery.unindexed": {"delivery.unindexed", func(ctx context.Context, s driver.Session) error {
			_, err := s.Files.Commit(ctx, app, driver.NewCommit{Message: "m", Files: []driver.NewFile{{Path: ".github/workflows/ci.yml", Content: []byte("on: push\njobs: {}\n")}}})
			return errors.Join(err, g.request("GET", "/repos/acme/app/actions/workflows", "", http.StatusOK))
		}},
		"api.5xx":        {"api.5xx=times:3@POST /**", all},
		"api.rate-limit": {"api.rate-limit=times:3@POST /**", all},
		"api.cut":        {"api.cut=after,times:3@POST /**", all},
		"api.slow":       {"api.slow=times:always", all},
		"git.5xx":        {"git.5xx=times:always", g.beside(all)},
		"git.cut":        {"git.cut=times:always", g.beside(all)},
		"read.stale": {"read.stale=times:2@GET /repos/*/*/git/ref/**", func(ctx context.Context, s driver.Session) error {
			for _, name := range []string{"one", "two", "three"} {
				if _, err := s.Files.Commit(ctx, app, driver.NewCommit{Message: name, Files: []driver.NewFile{{Path: name, Content: []byte(name)}}}); err != nil {
					return err
				}
			}
			for _, name := range []string{"one", "two", "three"} {
				if _, err := s.Files.Read(ctx, app, "", name); err != nil {
					return err
				}
			}
			return nil
		}},
		"name.taken": {"name.taken=times:3", func(ctx context.Context, s driver.Session) error {
			in := driver.NewRepo{Repo: driver.Repo{Owner: "acme", Name: "two"}}
			return errors.Join(s.Repos.Create(ctx, in), s.Repos.Delete(ctx, in.Repo), s.Repos.Create(ctx, in))
		}},
		"permission.lag": {"permission.lag=times:3", func(ctx context.Context, s driver.Session) error {
			if err := g.admin.AddUser(forge.User{Login: "bob"}); err != nil {
				return err
			}
			for _, role := range []string{"triage", "admin", "read", "none"} {
				if err := s.Members.SetRole(ctx, app, "bob", role); err != nil {
					return err
				}
				if is, err := s.Members.Role(ctx, app, "bob"); err != nil || is != role && role != "none" {
					return fmt.Errorf("%s is seen as %s, %w", role, is, err)
				}
			}
			return nil
		}},
		"fork.lag": {"fork.lag=times:3", func(ctx context.Context, s driver.Session) error {
			fork, err := s.Repos.Fork(ctx, driver.NewFork{Of: app, Owner: "acme", Name: "copy"})
			if err != nil {
				return err
			}
			_, err = s.Files.Commit(ctx, fork, driver.NewCommit{Branch: "x", New: true, Message: "m", Files: []driver.NewFile{{Path: "f", Content: []byte("1")}}})
			return err
		}},
		"autoinit.lag": {"autoinit.lag=times:3", func(ctx context.Context, s driver.Session) error {
			two := driver.Repo{Owner: "acme", Name: "two"}
			if err := s.Repos.Create(ctx, driver.NewRepo{Repo: two, AutoInit: true}); err != nil {
				return err
			}
			_, err := s.Files.Commit(ctx, two, driver.NewCommit{Message: "m", Files: []driver.NewFile{{Path: "f", Content: []byte("1")}}})
			return err
		}},
		"org.private": {"org.private", func(ctx context.Context, s driver.Session) error {
			two := driver.Repo{Owner: "acme", Name: "two"}
			if err := s.Repos.Create(ctx, driver.NewRepo{Repo: two, AutoInit: true}); err != nil {
				return err
			}
			if is, err := s.Repos.Get(ctx, two); err != nil || !is.Private {
				return fmt.Errorf("the driver tells %+v, %w", is, err)
			}
			_, err := s.Files.Commit(ctx, two, driver.NewCommit{Message: "m", Files: []driver.NewFile{{Path: "f", Content: []byte("1")}}})
			return err
		}},
	}
}

// TestEveryFault: each fault of the catalogue is survived by this driver, and has a scenario by which a naive client
// is caught: a seeded defect of examples/faults. A new fault without both fails here.
func TestEveryFault(t *testing.T) {
	naive := naiveScenarios(t)
	var names []string
	for _, kind := range forge.Faults() {
		names = append(names, kind.Name)
		t.Run(kind.Name, func(t *testing.T) {
			if len(naive[kind.Name]) == 0 {
				t.Errorf("no defect of examples/faults/defects.txt is caught by a scenario under it")
			}
			g := newGround(t)
			one, ok := survivals(t, g)[kind.Name]
			if !ok {
				t.Fatal("nothing shows that the driver survives it")
			}
			f, err := forge.ParseFault(one.fault)
			if err != nil || f.Name != kind.Name {
				t.Fatalf("%s: %v", one.fault, err)
			}
			if _, err := g.admin.Inject(f); err != nil {
				t.Fatal(err)
			}
			if err := one.do(t.Context(), g.session); err != nil {
				t.Error(err)
			}
			struck := false
			for _, e := range g.admin.Journal().Entries(0) {
				struck = struck || e.Type == "fault.struck" && e.Detail["fault"] == kind.Name
			}
			if !struck {
				t.Errorf("%s never struck", one.fault)
			}
		})
	}
	for name := range survivals(t, newGround(t)) {
		if !slices.Contains(names, name) {
			t.Errorf("%s is survived and there is no such fault", name)
		}
	}
	for name := range maps.Keys(naive) {
		if !slices.Contains(names, name) {
			t.Errorf("%s has a scenario and there is no such fault", name)
		}
	}
}

// naiveScenarios are the seeded defects of examples/faults by the faults of the scenarios that must catch them.
func naiveScenarios(t *testing.T) map[string][]string {
	t.Helper()
	dir := "../../examples/faults"
	list, err := os.Open(filepath.Join(dir, "defects.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	by := map[string]string{} // place → defect
	for lines := bufio.NewScanner(list); lines.Scan(); {
		if words := strings.Fields(lines.Text()); len(words) == 2 && words[0] != "#" {
			by[words[1]] = words[0]
		}
	}
	files, err := feature.Load(os.DirFS(filepath.Join(dir, "features")), []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, file := range files {
		for _, sc := range file.Scenarios {
			for _, step := range sc.Steps {
				asked, asks := fault.Asked(step.Text)
				if !asks || by[sc.ID] == "" {
					continue
				}
				f, err := forge.ParseFault(asked)
				if err != nil {
					t.Fatal(err)
				}
				out[f.Name] = append(out[f.Name], by[sc.ID])
			}
		}
	}
	return out
}

// request makes one that the driver has no method for.
func (g *ground) request(method, path, body string, want int) error {
	req, err := http.NewRequest(method, g.url+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+g.token)
	resp, err := g.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != want {
		return fmt.Errorf("%s %s: %d %s, %w", method, path, resp.StatusCode, text, err)
	}
	return nil
}

// hooked does it while somebody is told of everything.
func (g *ground) hooked(t *testing.T, do func(context.Context, driver.Session) error) func(context.Context, driver.Session) error {
	return func(ctx context.Context, s driver.Session) error {
		receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		t.Cleanup(receiver.Close)
		body := fmt.Sprintf(`{"events": ["*"], "config": {"url": %q, "content_type": "json"}}`, receiver.URL)
		if err := g.request("POST", "/repos/acme/app/hooks", body, http.StatusCreated); err != nil {
			return err
		}
		return do(ctx, s)
	}
}

// beside does it where git itself is refused: the driver makes commits without it.
func (g *ground) beside(do func(context.Context, driver.Session) error) func(context.Context, driver.Session) error {
	return func(ctx context.Context, s driver.Session) error {
		git := exec.CommandContext(ctx, "git", "ls-remote", g.url+"/acme/app.git")
		git.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_TERMINAL_PROMPT=0")
		if out, err := git.CombinedOutput(); err == nil {
			return fmt.Errorf("git is not struck: %s", out)
		}
		return do(ctx, s)
	}
}
