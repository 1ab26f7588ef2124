package forge_test

import (
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/forge"
)

func TestCaches(t *testing.T) {
	var seconds atomic.Int64
	w := newForgeIn(t, forge.Options{Now: func() time.Time { return time.Unix(seconds.Add(1), 0) }})
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "auto_init": true})
	put := func(key, ref, content string) (forge.Cache, error) {
		return w.admin.PutCache(forge.Cache{JobID: 7, Repo: "acme/app", Ref: ref, Key: key, Version: "v"}, strings.NewReader(content))
	}
	for _, x := range [][3]string{{"linux-go-1", "refs/heads/main", "first"}, {"linux-go-2", "refs/heads/main", "2"}, {"linux-go-1", "refs/heads/fix", "third!"}} {
		_, err := put(x[0], x[1], x[2])
		must(t, err)
	}
	if _, err := put("linux-go-1", "refs/heads/main", "other"); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("an entry was written over: %v", err)
	}
	if e := w.lastEntry("cache.created"); e.Cause != "job:7" || e.Detail["key"] != "linux-go-1" || e.Detail["ref"] != "refs/heads/fix" {
		t.Errorf("%+v", e)
	}
	const caches = "/repos/acme/app/actions/caches"
	all := w.ada.want(200, "GET", caches, nil)
	for at, want := range map[string]any{
		"total_count": 3.0, "actions_caches.0.key": "linux-go-1", "actions_caches.0.ref": "refs/heads/fix",
		"actions_caches.0.size_in_bytes": 6.0, "actions_caches.0.version": "v",
	} {
		all.is(at, want)
	}
	if !w.admin.UseCache("acme/app", 1) || w.admin.UseCache("acme/app", 9) || w.admin.UseCache("acme/none", 1) {
		t.Error("UseCache is wrong about what there is")
	}
	w.ada.want(200, "GET", caches+"?key=linux-go-1&ref=refs/heads/main", nil).is("total_count", 1.0)
	w.ada.want(200, "GET", caches+"?key=linux-go-1&ref=refs/heads/main", nil).is("actions_caches.0.id", 1.0)
	w.ada.want(200, "GET", caches+"?sort=size_in_bytes&direction=asc&per_page=1", nil).is("actions_caches.0.id", 2.0)
	w.ada.want(200, "GET", caches+"?sort=created_at&direction=asc", nil).is("actions_caches.0.id", 1.0)
	w.ada.want(200, "GET", caches+"?sort=last_accessed_at", nil).is("actions_caches.0.id", 1.0)
	w.ada.want(422, "GET", caches+"?sort=name", nil)
	w.ada.want(422, "GET", caches+"?direction=up", nil)
	usage := w.ada.want(200, "GET", "/repos/acme/app/actions/cache/usage", nil)
	usage.is("full_name", "acme/app")
	usage.is("active_caches_size_in_bytes", 12.0)
	usage.is("active_caches_count", 3.0)

	w.ada.want(422, "DELETE", caches, nil)
	w.ada.want(404, "DELETE", caches+"?key=linux-go", nil) // the complete key
	w.ada.want(200, "DELETE", caches+"?key=linux-go-1&ref=refs/heads/fix", nil).is("actions_caches.0.id", 3.0)
	w.ada.want(204, "DELETE", caches+"/2", nil)
	w.ada.want(404, "DELETE", caches+"/2", nil)
	for id, want := range map[int64]string{1: "first", 2: "", 3: ""} {
		got := ""
		if f, err := w.admin.OpenCache(id); err == nil {
			data, err := io.ReadAll(f)
			must(t, err)
			must(t, f.Close())
			got = string(data)
		}
		if got != want {
			t.Errorf("cache %d holds %q, want %q", id, got, want)
		}
	}
	if got := w.admin.Caches("ACME/App"); len(got) != 1 || got[0].Repo != "acme/app" || got[0].Key != "linux-go-1" {
		t.Errorf("%+v", got)
	}
	w.user("cyd", "read").want(403, "DELETE", caches+"/1", nil)
	if _, err := w.admin.PutCache(forge.Cache{Repo: "acme/none", Ref: "r", Key: "k", Version: "v"}, strings.NewReader("x")); err == nil {
		t.Error("a cache of no repository")
	}
}

// An entry that nobody used for a week is gone, and its name is free.
func TestCachesThatNobodyUses(t *testing.T) {
	var days atomic.Int64
	w := newForgeIn(t, forge.Options{Now: func() time.Time { return time.Unix(days.Load()*24*60*60, 0) }})
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "auto_init": true})
	in := forge.Cache{Repo: "acme/app", Ref: "refs/heads/main", Key: "k", Version: "v"}
	old, err := w.admin.PutCache(in, strings.NewReader("old"))
	must(t, err)
	days.Add(6)
	w.admin.UseCache("acme/app", old.ID)
	days.Add(6)
	w.ada.want(200, "GET", "/repos/acme/app/actions/caches", nil).is("total_count", 1.0)
	days.Add(2)
	w.ada.want(200, "GET", "/repos/acme/app/actions/caches", nil).is("total_count", 0.0)
	w.ada.want(200, "GET", "/repos/acme/app/actions/cache/usage", nil).is("active_caches_count", 0.0)
	if list := w.admin.Caches("acme/app"); len(list) != 0 {
		t.Error(list)
	}
	next, err := w.admin.PutCache(in, strings.NewReader("new"))
	must(t, err)
	if _, err := w.admin.OpenCache(old.ID); err == nil {
		t.Error("the bytes of the old entry are still there")
	}
	if e := w.lastEntry("cache.evicted"); e.Detail["message"] != "nobody used it for 7 days" || e.Detail["key"] != "k" {
		t.Errorf("%+v", e)
	}
	if diff := cmp.Diff([]forge.Cache{next}, w.admin.Caches("acme/app")); diff != "" {
		t.Error(diff)
	}
}
