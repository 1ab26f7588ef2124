package jira_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/driver/jira"
	"github.com/understudy-dev/understudy/emulator/tracker"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open starts a tracker and a client of it, with an administrator and dana.
func open(t *testing.T) (*jira.Tracker, *tracker.Server) {
	t.Helper()
	srv, err := tracker.New(tracker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]jira.Credential{}
	for name, admin := range map[string]bool{"": true, "dana": false} {
		id := name
		if id == "" {
			id = "boss"
		}
		if err := srv.Admin().AddAccount(tracker.Account{ID: id, Admin: admin}); err != nil {
			t.Fatal(err)
		}
		token, err := srv.Admin().MintToken(tracker.TokenSpec{Account: id})
		if err != nil {
			t.Fatal(err)
		}
		known[name] = jira.Credential{Email: id + "@example.test", Token: token, AccountID: id}
	}
	c := jira.New(jira.Options{URL: srv.URL() + "/", Number: srv.Admin().NextIssue, Credential: func(account string) (jira.Credential, error) {
		if who, ok := known[account]; ok {
			return who, nil
		}
		return jira.Credential{}, driver.ErrUnknownActor
	}})
	t.Cleanup(func() {
		c.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := srv.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return c, srv
}

func TestTickets(t *testing.T) {
	c, _ := open(t)
	s, err := c.As(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(
		s.Projects.Create(t.Context(), "APP"), s.Projects.Create(t.Context(), "APP"),
		s.Tickets.Open(t.Context(), driver.Ticket{Key: "APP-12", Summary: "x", Labels: []string{"b", "a"}}),
		s.Tickets.Edit(t.Context(), "APP-12", driver.TicketEdit{Summary: "y", AddLabels: []string{"c"}, RemoveLabels: []string{"a"}}),
		s.Tickets.Comment(t.Context(), "APP-12", "hello\n\nthere"),
	); err != nil {
		t.Fatal(err)
	}
	got, err := s.Tickets.Get(t.Context(), "APP-12")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(driver.Ticket{Key: "APP-12", Summary: "y", Labels: []string{"b", "c"}}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := s.Tickets.Get(t.Context(), "APP-13"); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("an issue that is not there: %v", err)
	}
	for _, key := range []string{"APP", "APP-", "APP-0", "APP-012", "-1"} {
		if err := s.Tickets.Open(t.Context(), driver.Ticket{Key: key, Summary: "x"}); err == nil {
			t.Errorf("an issue was opened as %q", key)
		}
	}
	if err := s.Tickets.Open(t.Context(), driver.Ticket{Key: "APP-12", Summary: "x"}); err == nil {
		t.Error("a key was given away twice")
	}
}

// TestRoles: what is there already stays, and only an administrator may.
func TestRoles(t *testing.T) {
	c, srv := open(t)
	s, err := c.As(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(
		s.Projects.Create(t.Context(), "APP"), s.Projects.Join(t.Context(), "devs", "dana"), s.Projects.Join(t.Context(), "devs", "dana"),
		srv.Admin().SetPrivate("APP"), s.Tickets.Open(t.Context(), driver.Ticket{Key: "APP-1", Summary: "x"}),
	); err != nil {
		t.Fatal(err)
	}
	dana, err := c.As(t.Context(), "dana")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dana.Tickets.Get(t.Context(), "APP-1"); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("without a role: %v", err)
	}
	if err := dana.Projects.Back(t.Context(), "APP", "Developers", "devs"); !errors.Is(err, driver.ErrDenied) {
		t.Errorf("somebody gave himself a role: %v", err)
	}
	for range 2 {
		if err := s.Projects.Back(t.Context(), "APP", "Developers", "devs"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := dana.Tickets.Get(t.Context(), "APP-1"); err != nil {
		t.Errorf("with a role by his group: %v", err)
	}
	if _, err := c.As(t.Context(), "nobody"); !errors.Is(err, driver.ErrUnknownActor) {
		t.Errorf("an account that there is not: %v", err)
	}
}
