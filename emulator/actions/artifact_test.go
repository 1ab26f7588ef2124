package actions_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/actions"
)

// store is an artifact service on a real port.
type store struct {
	*memory
	t     *testing.T
	url   string
	dir   string
	token string
	now   time.Time
}

// newStore takes artifacts of maxSize bytes and cache entries of twice as many.
func newStore(t *testing.T, maxSize int64) *store {
	t.Helper()
	s := &store{
		t: t, memory: &memory{zips: map[int64][]byte{}}, dir: t.TempDir(),
		token: actions.SignToken([]byte("key"), 7, 70, time.Unix(2000, 0)), now: time.Unix(1000, 0),
	}
	srv := httptest.NewUnstartedServer(nil)
	s.url = "http://" + srv.Listener.Addr().String()
	service := actions.ArtifactService(actions.ArtifactOptions{
		Store: s, Caches: s, MaxCache: 2 * maxSize, TokenKey: []byte("key"), PublicURL: s.url, Dir: s.dir, MaxSize: maxSize, Now: func() time.Time { return s.now },
	})
	mux := http.NewServeMux()
	for _, pattern := range actions.ArtifactPatterns {
		mux.Handle(pattern, service)
	}
	srv.Config.Handler = mux
	srv.Start()
	t.Cleanup(srv.Close)
	return s
}

