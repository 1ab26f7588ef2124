package github_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/driver/github"
	"github.com/understudy-dev/understudy/emulator/forge"
)

// ground is a forge of its own with acme/app, and a session on it whose waits take no time and are noted.
type ground struct {
	session driver.Session
	admin   *forge.Admin
	waits   []time.Duration
	url     string
	token   string
	http    *http.Client
}

func newGround(t *testing.T) *ground {
	t.Helper()
	srv, err := forge.New(forge.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	g := &ground{admin: srv.Admin(), url: srv.URL(), http: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
	for _, do := range []func() error{
		func() error { return g.admin.AddUser(forge.User{Login: "ada"}) },
		func() error { return g.admin.AddOrg("acme", "ada") },
		func() error { g.token, err = g.admin.MintToken(forge.TokenSpec{Login: "ada", Kit: true}); return err },
	} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
	}
	f := github.New(github.Options{APIURL: srv.URL() + "/api/v3", Tokens: map[string]string{"admin": g.token}, Wait: func(_ context.Context, d time.Duration) error {
		g.waits = append(g.waits, d)
		return nil
	}})
	t.Cleanup(f.Close)
	if g.session, err = f.As("admin"); err != nil {
		t.Fatal(err)
	}
	if err := g.session.Repos.Create(t.Context(), driver.NewRepo{Repo: app, AutoInit: true}); err != nil {
		t.Fatal(err)
	}
	return g
}

// survivor is the session of a ground.
func survivor(t *testing.T) (s driver.Session, a *forge.Admin, waits *[]time.Duration) {
	t.Helper()
	g := newGround(t)
	return g.session, g.admin, &g.waits
}

var app = driver.Repo{Owner: "acme", Name: "app"}

// work does everything that makes something, once each.
func work(ctx context.Context, s driver.Session) error {
	one := driver.Ref{Repo: app, Number: 1}
	_, opened := s.Issues.Open(ctx, app, driver.NewIssue{Title: "t", Body: "b"})
	_, said := s.Issues.Comment(ctx, one, "hello")
	_, committed := s.Files.Commit(ctx, app, driver.NewCommit{Branch: "x", New: true, Message: "m", Files: []driver.NewFile{{Path: "f", Content: []byte("1")}}})
	_, asked := s.Pulls.Open(ctx, app, driver.NewPull{Title: "p", Head: "x", Base: "main"})
	return errors.Join(opened, said, committed, asked,
		s.Repos.Create(ctx, driver.NewRepo{Repo: driver.Repo{Owner: "acme", Name: "two"}}),
		s.Labels.Set(ctx, app, driver.Label{Name: "odd", Color: "ff0000"}),
		s.Config.SetVariable(ctx, app, "V", "1"),
		s.Issues.Edit(ctx, one, driver.IssueEdit{AddLabels: []string{"odd"}}),
		s.Issues.Edit(ctx, one, driver.IssueEdit{RemoveLabels: []string{"odd"}}),
		s.Repos.Delete(ctx, driver.Repo{Owner: "acme", Name: "two"}),
	)
}

// TestSurvives: whatever strikes a request, before it was handled or after, everything is made exactly once.
func TestSurvives(t *testing.T) {
	for _, fault := range []string{
		"api.5xx=%@", "api.5xx=when:after,%@", "api.cut=%@", "api.cut=after,%@", "api.cut=body,%@",
		"api.rate-limit=%@", "api.rate-limit=secondary,status:429,%@",
	} {
		for _, which := range []string{
			"times:3@POST", "from:2@POST", "from:3@POST", "from:4@POST", "from:5@POST", "from:6@POST", "from:7@POST", "from:8@POST", "from:9@POST", "from:10@POST",
			"times:3@GET", "times:3@PATCH", "times:3@DELETE", "from:2@DELETE",
		} {
			text := strings.Replace(fault, "%@", which, 1) + " /**"
			t.Run(text, func(t *testing.T) {
				s, a, _ := survivor(t)
				f, err := forge.ParseFault(text)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := a.Inject(f); err != nil {
					t.Fatal(err)
				}
				if err := work(t.Context(), s); err != nil {
					t.Fatal(err)
				}
				a.ClearFaults()
				once(t, s)
			})
		}
	}
}

// TestWhatIsDoneOnce: a merge, a fork and a review whose answers are lost are done, once.
func TestWhatIsDoneOnce(t *testing.T) {
	for _, text := range []string{"api.5xx", "api.5xx=when:after", "api.cut=after", "api.cut=body"} {
		t.Run(text, func(t *testing.T) {
			s, a, _ := survivor(t)
			if err := work(t.Context(), s); err != nil {
				t.Fatal(err)
			}
			for _, at := range []string{"PUT /repos/*/*/pulls/*/merge", "POST /repos/*/*/forks", "POST /repos/*/*/pulls/*/reviews"} {
				f, err := forge.ParseFault(text + "@" + at)
				if err == nil {
					_, err = a.Inject(f)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			pull := driver.Ref{Repo: app, Number: 2}
			_, before := s.Reviews.Submit(t.Context(), pull, driver.NewReview{Says: driver.ReviewComment, Body: "another"})
			r, said := s.Reviews.Submit(t.Context(), pull, driver.NewReview{Says: driver.ReviewComment, Body: "seen"})
			sha, merged := s.Pulls.Merge(t.Context(), pull, driver.MergePull{})
			fork, forked := s.Repos.Fork(t.Context(), driver.NewFork{Of: app, Owner: "acme", Name: "copy"})
			if err := errors.Join(before, said, merged, forked); err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, e := range a.Journal().Entries(0) {
				if e.Type == "fault.struck" {
					n++
				}
			}
			p, err := s.Pulls.Get(t.Context(), pull)
			if err != nil || !p.Merged || p.MergeCommit != sha || fork.Name != "copy" || n != 3 {
				t.Errorf("%s, %+v, fork %s, %d faults struck, %v", sha, p, fork, n, err)
			}
			if all, err := s.Reviews.List(t.Context(), pull); err != nil || len(all) != 2 || all[1] != r || r.Body != "seen" {
				t.Errorf("reviews %+v, %+v, %v", all, r, err)
			}
		})
	}
}

// once fails unless there is one of everything.
func once(t *testing.T, s driver.Session) {
	t.Helper()
	one, err := s.Issues.Get(t.Context(), driver.Ref{Repo: app, Number: 1})
	if err != nil || one.Title != "t" || len(one.Labels) != 0 {
		t.Errorf("%+v, %v", one, err)
	}
	if all, err := s.Issues.Comments(t.Context(), one.Ref); err != nil || len(all) != 1 {
		t.Errorf("comments %+v, %v", all, err)
	}
	if p, err := s.Pulls.Get(t.Context(), driver.Ref{Repo: app, Number: 2}); err != nil || p.Title != "p" {
		t.Errorf("the pull request is not the second thing that was opened: %+v, %v", p, err)
	}
	if _, err := s.Issues.Get(t.Context(), driver.Ref{Repo: app, Number: 3}); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("something was opened twice: %v", err)
	}
}

// TestDoesNotWaitForHours: who is told to come again after longer than a request is pursued is told so.
func TestDoesNotWaitForHours(t *testing.T) {
	for after, want := range map[string]string{"3600": "come again in 1h0m0s", "9223372036854775807": "come again in 2562047h"} {
		tries := 0
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			tries++
			w.Header().Set("Retry-After", after)
			w.WriteHeader(http.StatusTooManyRequests)
		}))
		defer srv.Close()
		f := github.New(github.Options{APIURL: srv.URL, Tokens: map[string]string{"admin": "t"}, Wait: func(context.Context, time.Duration) error {
			t.Errorf("retry-after %s is waited for", after)
			return nil
		}})
		defer f.Close()
		s, err := f.As("admin")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Repos.Get(t.Context(), app); err == nil || !strings.Contains(err.Error(), want) || tries != 1 {
			t.Errorf("retry-after %s: %d tries, %v", after, tries, err)
		}
	}
}

