package actions_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/actions"
)

func (m *memory) PutCache(_ context.Context, c actions.Cache, content io.Reader) (actions.Cache, error) {
	data, err := io.ReadAll(content)
	if err != nil {
		return c, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cached == nil {
		m.cached = map[int64][]byte{}
	}
	c.ID, c.Size = int64(len(m.caches)+1), int64(len(data))
	c.Created = time.Unix((c.ID+1)/2, 0) // two at a time: the later one is the newer
	m.caches, m.cached[c.ID] = append(m.caches, c), data
	return c, nil
}

func (m *memory) Caches(_ context.Context, repo string) ([]actions.Cache, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(m.caches), func(c actions.Cache) bool { return c.Repo != repo }), nil
}

func (m *memory) UseCache(_ context.Context, _ string, id int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cached[id] != nil
}

func (m *memory) OpenCache(_ context.Context, id int64) (io.ReadCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cached[id] == nil {
		return nil, errors.New("no such cache")
	}
	return struct {
		io.ReadSeeker
		io.Closer
	}{bytes.NewReader(m.cached[id]), io.NopCloser(nil)}, nil
}

// as lets the calls that follow be those of a job that sees refs.
func (s *store) as(job int64, refs ...string) {
	s.token = actions.SignScopes([]byte("key"), 7, job, time.Unix(2000, 0), refs...)
}

func (s *store) cacheCall(name string, body map[string]any) (int, map[string]any) {
	s.t.Helper()
	in, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	req, err := http.NewRequest("POST", s.url+"/twirp/github.actions.results.api.v1.CacheService/"+name, bytes.NewReader(in))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	status, raw := s.do(req)
	var answer map[string]any
	if err := json.Unmarshal(raw, &answer); err != nil {
		s.t.Fatalf("%s: %v: %s", name, err, raw)
	}
	return status, answer
}

func (s *store) save(key, version, content string) {
	s.t.Helper()
	status, answer := s.cacheCall("CreateCacheEntry", map[string]any{"key": key, "version": version, "metadata": map[string]any{"repository_id": "0"}})
	if status != 200 || answer["ok"] != true {
		s.t.Fatalf("create: %d %v", status, answer)
	}
	if status, body := s.put(answer["signed_upload_url"].(string), "", content); status != 201 {
		s.t.Fatalf("put: %d %s", status, body)
	}
	status, answer = s.cacheCall("FinalizeCacheEntryUpload", map[string]any{"key": key, "version": version, "size_bytes": fmt.Sprint(len(content))})
	if status != 200 || answer["ok"] != true || answer["entry_id"] == "" {
		s.t.Fatalf("finalize: %d %v", status, answer)
	}
}

