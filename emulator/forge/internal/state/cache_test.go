package state_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
)

// When the entries of a repository become too large, those that were not used for longest go, loudly.
func TestCachesAreEvicted(t *testing.T) {
	o, err := options(nil)
	try(t, err)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	o.Now = func() time.Time { at = at.Add(time.Second); return at }
	w := world{state.New(o), o.Journal}
	try(t, w.AddUser("ada", "Ada L.", false))
	try(t, w.AddOrg("acme", []string{"ada"}))
	ada := w.identity(t, state.TokenSpec{Login: "ada", Kit: true, Quiet: true, Name: "ada"})
	_, err = w.CreateRepo(ada, "acme", state.NewRepo{Name: "app"}, func(int64) error { return nil })
	try(t, err)
	add := func(key string, size int64) ([]int64, error) {
		c := state.Cache{Repo: "acme/app", Ref: "refs/heads/main", Key: key, Version: "v", Size: size}
		id, err := w.ClaimCache(c)
		try(t, err)
		c.ID = id
		_, gone, err := w.AddCache(c, 10)
		return gone, err
	}
	for _, key := range []string{"1", "2"} {
		_, err := add(key, 3)
		try(t, err)
	}
	w.UseCache("acme/app", 1)
	gone, err := add("a", 5)
	if diff := cmp.Diff([]int64{2}, gone); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if gone, err := add("b", 10); err != nil || len(gone) != 2 {
		t.Errorf("gone %v, %v", gone, err)
	}
	if _, err := add("c", 11); err == nil {
		t.Error("an entry that is larger than all may be was taken")
	}
	if list := w.RepoCaches("acme/app"); len(list) != 1 || list[0].Key != "b" {
		t.Errorf("%+v", list)
	}
	evicted := 0
	for _, e := range w.journal.Entries(0) {
		if e.Type == "cache.evicted" && e.Detail["message"] == "the caches of a repository have 10 bytes here at most" {
			evicted++
		}
	}
	if evicted != 3 {
		t.Errorf("the journal names %d evictions", evicted)
	}
}