// TestGivesUp: tries and waits have an end, and a request that may not be made twice is not.
func TestGivesUp(t *testing.T) {
	s, a, waits := survivor(t)
	must := func(text string) {
		t.Helper()
		a.ClearFaults()
		f, err := forge.ParseFault(text)
		if err == nil {
			_, err = a.Inject(f)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	must("api.5xx=times:always")
	_, err := s.Repos.Get(t.Context(), app)
	var status *github.StatusError
	if !errors.As(err, &status) || status.Status != http.StatusBadGateway {
		t.Errorf("%v", err)
	}
	n := 0
	for _, e := range a.Journal().Entries(0) {
		if e.Detail["fault"] == "api.5xx" && e.Type == "request" {
			n++
		}
	}
	if n != 4 || len(*waits) > 0 {
		t.Errorf("%d tries, waited %v", n, *waits)
	}
	must("api.rate-limit=wait:60,times:2")
	if _, err := s.Repos.Get(t.Context(), app); err != nil || len(*waits) != 2 || (*waits)[0] < 50*time.Second || (*waits)[0] > 65*time.Second {
		t.Errorf("%v, waited %v", err, *waits)
	}
	a.ClearFaults()
	if err := s.Repos.Delete(t.Context(), driver.Repo{Owner: "acme", Name: "none"}); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("what was not there is deleted: %v", err)
	}
	*waits = nil
	must("api.rate-limit=secondary,wait:1")
	if _, err := s.Repos.Get(t.Context(), app); err != nil || len(*waits) != 1 || (*waits)[0] != time.Second {
		t.Errorf("%v, waited %v", err, *waits)
	}
}
