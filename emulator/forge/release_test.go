package forge_test

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/emulator/forge"
)

const releases = "/repos/acme/app/releases"

// upload sends the bytes of a release's file to the address that the release names.
func (a actor) upload(release reply, name, kind string, content []byte) reply {
	a.w.t.Helper()
	to, _, _ := strings.Cut(release.at("upload_url").(string), "{")
	u, err := url.Parse(to)
	must(a.w.t, err)
	req, err := http.NewRequest("POST", a.w.forge.URL()+u.Path+"?name="+name, bytes.NewReader(content))
	must(a.w.t, err)
	req.Host = u.Host
	req.Header.Set("Authorization", "Bearer "+a.token)
	req.Header.Set("Content-Type", kind)
	res, err := a.w.http.Do(req)
	must(a.w.t, err)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	must(a.w.t, err)
	return reply{a.w.t, res.StatusCode, res.Header, data}
}

func TestRelease(t *testing.T) {
	w := newWorld(t)
	head := w.ada.want(200, "GET", "/repos/acme/app/git/ref/heads/main", nil).at("object.sha").(string)
	at := w.seq()
	r := w.ada.want(201, "POST", releases, map[string]any{"tag_name": "v1.0", "name": "One", "body": "First."})
	r.is("target_commitish", "main")
	r.is("draft", false)
	r.is("author.login", "ada")
	r.is("html_url", w.forge.URL()+"/acme/app/releases/tag/v1.0")
	if got, want := w.changes(at), []string{"create", "push", "release.created", "release.published", "release.released"}; !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
	if e := w.lastEntry("release.published"); e.Detail["ref"] != "refs/tags/v1.0" || e.Detail["sha"] != head || payload(t, e, "release.tag_name") != "v1.0" {
		t.Errorf("published: %v %s", e.Detail, e.Payload)
	}
	w.ada.want(200, "GET", "/repos/acme/app/git/ref/tags/v1.0", nil).is("object.sha", head)
	w.ada.want(200, "GET", releases+"/tags/v1.0", nil).is("name", "One")
	w.ada.want(200, "GET", releases+"/latest", nil).is("tag_name", "v1.0")
	for name, body := range map[string]map[string]any{
		"already_exists": {"tag_name": "v1.0"}, "missing_field": {"name": "x"}, "invalid": {"tag_name": "v9", "target_commitish": "nowhere"},
		"not well-formed": {"tag_name": "a..b"}, "cannot be draft": {"tag_name": "v9", "draft": true, "make_latest": "true"},
		"too long": {"tag_name": "v9", "body": strings.Repeat("x", 125_001)},
	} {
		if r := w.ada.want(422, "POST", releases, body); !strings.Contains(string(r.body), name) {
			t.Errorf("%s: %s", name, r.body)
		}
	}
	w.ada.want(404, "GET", "/repos/acme/app/git/ref/tags/v9", nil)
	for _, body := range []map[string]any{{"tag_name": "v9", "generate_release_notes": true}, {"tag_name": "v9", "make_latest": "legacy"}, {"tag_name": "v9", "discussion_category_name": "x"}} {
		w.ada.want(501, "POST", releases, body)
	}
}

func TestReleaseDraft(t *testing.T) {
	w := newWorld(t)
	bob := w.user("bob", "read")
	at := w.seq()
	r := w.ada.want(201, "POST", releases, map[string]any{"tag_name": "v2", "draft": true, "target_commitish": "main"})
	r.is("published_at", nil)
	one := releases + "/1"
	w.ada.want(404, "GET", "/repos/acme/app/git/ref/tags/v2", nil)
	w.ada.want(404, "GET", releases+"/tags/v2", nil)
	w.ada.want(404, "GET", releases+"/latest", nil)
	bob.want(404, "GET", one, nil)
	if x := w.ada.upload(r, "early.tgz", "application/gzip", []byte("x")); x.status != 201 {
		t.Fatalf("upload = %d: %s", x.status, x.body)
	}
	w.ada.want(200, "GET", releases+"/assets/1", nil)
	bob.want(404, "GET", releases+"/assets/1", nil)
	w.ada.want(204, "DELETE", releases+"/assets/1", nil)
	if got := bob.want(200, "GET", releases, nil).names("", "tag_name"); len(got) != 0 {
		t.Errorf("bob sees drafts %v", got)
	}
	if e := w.lastEntry("release.created"); e.Detail["starts_runs"] != "no" {
		t.Errorf("a draft starts runs: %v", e.Detail)
	}
	w.ada.want(200, "PATCH", one, map[string]any{"draft": false, "prerelease": true})
	bob.want(200, "GET", one, nil).is("prerelease", true)
	bob.want(404, "GET", releases+"/latest", nil)
	w.ada.want(200, "PATCH", one, map[string]any{"prerelease": false, "name": "Two"})
	w.ada.want(200, "PATCH", one, map[string]any{"make_latest": "true"})
	bob.want(200, "GET", releases+"/latest", nil).is("name", "Two")
	w.ada.want(200, "PATCH", one, map[string]any{"draft": true})
	w.ada.want(200, "PATCH", one, map[string]any{"draft": false})
	want := []string{"release.created", "create", "push", "release.edited", "release.published", "release.edited", "release.released",
		"release.unpublished", "release.published", "release.released"}
	if got := w.changes(at); !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
	w.ada.want(204, "DELETE", "/repos/acme/app/git/refs/tags/v2", nil)
	w.ada.want(200, "GET", one, nil).is("draft", true)
	bob.want(403, "DELETE", one, nil)
	w.ada.want(204, "DELETE", one, nil)
	w.ada.want(404, "GET", one, nil)
	w.lastEntry("release.deleted")
}