// call makes a twirp call with a body in the wire's form, and returns the status and the answer.
func (s *store) call(name, body string) (int, map[string]any) {
	s.t.Helper()
	req, err := http.NewRequest("POST", s.url+"/twirp/github.actions.results.api.v1.ArtifactService/"+name, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Content-Type", "application/json")
	status, raw := s.do(req)
	var answer map[string]any
	if err := json.Unmarshal(raw, &answer); err != nil {
		s.t.Fatalf("%s: %v: %s", name, err, raw)
	}
	return status, answer
}

func (s *store) do(req *http.Request) (int, []byte) {
	s.t.Helper()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, raw
}

func (s *store) put(address, query, body string) (int, string) {
	s.t.Helper()
	req, err := http.NewRequest("PUT", address+query, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	status, raw := s.do(req)
	return status, string(raw)
}

const who = `"workflow_run_backend_id":"7","workflow_job_run_backend_id":"70"`

func (s *store) create(name string) string {
	s.t.Helper()
	status, answer := s.call("CreateArtifact", `{`+who+`,"name":"`+name+`","version":4,"mime_type":"application/zip","expires_at":"2030-01-01T00:00:00Z"}`)
	if status != 200 || answer["ok"] != true {
		s.t.Fatalf("create: %d %v", status, answer)
	}
	return answer["signed_upload_url"].(string)
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256:" + hex.EncodeToString(sum[:])
}

func TestArtifactRoundTrip(t *testing.T) {
	s := newStore(t, 0)
	upload := s.create("crew-triage")
	if strings.Contains(upload, "%3D") || strings.Contains(upload[strings.Index(upload, "sig="):], "=&") {
		t.Errorf("the signature is padded: %s", upload)
	}
	ids := make([]string, 3)
	for _, i := range []int{2, 1, 0} { // clients send blocks in any order
		ids[i] = base64.StdEncoding.EncodeToString([]byte(fmt.Sprintf("block-%d", i)))
		if status, body := s.put(upload, "&comp=block&blockid="+strings.ReplaceAll(ids[i], "=", "%3D"), fmt.Sprintf("part%d ", i)); status != 201 {
			t.Fatalf("block: %d %s", status, body)
		}
	}
	list := "<?xml version=\"1.0\" encoding=\"utf-8\"?><BlockList><Latest>" + strings.Join(ids, "</Latest><Latest>") + "</Latest></BlockList>"
	if status, body := s.put(upload, "&comp=blocklist", list); status != 201 {
		t.Fatalf("block list: %d %s", status, body)
	}
	want := "part0 part1 part2 "
	status, answer := s.call("FinalizeArtifact", `{`+who+`,"name":"crew-triage","size":"18","hash":"`+digest(want)+`"}`)
	if status != 200 || answer["ok"] != true || answer["artifact_id"] != "1" {
		t.Fatalf("finalize: %d %v", status, answer)
	}
	if string(s.zips[1]) != want || s.artifacts[0].RunID != 7 || s.artifacts[0].JobID != 70 || s.artifacts[0].Repo != "acme/app" || s.artifacts[0].Expires.Year() != 2030 {
		t.Errorf("stored %q as %+v", s.zips[1], s.artifacts[0])
	}
	if left, _ := os.ReadDir(s.dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	_, answer = s.call("ListArtifacts", `{`+who+`,"name_filter":"crew-triage","id_filter":"1"}`)
	wantList := []any{map[string]any{
		"workflow_run_backend_id": "7", "workflow_job_run_backend_id": "70", "database_id": "1", "name": "crew-triage", "size": "18",
		"created_at": "1970-01-01T00:16:40Z", "digest": digest(want),
	}}
	if diff := cmp.Diff(wantList, answer["artifacts"]); diff != "" {
		t.Error(diff)
	}
	_, answer = s.call("GetSignedArtifactURL", `{"workflowRunBackendId":"7","workflowJobRunBackendId":"70","name":"crew-triage"}`)
	address, _ := answer["signed_url"].(string)
	req, _ := http.NewRequest("GET", address, nil)
	if status, body := s.do(req); status != 200 || string(body) != want {
		t.Errorf("download: %d %q", status, body)
	}
	if status, answer := s.call("DeleteArtifact", `{`+who+`,"name":"crew-triage"}`); status != 200 || answer["artifact_id"] != "1" {
		t.Errorf("delete: %d %v", status, answer)
	}
	if status, _ := s.do(req); status != 404 {
		t.Errorf("download after deletion: %d", status)
	}
	if _, answer := s.call("ListArtifacts", `{`+who+`}`); len(answer["artifacts"].([]any)) != 0 {
		t.Errorf("list after deletion: %v", answer)
	}
}

func TestArtifactInOnePiece(t *testing.T) {
	s := newStore(t, 0)
	upload := s.create("a")
	if status, body := s.put(upload, "", "whole"); status != 201 {
		t.Fatal(status, body)
	}
	if status, answer := s.call("FinalizeArtifact", `{`+who+`,"name":"a","size":5}`); status != 200 {
		t.Fatal(answer)
	}
	if string(s.zips[1]) != "whole" || s.artifacts[0].Digest != digest("whole") {
		t.Errorf("%+v", s.artifacts)
	}
	if status, _ := s.put(upload, "", "again"); status != 404 {
		t.Errorf("upload after the end: %d", status)
	}
}

func TestArtifactCallsRefused(t *testing.T) {
	s := newStore(t, 10)
	s.create("taken")
	filled := s.create("filled")
	if status, body := s.put(filled, "", "12345"); status != 201 {
		t.Fatal(status, body)
	}
	for name, tc := range map[string]struct {
		call, body string
		status     int
		code, msg  string
	}{
		"another run":        {"ListArtifacts", `{"workflow_run_backend_id":"8","workflow_job_run_backend_id":"70"}`, 403, "permission_denied", ""},
		"another job":        {"CreateArtifact", `{"workflow_run_backend_id":"7","workflow_job_run_backend_id":"71","name":"x","version":4}`, 403, "permission_denied", ""},
		"name taken":         {"CreateArtifact", `{` + who + `,"name":"taken","version":4}`, 409, "already_exists", "already exists"},
		"bad name":           {"CreateArtifact", `{` + who + `,"name":"a/b","version":4}`, 400, "invalid_argument", `"a/b"`},
		"old version":        {"CreateArtifact", `{` + who + `,"name":"b","version":3}`, 400, "invalid_argument", "version 3"},
		"no zip":             {"CreateArtifact", `{` + who + `,"name":"b","version":7,"mimeType":"text/plain"}`, 400, "invalid_argument", "text/plain"},
		"not JSON":           {"CreateArtifact", `{`, 400, "malformed", ""},
		"nothing uploaded":   {"FinalizeArtifact", `{` + who + `,"name":"taken","size":"0"}`, 400, "failed_precondition", "nothing was uploaded"},
		"wrong size":         {"FinalizeArtifact", `{` + who + `,"name":"filled","size":"6"}`, 400, "invalid_argument", "5 bytes were uploaded"},
		"wrong hash":         {"FinalizeArtifact", `{` + who + `,"name":"filled","size":"5","hash":"` + digest("other") + `"}`, 400, "invalid_argument", digest("12345")},
		"finalize nothing":   {"FinalizeArtifact", `{` + who + `,"name":"none","size":"5"}`, 404, "not_found", ""},
		"link to nothing":    {"GetSignedArtifactURL", `{` + who + `,"name":"filled"}`, 404, "not_found", "no artifact"},
		"delete nothing":     {"DeleteArtifact", `{` + who + `,"name":"filled"}`, 404, "not_found", ""},
		"unknown call":       {"MigrateArtifact", `{}`, 501, "unimplemented", "MigrateArtifact"},
		"a body without end": {"CreateArtifact", `{"name":"` + strings.Repeat("x", 2<<20) + `"}`, 400, "malformed", "too large"},
	} {
		status, answer := s.call(tc.call, tc.body)
		if msg, _ := answer["msg"].(string); status != tc.status || answer["code"] != tc.code || !strings.Contains(msg, tc.msg) {
			t.Errorf("%s: %d %.200v", name, status, answer)
		}
	}
}

func TestArtifactTokens(t *testing.T) {
	s := newStore(t, 0)
	good := s.token
	head, tail, _ := strings.Cut(good, ".")
	body, sig, _ := strings.Cut(tail, ".")
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`))
	for name, token := range map[string]string{
		"none": "", "other key": actions.SignToken([]byte("other"), 7, 70, time.Unix(2000, 0)), "expired": actions.SignToken([]byte("key"), 7, 70, time.Unix(999, 0)),
		"no signature": head + "." + body + ".", "alg none": none + "." + body + ".", "cut": good[:len(good)-1], "changed": head + "." + body[:len(body)-2] + "AA." + sig,
	} {
		s.token = token
		if status, answer := s.call("ListArtifacts", `{`+who+`}`); status != 401 || answer["code"] != "unauthenticated" {
			t.Errorf("%s: %d %v", name, status, answer)
		}
	}
	var claims map[string]any
	raw, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &claims); err != nil || claims["scp"] != "Actions.Results:7:70" {
		t.Errorf("claims %v, %v", claims, err)
	}
}

func TestSignedAddresses(t *testing.T) {
	s := newStore(t, 10)
	upload := s.create("a")
	other := s.create("b")
	id := upload[strings.LastIndex(upload, "/")+1 : strings.Index(upload, "?")]
	otherID := other[strings.LastIndex(other, "/")+1 : strings.Index(other, "?")]
	for name, tc := range map[string]struct {
		address, query, body string
		status               int
		code                 string
	}{
		"signature of another upload": {strings.Replace(upload, id, otherID, 1), "", "x", 403, "AuthenticationFailed"},
		"signature cut":               {upload[:len(upload)-1], "", "x", 403, "AuthenticationFailed"},
		"too large":                   {upload, "", "12345678901", 413, "RequestBodyTooLarge"},
		"block id":                    {other, "&comp=block&blockid=!", "x", 400, "InvalidInput"},
		"no such block":               {other, "&comp=blocklist", "<BlockList><Latest>YQ==</Latest></BlockList>", 400, "InvalidInput"},
		"not XML":                     {other, "&comp=blocklist", "x", 400, "InvalidInput"},
		"unknown operation":           {other, "&comp=page", "x", 400, "InvalidInput"},
	} {
		if status, body := s.put(tc.address, tc.query, tc.body); status != tc.status || !strings.Contains(body, "<Code>"+tc.code+"</Code>") {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	s.now = s.now.Add(2 * time.Hour)
	if status, _ := s.put(upload, "", "x"); status != 403 {
		t.Errorf("an expired address: %d", status)
	}
}

// runtimeServer is a port for the service that jobs send artifacts and caches to: an option of the platform,
// and what starts it.
func runtimeServer(t *testing.T) (at func(*actions.Options, *memory), serve func(*platform)) {
	t.Helper()
	srv := httptest.NewUnstartedServer(nil)
	t.Cleanup(srv.Close)
	url := "http://" + srv.Listener.Addr().String()
	at = func(o *actions.Options, m *memory) {
		o.ServerURL, o.APIURL = url, url+"/api/v3"
		if m.zips == nil {
			m.zips = map[int64][]byte{}
		}
	}
	return at, func(p *platform) {
		mux := http.NewServeMux()
		for _, pattern := range actions.ArtifactPatterns {
			mux.Handle(pattern, p.engine.ArtifactService())
		}
		srv.Config.Handler = mux
		srv.Start()
	}
}

// A job's own steps upload and download through the service.
func TestBuiltInArtifactActions(t *testing.T) {
	at, serve := runtimeServer(t)
	p := start(t, onLabel+`jobs:
  make:
    runs-on: ubuntu-latest
    steps:
      - run: mkdir out && echo hello > out/a.txt
      - uses: actions/upload-artifact@v4
        with: {name: crew-triage, path: out}
  use:
    needs: make
    runs-on: ubuntu-latest
    steps:
      - uses: actions/download-artifact@v4
        with: {name: crew-triage, path: got}
      - run: cat got/a.txt
`, at)
	serve(p)
	p.label("bug")
	p.settle()
	if diff := cmp.Diff("run ci.yml success\n  make success\n  use success\n", p.report()); diff != "" {
		t.Fatalf("%s\n%s", diff, p.allLogs())
	}
	all, err := p.Artifacts(context.Background(), 1)
	if err != nil || len(all) != 1 || all[0].Name != "crew-triage" || !bytes.HasPrefix(p.zips[1], []byte("PK")) {
		t.Errorf("artifacts %+v, %v", all, err)
	}
	if !strings.Contains(p.log("use"), " hello\n") {
		t.Error(p.log("use"))
	}
}
