package forge_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// faulty returns a world whose forge has faults from the start, with a receiver of issues and labels.
func faulty(t *testing.T, faults ...string) (w *world, hook string, got *receiver) {
	t.Helper()
	var o forge.Options
	for _, text := range faults {
		f, err := forge.ParseFault(text)
		must(t, err)
		o.Faults = append(o.Faults, f)
	}
	w = newForgeIn(t, o)
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "auto_init": true})
	got = receive(t, nil)
	hook = w.ada.hook(got.URL, nil, "issues", "label")
	w.quiet() // it was pinged
	return w, hook, got
}

// label makes labels, each of which is an event.
func (w *world) label(names ...string) {
	for _, name := range names {
		w.ada.want(201, "POST", "/repos/acme/app/labels", map[string]any{"name": name})
	}
}

// labels are the labels of the events that came, with the first letters of their delivery's GUID where one came twice.
func (r *receiver) labels(t *testing.T) string {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	var names, ids []string
	for _, g := range r.got {
		if g.header.Get("X-GitHub-Event") != "label" {
			continue
		}
		_, rest, _ := strings.Cut(string(g.body), `"name":"`)
		name, _, _ := strings.Cut(rest, `"`)
		if id := g.header.Get("X-GitHub-Delivery"); slices.Contains(ids, id) {
			name += "+"
		} else {
			ids = append(ids, id)
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

func TestFaultsOfWebhooks(t *testing.T) {
	for faults, want := range map[string]string{
		"":                                                   "a b c",
		"delivery.late@label.created":                        "b c a",
		"delivery.late=1@label":                              "b a c",
		"delivery.twice@label":                               "a a+ b c",
		"delivery.twice=late@label":                          "a b c a+",
		"delivery.twice=from:2@label":                        "a b b+ c",
		"delivery.twice=to:workflows@label":                  "a b c",
		"delivery.late=times:always@issues":                  "a b c",
		"delivery.late=times:2@label":                        "c a b",
		"delivery.late=1@label delivery.late=1,from:2@label": "b a c",
	} {
		t.Run(faults, func(t *testing.T) {
			w, hook, got := faulty(t, strings.Fields(faults)...)
			w.label("a", "b", "c")
			w.quiet()
			if came := got.labels(t); came != want {
				t.Errorf("came %q, want %q", came, want)
			}
			n := len(strings.Fields(want)) + 1
			var ids []string
			for i := range w.ada.want(200, "GET", hook+"/deliveries", nil).names("", "guid") {
				ids = append(ids, fmt.Sprint(w.ada.want(200, "GET", hook+"/deliveries", nil).at(fmt.Sprint(i, ".id"))))
			}
			if len(ids) != n || len(slices.Compact(slices.Sorted(slices.Values(ids)))) != n {
				t.Errorf("%d deliveries are listed as %v", n, ids)
			}
			for _, id := range ids {
				w.ada.want(200, "GET", hook+"/deliveries/"+id, nil)
			}
		})
	}
}

// TestFaultsAreSwitched: faults come and go while the forge runs, and the journal says which struck what.
func TestFaultsAreSwitched(t *testing.T) {
	w, _, got := faulty(t)
	w.admin.Mark("step:3")
	remove, err := w.admin.Inject(forge.Fault{Name: "delivery.twice", At: "label", Times: forge.Always})
	must(t, err)
	w.label("a")
	remove()
	w.label("b")
	_, err = w.admin.Inject(forge.Fault{Name: "delivery.twice", At: "label"})
	must(t, err)
	w.admin.ClearFaults()
	w.label("c")
	w.quiet()
	if came := got.labels(t); came != "a a+ b c" {
		t.Errorf("came %q", came)
	}
	e := w.lastEntry("fault.struck")
	want := map[string]string{"fault": "delivery.twice", "at": "label.created", "of": "hook 1", "about": "a"}
	if diff := cmp.Diff(want, e.Detail); diff != "" || e.Subject != "delivery.twice=times:always@label" || !strings.HasPrefix(e.Cause, "event:") {
		t.Errorf("%+v (-want +got):\n%s", e, diff)
	}
	if e := w.lastEntry("fault.set"); e.Cause != "step:3" {
		t.Errorf("set: %+v", e)
	}
}

func TestWrongFaultsAreRefused(t *testing.T) {
	if f, err := forge.New(forge.Options{Faults: []forge.Fault{{Name: "delivery.never"}}}); err == nil || !strings.Contains(err.Error(), "there are delivery.late") {
		t.Errorf("%v, %v", f, err)
	}
	w := newForge(t)
	if _, err := w.admin.Inject(forge.Fault{Name: "delivery.late", At: "labels"}); err == nil || !strings.Contains(err.Error(), `"labels" is no event`) {
		t.Error(err)
	}
}