func TestReleaseLatest(t *testing.T) {
	w := newWorld(t)
	for _, tag := range []string{"v1", "v2"} {
		w.ada.want(201, "POST", releases, map[string]any{"tag_name": tag})
	}
	w.ada.want(201, "POST", releases, map[string]any{"tag_name": "v0.9", "make_latest": "false"})
	w.ada.want(201, "POST", releases, map[string]any{"tag_name": "v3-rc", "prerelease": true})
	w.ada.want(200, "GET", releases+"/latest", nil).is("tag_name", "v2")
	w.ada.want(200, "PATCH", releases+"/1", map[string]any{"make_latest": "true"})
	w.ada.want(200, "GET", releases+"/latest", nil).is("tag_name", "v1")
	w.ada.want(204, "DELETE", releases+"/1", nil)
	w.ada.want(200, "GET", "/repos/acme/app/git/ref/tags/v1", nil) // the tag stays
	if got := w.ada.want(200, "GET", releases+"?per_page=2", nil); len(got.names("", "tag_name")) != 2 || got.header.Get("Link") == "" {
		t.Errorf("page: %s", got.body)
	}
}

func TestReleaseAsset(t *testing.T) {
	w := newWorld(t)
	bob := w.user("bob", "read")
	r := w.ada.want(201, "POST", releases, map[string]any{"tag_name": "v1"})
	content := bytes.Repeat([]byte("bytes "), 10_000)
	x := w.ada.upload(r, "app%20(linux).tgz", "application/gzip", content)
	if x.status != 201 {
		t.Fatalf("upload = %d: %s", x.status, x.body)
	}
	x.is("name", "app.linux.tgz")
	x.is("size", float64(len(content)))
	x.is("state", "uploaded")
	w.ada.want(200, "GET", releases+"/1", nil).is("assets.0.id", 1.0)
	for name, want := range map[string]int{"app.linux.tgz": 422, "": 422, "empty": 400} {
		var body []byte
		if name != "empty" {
			body = []byte("x")
		}
		if got := w.ada.upload(r, name, "text/plain", body); got.status != want {
			t.Errorf("upload %q = %d, want %d: %s", name, got.status, want, got.body)
		}
	}
	if got := bob.upload(r, "more", "text/plain", []byte("x")); got.status != 403 {
		t.Errorf("bob uploads: %d", got.status)
	}
	got := bob.want(200, "GET", releases+"/assets/1", nil, "Accept", "application/octet-stream")
	if !bytes.Equal(got.body, content) || got.header.Get("Content-Type") != "application/gzip" {
		t.Errorf("download: %d bytes of %s", len(got.body), got.header.Get("Content-Type"))
	}
	for _, path := range []string{x.at("browser_download_url").(string), "/acme/app/releases/latest/download/app.linux.tgz"} {
		if got := (actor{w, ""}).want(200, "GET", path, nil); !bytes.Equal(got.body, content) {
			t.Errorf("%s: %d bytes", path, len(got.body))
		}
	}
	actor{w, ""}.want(404, "GET", "/acme/app/releases/download/v1/other", nil)
	w.ada.want(415, "GET", releases+"/1", nil, "Accept", "application/octet-stream")
	w.ada.want(200, "PATCH", releases+"/assets/1", map[string]any{"name": "app.tgz", "label": "Linux"}).is("label", "Linux")
	w.ada.want(200, "GET", releases+"/assets/1", nil).is("download_count", 3.0)

	dir := t.TempDir()
	kept, err := forge.New(forge.Options{From: w.snapshot(), Dir: dir})
	must(t, err)
	defer kept.Close(t.Context())
	copied := &world{t: t, forge: kept, admin: kept.Admin(), http: w.http}
	if got := (actor{copied, ""}).want(200, "GET", "/acme/app/releases/download/v1/app.tgz", nil); !bytes.Equal(got.body, content) {
		t.Errorf("copy: %d bytes", len(got.body))
	}
	w.ada.want(204, "DELETE", releases+"/assets/1", nil)
	w.ada.want(404, "GET", releases+"/assets/1", nil)
	w.ada.want(200, "GET", releases+"/1/assets", nil)
	w.ada.want(204, "DELETE", releases+"/1", nil)
}

// TestReleaseUploadHost holds that of github.com only the host of uploads takes files.
func TestReleaseUploadHost(t *testing.T) {
	w := newForgeIn(t, forge.Options{PublicURL: "https://github.com"})
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "auto_init": true})
	r := w.ada.want(201, "POST", releases, map[string]any{"tag_name": "v1"})
	r.is("upload_url", "https://uploads.github.com/repos/acme/app/releases/1/assets{?name,label}")
	for host, want := range map[string]int{"api.github.com": 404, "uploads.github.com": 201} {
		req, err := http.NewRequest("POST", w.forge.URL()+releases+"/1/assets?name=x", strings.NewReader("x"))
		must(t, err)
		req.Host = host
		req.Header.Set("Authorization", "Bearer "+w.ada.token)
		res, err := w.http.Do(req)
		must(t, err)
		must(t, res.Body.Close())
		if res.StatusCode != want {
			t.Errorf("%s = %d, want %d", host, res.StatusCode, want)
		}
	}
}
