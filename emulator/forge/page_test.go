package forge_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// listed returns the elements of a list, which may stand under a name beside its length.
func (r reply) listed() (all []json.RawMessage, total int) {
	r.t.Helper()
	if json.Unmarshal(r.body, &all) == nil {
		return all, -1
	}
	var named map[string]json.RawMessage
	must(r.t, json.Unmarshal(r.body, &named))
	if total = -1; named["total_count"] != nil {
		must(r.t, json.Unmarshal(named["total_count"], &total))
	}
	for name, value := range named {
		if name != "total_count" && name != "repository_selection" {
			must(r.t, json.Unmarshal(value, &all))
		}
	}
	return all, total
}

// links returns the addresses of a Link header by what they are to the page.
func (r reply) links() map[string]string {
	out := map[string]string{}
	for _, m := range regexp.MustCompile(`<([^>]*)>; rel="([a-z]+)"`).FindAllStringSubmatch(r.header.Get("Link"), -1) {
		out[m[2]] = m[1]
	}
	return out
}

// TestEveryListHasPages walks all lists by their links.
func TestEveryListHasPages(t *testing.T) {
	w, names := newFull(t, forge.Options{})
	reads, _ := visits(t, names)
	lists := 0
	for _, v := range reads {
		if !v.route.List {
			continue
		}
		lists++
		t.Run(strings.TrimPrefix(v.path, "/"), func(t *testing.T) {
			whole := v.by(w.ada).want(200, "GET", v.path+"?per_page=100", nil)
			all, total := whole.listed()
			if len(all) < 3 {
				t.Fatalf("walk_test.go: newFull makes %d elements, want 3: %s", len(all), whole.body)
			}
			if total != -1 && total != len(all) || len(whole.links()) > 0 {
				t.Errorf("%d of %d elements on one page, Link: %s", len(all), total, whole.header.Get("Link"))
			}
			checkWalk(t, v.by(w.ada), v.path, all)
			for _, same := range []string{"", "?per_page=1000", "?per_page=0", "?per_page=x", "?per_page=-1&page=0", "?page=x"} {
				if got, _ := v.by(w.ada).want(200, "GET", v.path+same, nil).listed(); !cmp.Equal(got, all) {
					t.Errorf("%s has %d elements, want %d", same, len(got), len(all))
				}
			}
			past := v.by(w.ada).want(200, "GET", v.path+"?per_page=2&page=99", nil)
			if got, _ := past.listed(); len(got) > 0 || past.links()["next"] != "" || past.links()["first"] == "" {
				t.Errorf("past the end: %s, %s", past.header.Get("Link"), past.body)
			}
		})
	}
	if lists < 15 {
		t.Errorf("%d lists", lists)
	}
}

// checkWalk goes from page to page of two, to the end and back.
func checkWalk(t *testing.T, a actor, path string, all []json.RawMessage) {
	t.Helper()
	var got []json.RawMessage
	first := a.want(200, "GET", path+"?per_page=2", nil)
	last, pages := first, 1
	for r := first; ; pages++ {
		part, _ := r.listed()
		got = append(got, part...)
		last = r
		l := r.links()
		if (l["prev"] == "") != (pages == 1) || (l["first"] == "") != (pages == 1) || (l["last"] == "") != (l["next"] == "") {
			t.Errorf("page %d: Link: %s", pages, r.header.Get("Link"))
		}
		if l["next"] == "" {
			break
		}
		if pages > len(all) {
			t.Fatal("the list does not end")
		}
		r = a.want(200, "GET", l["next"], nil)
	}
	if d := cmp.Diff(all, got); d != "" {
		t.Errorf("pages are not the list (-want +got):\n%s", d)
	}
	if string(a.want(200, "GET", first.links()["last"], nil).body) != string(last.body) {
		t.Error("last is not the last page")
	}
	if string(a.want(200, "GET", last.links()["first"], nil).body) != string(first.body) {
		t.Error("first is not the first page")
	}
}
