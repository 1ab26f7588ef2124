package forge_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// TestAdvancedTimeStays: a copy, and a forge that is opened anew, are in the time that theirs was in.
func TestAdvancedTimeStays(t *testing.T) {
	dir := t.TempDir()
	f, err := forge.New(forge.Options{Dir: dir, Keep: true})
	if err != nil {
		t.Fatal(err)
	}
	late := time.Now().Add(40 * 24 * time.Hour)
	f.Admin().ScheduleBy(func(_ context.Context, _ []string, from, to time.Time) ([]forge.Due, error) {
		if to.Sub(from) > 1000*time.Hour {
			return nil, errors.New("too much")
		}
		return nil, nil
	})
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := f.Admin().Advance(gone, 50*time.Hour); err == nil || f.Admin().Now().After(time.Now().Add(40*time.Hour)) {
		t.Errorf("nobody waits for it any more, and it is %v: %v", f.Admin().Now(), err)
	}
	if _, err := f.Admin().Advance(t.Context(), 2000*time.Hour); err == nil || f.Admin().Now().After(late) {
		t.Errorf("it is %v: %v", f.Admin().Now(), err)
	}
	if _, err := f.Admin().Advance(t.Context(), 41*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	s, err := f.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for what, o := range map[string]forge.Options{"a copy": {From: s}, "opened anew": {Dir: dir, Keep: true}} {
		again, err := forge.New(o)
		if err != nil {
			t.Fatal(err)
		}
		if now := again.Admin().Now(); now.Before(late) {
			t.Errorf("%s: it is %v", what, now)
		}
		if err := again.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTokensEndByTheAdvancedClock: an installation's token ends after its hour, and what an app signs now is good
// then too.
func TestTokensEndByTheAdvancedClock(t *testing.T) {
	w := newWorld(t)
	a := w.newApp(forge.App{Slug: "triage", Permissions: map[string]string{"issues": "write"}})
	id, err := w.admin.Install("triage", "acme", "acme/app")
	must(t, err)
	old := a.token(id, nil)
	old.want(200, "GET", "/repos/acme/app/issues", nil)
	_, err = w.admin.Advance(t.Context(), 2*time.Hour)
	must(t, err)
	old.want(401, "GET", "/repos/acme/app/issues", nil)
	a.jwt().want(200, "GET", "/app", nil)
	a.token(id, nil).want(200, "GET", "/repos/acme/app/issues", nil)
}