// restore returns the key that matched and the bytes.
func (s *store) restore(version, key string, more ...string) string {
	s.t.Helper()
	status, answer := s.cacheCall("GetCacheEntryDownloadURL", map[string]any{"key": key, "version": version, "restoreKeys": more})
	if status != 200 {
		s.t.Fatalf("find: %d %v", status, answer)
	}
	if answer["ok"] != true {
		return "nothing"
	}
	req, err := http.NewRequest("GET", answer["signed_download_url"].(string), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	status, body := s.do(req)
	if status != 200 {
		s.t.Fatalf("download: %d %s", status, body)
	}
	return fmt.Sprintf("%s: %s", answer["matched_key"], body)
}

// Each line is one look-up, as GitHub's documentation tells it.
func TestCacheMatching(t *testing.T) {
	const main, dev, fix, merge = "refs/heads/main", "refs/heads/dev", "refs/heads/fix", "refs/pull/7/merge"
	s := newStore(t, 0)
	for i, c := range []struct{ ref, key, version string }{
		{main, "go-1", "v"}, {main, "go-2", "v"}, {main, "go", "w"}, {fix, "go-3", "v"}, {merge, "go-1", "v"}, {dev, "go-4", "v"}, {main, "npm-1", "v"},
	} {
		s.as(70, c.ref, main)
		s.save(c.key, c.version, fmt.Sprint(i))
	}
	for _, tc := range []struct {
		name string
		refs []string
		keys []string
		want string
	}{
		{"the very key", []string{main}, []string{"go-1"}, "go-1: 0"},
		{"the newest that begins with the key", []string{main}, []string{"go-"}, "go-2: 1"},
		{"the key before other keys", []string{main}, []string{"npm", "go-1"}, "npm-1: 6"},
		{"other keys in turn", []string{main}, []string{"x", "y", "npm-", "go-"}, "npm-1: 6"},
		{"nothing", []string{main}, []string{"rust"}, "nothing"},
		{"a branch sees its own first", []string{fix, main}, []string{"go-1", "go-"}, "go-3: 3"},
		{"then the default branch's", []string{fix, main}, []string{"npm-1"}, "npm-1: 6"},
		{"no other branch's", []string{fix, main}, []string{"go-4"}, "nothing"},
		{"a branch is not seen by the default branch", []string{main}, []string{"go-3"}, "nothing"},
		{"a pull request sees its own", []string{merge, dev, main}, []string{"go-1"}, "go-1: 4"},
		{"then its base", []string{merge, dev, main}, []string{"go-4"}, "go-4: 5"},
		{"then the default branch", []string{merge, dev, main}, []string{"go-2"}, "go-2: 1"},
		{"a pull request is seen by nobody else", []string{"refs/pull/8/merge", dev}, []string{"go-1"}, "nothing"},
		{"no scope at all", nil, []string{"go-1"}, "nothing"},
	} {
		s.as(71, tc.refs...)
		if got := s.restore("v", tc.keys[0], tc.keys[1:]...); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
	s.as(71, main)
	if got := s.restore("w", "go"); got != "go: 2" {
		t.Errorf("another version: %s", got)
	}
}

func TestCacheCallsRefused(t *testing.T) {
	s := newStore(t, 3)
	s.as(70, "refs/heads/main")
	s.save("taken", "v", "12345")
	_, answer := s.cacheCall("CreateCacheEntry", map[string]any{"key": "open", "version": "v"})
	upload := answer["signed_upload_url"].(string)
	for name, tc := range map[string]struct {
		call   string
		body   map[string]any
		status int
		code   string
		msg    string
	}{
		"taken":             {"CreateCacheEntry", map[string]any{"key": "taken", "version": "v"}, 409, "already_exists", "same key, version, and scope"},
		"being made":        {"CreateCacheEntry", map[string]any{"key": "open", "version": "v"}, 409, "already_exists", "same key, version, and scope"},
		"no key":            {"CreateCacheEntry", map[string]any{"version": "v"}, 400, "invalid_argument", "key"},
		"a comma":           {"CreateCacheEntry", map[string]any{"key": "a,b", "version": "v"}, 400, "invalid_argument", `"a,b"`},
		"a long key":        {"CreateCacheEntry", map[string]any{"key": strings.Repeat("k", 513), "version": "v"}, 400, "invalid_argument", "kkk"},
		"no version":        {"CreateCacheEntry", map[string]any{"key": "k"}, 400, "invalid_argument", "version"},
		"many keys":         {"GetCacheEntryDownloadURL", map[string]any{"key": "k", "version": "v", "restore_keys": slices.Repeat([]string{"x"}, 10)}, 400, "invalid_argument", "11 keys"},
		"nothing uploaded":  {"FinalizeCacheEntryUpload", map[string]any{"key": "open", "version": "v", "size_bytes": "0"}, 400, "failed_precondition", "nothing was uploaded"},
		"never made":        {"FinalizeCacheEntryUpload", map[string]any{"key": "none", "version": "v", "size_bytes": "0"}, 404, "not_found", "none"},
		"finalized already": {"FinalizeCacheEntryUpload", map[string]any{"key": "taken", "version": "v", "size_bytes": "5"}, 404, "not_found", "taken"},
		"a type":            {"CreateCacheEntry", map[string]any{"key": 7, "version": "v"}, 400, "malformed", ""},
		"an unknown call":   {"DeleteCacheEntry", nil, 501, "unimplemented", "DeleteCacheEntry"},
	} {
		status, answer := s.cacheCall(tc.call, tc.body)
		if msg, _ := answer["msg"].(string); status != tc.status || answer["code"] != tc.code || !strings.Contains(msg, tc.msg) {
			t.Errorf("%s: %d %.200v", name, status, answer)
		}
	}
	if status, body := s.put(upload, "", "12345678901"); status != 413 || !strings.Contains(body, "RequestBodyTooLarge") {
		t.Errorf("too large: %d %s", status, body)
	}
	if status, body := s.put(upload, "", "1234"); status != 201 {
		t.Fatal(status, body)
	}
	if status, answer := s.cacheCall("FinalizeCacheEntryUpload", map[string]any{"key": "open", "version": "v", "size_bytes": 5}); status != 400 {
		t.Errorf("another size: %d %v", status, answer)
	}
	s.as(71, "refs/heads/main")
	if status, _ := s.cacheCall("FinalizeCacheEntryUpload", map[string]any{"key": "open", "version": "v", "size_bytes": 4}); status != 404 {
		t.Errorf("another job finished it: %d", status)
	}
	s.as(72)
	if status, answer := s.cacheCall("CreateCacheEntry", map[string]any{"key": "k", "version": "v"}); status != 403 || !strings.HasPrefix(answer["msg"].(string), "cache write denied:") {
		t.Errorf("without a scope: %d %v", status, answer)
	}
	s.token = actions.SignScopes([]byte("other"), 7, 70, time.Unix(2000, 0), "refs/heads/main")
	if status, _ := s.cacheCall("CreateCacheEntry", map[string]any{"key": "k", "version": "v"}); status != 401 {
		t.Errorf("another key: %d", status)
	}
}

// A job that begins more uploads than it finishes is stopped; when their hour is over, they are forgotten.
func TestCacheUploadsAreBounded(t *testing.T) {
	s := newStore(t, 0)
	s.as(70, "refs/heads/main")
	for i := range 100 {
		status, answer := s.cacheCall("CreateCacheEntry", map[string]any{"key": fmt.Sprint(i), "version": "v"})
		if status != 200 {
			t.Fatal(i, status, answer)
		}
		if i == 0 {
			s.put(answer["signed_upload_url"].(string), "&comp=block&blockid="+blockID(1), "x")
		}
	}
	if status, answer := s.cacheCall("CreateCacheEntry", map[string]any{"key": "more", "version": "v"}); status != 429 || answer["code"] != "resource_exhausted" {
		t.Errorf("%d %v", status, answer)
	}
	s.now = s.now.Add(2 * time.Hour)
	s.token = actions.SignScopes([]byte("key"), 7, 70, s.now.Add(time.Hour), "refs/heads/main")
	if status, answer := s.cacheCall("CreateCacheEntry", map[string]any{"key": "more", "version": "v"}); status != 200 {
		t.Errorf("%d %v", status, answer)
	}
	if left, _ := os.ReadDir(s.dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestCacheAddresses(t *testing.T) {
	s := newStore(t, 0)
	s.as(70, "refs/heads/main")
	s.save("a", "v", "0123456789")
	s.save("b", "v", "b")
	_, answer := s.cacheCall("GetCacheEntryDownloadURL", map[string]any{"key": "a", "version": "v"})
	address := answer["signed_download_url"].(string)
	get := func(address, ranges string) (int, string) {
		req, err := http.NewRequest("GET", address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if ranges != "" {
			req.Header.Set("Range", ranges)
		}
		status, body := s.do(req)
		return status, string(body)
	}
	if status, body := get(address, "bytes=2-4"); status != 206 || body != "234" {
		t.Errorf("a part: %d %q", status, body)
	}
	if status, _ := get(strings.Replace(address, "/cache/1?", "/cache/2?", 1), ""); status != 403 {
		t.Errorf("another entry with this signature: %d", status)
	}
	if status, _ := get(strings.Replace(address, "/cache/", "/download/", 1), ""); status != 403 {
		t.Errorf("an artifact with this signature: %d", status)
	}
	if status, body := s.put(s.create("an artifact"), "", "zip"); status != 201 {
		t.Fatal(status, body)
	}
	if status, answer := s.call("FinalizeArtifact", `{`+who+`,"name":"an artifact","size":3}`); status != 200 {
		t.Fatal(status, answer)
	}
	_, answer = s.call("GetSignedArtifactURL", `{`+who+`,"name":"an artifact"}`)
	if status, _ := get(strings.Replace(answer["signed_url"].(string), "/download/", "/cache/", 1), ""); status != 403 {
		t.Errorf("an entry with an artifact's signature: %d", status)
	}
	delete(s.cached, 1)
	if status, answer := s.cacheCall("GetCacheEntryDownloadURL", map[string]any{"key": "a", "version": "v"}); status != 200 || answer["ok"] != false {
		t.Errorf("an entry that goes while it is looked for: %d %v", status, answer)
	}
	if status, _ := get(address, ""); status != 404 {
		t.Errorf("an entry that is gone: %d", status)
	}
	s.now = s.now.Add(2 * time.Hour)
	if status, _ := get(address, ""); status != 403 {
		t.Errorf("an old address: %d", status)
	}
	req, err := http.NewRequest("POST", s.url+"/_apis/artifactcache/caches", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if status, body := s.do(req); status != 501 || !strings.Contains(string(body), "version 1 of the cache service") {
		t.Errorf("version 1: %d %s", status, body)
	}
}

// The token of a job says which refs it sees, and is good for nothing once the job has ended.
func TestCacheScopesOfJobs(t *testing.T) {
	p := start(t, `on: [push, pull_request]
jobs:
  a:
    runs-on: ubuntu-latest
    steps: [{run: 'echo "$ACTIONS_RUNTIME_TOKEN" | cut -d. -f2 | tr _- /+ | base64 -d 2>/dev/null | tr ":" ";" | sed "s/.*ac..//"; env | grep ^ACTIONS_CACHE_SERVICE_V2; printf %s "$ACTIONS_RUNTIME_TOKEN" > $DIR/token'}]
`)
	p.happen("push ref=refs/heads/fix")
	p.happen("pull_request.opened base=dev head=fix fork=eve/app")
	p.settle()
	log := p.allLogs()
	for _, want := range []string{
		`{\"Scope\";\"refs/heads/fix\",\"Permission\";3},{\"Scope\";\"refs/heads/main\",\"Permission\";1}`,
		`{\"Scope\";\"refs/pull/7/merge\",\"Permission\";3},{\"Scope\";\"refs/heads/dev\",\"Permission\";1},{\"Scope\";\"refs/heads/main\",\"Permission\";1}`,
		"ACTIONS_CACHE_SERVICE_V2=True",
	} {
		if !strings.Contains(log, want) {
			t.Errorf("no %s in\n%s", want, log)
		}
	}
	token, err := os.ReadFile(filepath.Join(p.scratch, "token"))
	if err != nil {
		t.Fatal(err)
	}
	req := httptest.NewRequest("POST", "/twirp/github.actions.results.api.v1.CacheService/GetCacheEntryDownloadURL", strings.NewReader(`{"key":"k","version":"v"}`))
	req.Header.Set("Authorization", "Bearer "+string(token))
	w := httptest.NewRecorder()
	p.engine.ArtifactService().ServeHTTP(w, req)
	if w.Code != 401 || !strings.Contains(w.Body.String(), "the job of ACTIONS_RUNTIME_TOKEN has ended") {
		t.Errorf("after the job: %d %s", w.Code, w.Body)
	}
	if diff := cmp.Diff(2, strings.Count(p.report(), "a success")); diff != "" {
		t.Error(p.report())
	}
}

// The cache action has an end of its own, and needs no node for it.
func TestCacheActionWithoutNode(t *testing.T) {
	tools := t.TempDir()
	for _, name := range []string{"bash", "sh", "cat"} {
		at, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(at, filepath.Join(tools, name)); err != nil {
			t.Fatal(err)
		}
	}
	at, serve := runtimeServer(t)
	p := start(t, `on: push
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - {uses: actions/cache@v4, with: {path: f, key: k}}
      - run: if command -v node; then exit 1; fi; echo hello > f
`, at, func(o *actions.Options, _ *memory) { o.Env["PATH"] = tools })
	serve(p)
	p.happen("push ref=refs/heads/main")
	p.settle()
	if !strings.Contains(p.allLogs(), "Cache saved with key: k") || p.report() != "run ci.yml success\n  a success\n" {
		t.Errorf("%s\n%s", p.report(), p.allLogs())
	}
}
