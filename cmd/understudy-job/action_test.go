package main_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"crypto/sha256"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/internal/jobwire"
)

// host is a forge of the smallest kind: repositories over git's own HTTP backend, behind a token,
// and the artifact service in memory.
type host struct {
	url   string
	repos string

	mu        sync.Mutex
	artifacts []stored
	calls     []string
}

type stored struct {
	name string
	zip  []byte
	done bool
	sent []byte // in the place of zip, when it is set
}

func serve(t *testing.T) *host {
	t.Helper()
	h := &host{repos: t.TempDir()}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.url = "http://" + l.Addr().String()
	execPath, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	git := &cgi.Handler{
		Path: strings.TrimSpace(string(execPath)) + "/git-http-backend",
		Env:  []string{"GIT_PROJECT_ROOT=" + h.repos, "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/twirp/github.actions.results.api.v1.ArtifactService/", h.call)
	mux.HandleFunc("/blob/", h.blob)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != "ghs_thetoken" {
			w.Header().Set("WWW-Authenticate", "Basic")
			http.Error(w, "who are you", http.StatusUnauthorized)
			return
		}
		git.ServeHTTP(w, r)
	})
	server := &http.Server{Handler: mux}
	var wg sync.WaitGroup
	wg.Go(func() { _ = server.Serve(l) })
	t.Cleanup(func() {
		if err := server.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		wg.Wait()
	})
	return h
}

func (h *host) call(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	method := filepath.Base(r.URL.Path)
	var in map[string]any
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.Header.Get("Authorization") != "Bearer "+runtimeToken() {
		http.Error(w, `{"code":"unauthenticated","msg":"no"}`, http.StatusUnauthorized)
		return
	}
	h.calls = append(h.calls, fmt.Sprintf("%s %v %v %v", method, in["workflow_run_backend_id"], in["workflow_job_run_backend_id"], in["name"]))
	name, _ := in["name"].(string)
	at := -1
	for i, a := range h.artifacts {
		if a.name == name {
			at = i
		}
	}
	answer := map[string]any{"ok": true}
	switch {
	case method == "CreateArtifact" && at >= 0:
		w.WriteHeader(http.StatusConflict)
		fmt.Fprint(w, `{"code":"already_exists","msg":"an artifact with this name already exists on the workflow run"}`)
		return
	case method == "CreateArtifact":
		h.artifacts = append(h.artifacts, stored{name: name})
		answer["signed_upload_url"] = h.url + "/blob/" + name + "?sig=x"
	case method == "ListArtifacts":
		list := []map[string]any{}
		for _, a := range h.artifacts {
			if f, ok := in["name_filter"]; !ok || f == a.name {
				list = append(list, map[string]any{"name": a.name, "digest": fmt.Sprintf("sha256:%x", sha256.Sum256(a.zip))})
			}
		}
		answer["artifacts"] = list
	case at < 0:
		w.WriteHeader(http.StatusNotFound)
		return
	case method == "FinalizeArtifact":
		a := &h.artifacts[at]
		a.done = in["size"] == fmt.Sprint(len(a.zip)) && in["hash"] == fmt.Sprintf("sha256:%x", sha256.Sum256(a.zip))
		answer["ok"], answer["artifact_id"] = a.done, fmt.Sprint(at+1)
	case method == "DeleteArtifact":
		h.artifacts = append(h.artifacts[:at], h.artifacts[at+1:]...)
	case method == "GetSignedArtifactURL":
		answer["signed_url"] = h.url + "/blob/" + name + "?sig=x"
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func (h *host) blob(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range h.artifacts {
		if a := &h.artifacts[i]; a.name == filepath.Base(r.URL.Path) {
			if r.Method == http.MethodPut {
				a.zip, _ = io.ReadAll(r.Body)
				w.WriteHeader(http.StatusCreated)
				return
			}
			if a.sent != nil {
				_, _ = w.Write(a.sent)
				return
			}
			_, _ = w.Write(a.zip)
			return
		}
	}
	http.NotFound(w, r)
}

// contents lists an artifact's files as "name=content".
func (h *host) contents(t *testing.T, name string) []string {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range h.artifacts {
		if a.name != name || !a.done {
			continue
		}
		z, err := zip.NewReader(bytes.NewReader(a.zip), int64(len(a.zip)))
		if err != nil {
			t.Fatal(err)
		}
		var files []string
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f.Name+"="+strings.TrimSpace(string(b)))
		}
		return files
	}
	t.Fatalf("no artifact %q: %v", name, h.artifacts)
	return nil
}

func runtimeToken() string {
	return "h." + base64.RawURLEncoding.EncodeToString([]byte(`{"scp":"Other Actions.Results:7:9"}`)) + ".s"
}

func (h *host) spec(t *testing.T, steps string) jobwire.Spec {
	s := spec(t, workflow("", steps))
	s.ServerURL, s.ResultsURL, s.RuntimeToken = h.url, h.url+"/", runtimeToken()
	return s
}

// repo makes a repository of three commits on main, a branch "side" and a tag, and returns main's
// commits, oldest first.
func (h *host) repo(t *testing.T, name string) []string {
	t.Helper()
	dir := filepath.Join(h.repos, name)
	script := `set -e
git init -q -b main w; cd w; git config user.name x; git config user.email x@example.org
for i in 1 2 3; do echo $i > f; git add f; git commit -q -m c$i; git rev-parse HEAD; done
git tag -a -m t v1 HEAD~1
git checkout -q -b side HEAD~1; echo side > f; git commit -q -a -m side; git branch 'o"d#d'; git checkout -q main
cd ..; git clone -q --bare w "$1"; rm -rf w`
	cmd := exec.Command("bash", "-c", script, "bash", dir)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("make repository: %v", err)
	}
	return strings.Fields(string(out))
}

func TestCheckout(t *testing.T) {
	h := serve(t)
	commits := h.repo(t, "acme/app")
	h.repo(t, "acme/lib")
	state := `
- run: cd "$D"; echo "$(git rev-parse HEAD) $(git symbolic-ref -q --short HEAD || echo detached) $(git rev-list --count HEAD) $(cat f) $(git status --porcelain | wc -l) $(git rev-parse -q --abbrev-ref '@{u}' 2>/dev/null || echo none)"; test -z "$OUT" || test "$OUT" = "$(git rev-parse HEAD)"
  env: {D: %q, OUT: "${{ steps.co.outputs.commit }}"}
`
	for _, tc := range []struct {
		name, with, dir, want string
	}{
		{"the event's commit", "", ".", commits[1] + " main 1 2 0 origin/main"},
		{"a branch", "ref: side", ".", "side 1 side 0 origin/side"},
		{"a branch of an odd name", `ref: o"d#d`, ".", `o"d#d 1 side 0 origin/o"d#d`},
		{"a whole ref", "ref: refs/heads/side", ".", "side 1 side 0 origin/side"},
		{"a tag", "ref: v1", ".", commits[1] + " detached 1 2 0 none"},
		{"a commit", "ref: " + commits[0], ".", commits[0] + " detached 1 1 0 none"},
		{"all history", "fetch-depth: 0", ".", commits[1] + " main 2 2 0 origin/main"},
		{"some history", "{fetch-depth: 2, ref: main}", ".", commits[2] + " main 2 3 0 origin/main"},
		{"elsewhere, its default branch", "{repository: acme/lib, path: lib/x}", "lib/x", "main 1 3 0 origin/main"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			steps := "- uses: actions/checkout@v4\n  id: co\n"
			if tc.with != "" {
				steps += "  with:\n" + indent(tc.with, "    ")
			}
			s := h.spec(t, steps+fmt.Sprintf(state, tc.dir))
			s.SHA = commits[1]
			r := run(t, s)
			if got := r.log(2); !strings.HasSuffix(got, tc.want+"\n") || r.last().Conclusion != "success" {
				t.Errorf("got %q, want %q at the end\n%s", got, tc.want, r.log(1))
			}
		})
	}
}

func TestCheckoutCredentials(t *testing.T) {
	h := serve(t)
	commits := h.repo(t, "acme/app")
	run := func(with string) ran {
		s := h.spec(t, "- uses: actions/checkout@v4\n  with: "+with+"\n- run: git fetch -q origin side && echo fetched\n- if: always()\n  run: git config --list --show-origin | grep -c extraheader\n")
		s.SHA = commits[2]
		return run(t, s)
	}
	if r := run("{path: .}"); r.log(2) != "fetched\n" || r.log(3) != "1\n" {
		t.Errorf("kept credentials: %q %q", r.log(2), r.log(3))
	}
	if r := run("{persist-credentials: false}"); strings.Contains(r.log(2), "fetched") || !strings.HasPrefix(r.log(3), "0\n") {
		t.Errorf("credentials not to be kept: %q %q", r.log(2), r.log(3))
	}
	if r := run("{token: wrong}"); r.last().Conclusion != "failure" || !strings.Contains(r.log(1), "##[error]git fetch: exit status 128") {
		t.Errorf("wrong token: %q", r.log(1))
	}
}

func TestCheckoutRefusals(t *testing.T) {
	h := serve(t)
	h.repo(t, "acme/app")
	for with, want := range map[string]string{
		"{ref: nowhere}":               `a branch or tag with the name "nowhere" could not be found in acme/app`,
		"{repository: nonsense}":       `input repository: "nonsense" is not owner/name`,
		"{path: ../x}":                 "is not inside the workspace",
		"{fetch-depth: many}":          `input fetch-depth: "many" is not a count`,
		"{persist-credentials: maybe}": `input persist-credentials: "maybe" is not true or false`,
	} {
		r := run(t, h.spec(t, "- uses: actions/checkout@v4\n  with: "+with+"\n"))
		if got := r.log(1); r.last().Conclusion != "failure" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", with, got, want)
		}
	}
}

const files = `
- run: |
    mkdir -p out/sub/.deep other; echo a > out/a.txt; echo b > out/sub/b.json; echo h > out/.hidden; echo d > out/sub/.deep/d
    echo o > other/o.txt; ln -s /etc/passwd out/outside; ln -s a.txt out/link; ln -s ../../out out/sub/loop; ln -s ../other out/there; echo '{"x": 1}' > one.json
    mkdir p q; ln -s ../q p/q; ln -s ../p q/p; echo 1 > p/f
`

func TestUploadTakesWhatThePathMeans(t *testing.T) {
	for _, tc := range []struct {
		name, path, with string
		want             []string
	}{
		{"a directory", "out", "", []string{"a.txt=a", "link=a", "sub/b.json=b", "there/o.txt=o"}},
		{"links that lead to each other", "p", "", []string{"f=1"}},
		{"one file", "one.json", "", []string{`one.json={"x": 1}`}},
		{"absolute", "${{ github.workspace }}/other/", "", []string{"o.txt=o"}},
		{"two lines", "out/sub\nother", "", []string{"other/o.txt=o", "out/sub/b.json=b"}},
		{"a pattern", "out/**/*.json", "", []string{"sub/b.json=b"}},
		{"taken away", "out\nother\n!**/*.json\n!out/link", "", []string{"other/o.txt=o", "out/a.txt=a", "out/there/o.txt=o"}},
		{"hidden too", "out", "include-hidden-files: true", []string{".hidden=h", "a.txt=a", "link=a", "sub/.deep/d=d", "sub/b.json=b", "there/o.txt=o"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := serve(t)
			r := run(t, h.spec(t, files+"- uses: actions/upload-artifact@v4\n  id: up\n  with:\n    name: res\n    path: |\n"+indent(tc.path, "      ")+
				indent(tc.with, "    ")+"- run: echo '${{ steps.up.outputs.artifact-id }}' && test -n '${{ steps.up.outputs.artifact-digest }}'\n"))
			if r.last().Conclusion != "success" || r.log(3) != "1\n" {
				t.Fatalf("%v\n%s%s", r.last(), r.log(2), r.log(3))
			}
			if diff := cmp.Diff(tc.want, h.contents(t, "res")); diff != "" {
				t.Errorf("contents (-want +got):\n%s", diff)
			}
			if n := strings.Count(r.log(2), "leads out of the workspace"); n > 1 {
				t.Errorf("%d warnings of links: %s", n, r.log(2))
			}
		})
	}
}

func TestUploadCompresses(t *testing.T) {
	h := serve(t)
	var sizes []int
	for _, level := range []string{"0", "1", "9"} {
		h.artifacts = nil
		r := run(t, h.spec(t, "- run: seq 20000 > f\n- uses: actions/upload-artifact@v4\n  with: {path: f, compression-level: "+level+"}\n"))
		if r.last().Conclusion != "success" {
			t.Fatal(r.log(2))
		}
		sizes = append(sizes, len(h.artifacts[0].zip))
	}
	if sizes[0] < 100_000 || sizes[1] > sizes[0]/2 || sizes[2] >= sizes[1] {
		t.Errorf("bytes by level: %v", sizes)
	}
	r := run(t, h.spec(t, "- run: echo > f\n- uses: actions/upload-artifact@v4\n  with: {path: f, compression-level: 10}\n"))
	if r.last().Conclusion != "failure" || !strings.Contains(r.log(2), `input compression-level: "10" is not 0 to 9`) {
		t.Error(r.log(2))
	}
}

func TestUploadWithNothingToTake(t *testing.T) {
	for mode, want := range map[string][2]string{
		"warn":   {"success", "##[warning]No files were found"},
		"ignore": {"success", "No files were found"},
		"error":  {"failure", "##[error]No files were found"},
		"nod":    {"failure", `"nod" is not warn, error or ignore`},
	} {
		h := serve(t)
		r := run(t, h.spec(t, "- uses: actions/upload-artifact@v4\n  with: {path: none, if-no-files-found: "+mode+"}\n"))
		if r.last().Conclusion != want[0] || !strings.Contains(r.log(1), want[1]) || len(h.calls) != 0 {
			t.Errorf("%s: %s, %q, %v", mode, r.last().Conclusion, r.log(1), h.calls)
		}
	}
}

func TestUploadIsReproducibleAndOverwritesWhenAsked(t *testing.T) {
	h := serve(t)
	up := func(with string) ran {
		return run(t, h.spec(t, files+"- uses: actions/upload-artifact@v4\n  with: {name: res, path: other"+with+"}\n"))
	}
	if r := up(""); r.last().Conclusion != "success" {
		t.Fatal(r.log(2))
	}
	first := h.artifacts[0].zip
	if r := up(""); r.last().Conclusion != "failure" || !strings.Contains(r.log(2), "already exists") {
		t.Errorf("the same name again: %q", r.log(2))
	}
	if r := up(", overwrite: true"); r.last().Conclusion != "success" {
		t.Errorf("overwrite: %q", r.log(2))
	}
	if !bytes.Equal(first, h.artifacts[0].zip) {
		t.Error("the same files gave another archive")
	}
	if got, want := h.calls[0], "CreateArtifact 7 9 res"; got != want {
		t.Errorf("first call %q, want %q", got, want)
	}
}

func TestDownload(t *testing.T) {
	h := serve(t)
	setUp := files + "- uses: actions/upload-artifact@v4\n  with: {name: one, path: other}\n- uses: actions/upload-artifact@v4\n  with: {name: two, path: one.json}\n"
	if r := run(t, h.spec(t, setUp)); r.last().Conclusion != "success" {
		t.Fatal(r.log(2), r.log(3))
	}
	for with, want := range map[string]string{
		"{name: one}":            "./o.txt\n",
		"{name: one, path: d/e}": "./d/e/o.txt\n",
		"{path: all}":            "./all/one/o.txt\n./all/two/one.json\n",
		"{pattern: 't*'}":        "./two/one.json\n",
		"{merge-multiple: true}": "./o.txt\n./one.json\n",
	} {
		r := run(t, h.spec(t, "- uses: actions/download-artifact@v4\n  with: "+with+"\n- run: find . -type f | sort\n"))
		if r.log(2) != want {
			t.Errorf("%s: %q, want %q\n%s", with, r.log(2), want, r.log(1))
		}
	}
	h.artifacts[0].zip = append(bytes.Clone(h.artifacts[0].zip), 0)
	for with, want := range map[string]string{
		"{name: none}":              "artifact not found for name: none",
		"{name: one, pattern: '*'}": "exclude each other",
		"{name: two, path: ../up}":  "is not inside the workspace",
	} {
		r := run(t, h.spec(t, "- uses: actions/download-artifact@v4\n  with: "+with+"\n"))
		if r.last().Conclusion != "failure" || !strings.Contains(r.log(1), want) {
			t.Errorf("%s: %q, want %q", with, r.log(1), want)
		}
	}
}

func TestDownloadedArchiveStaysInItsFolder(t *testing.T) {
	h := serve(t)
	for _, name := range []string{"../up", "/tmp/abs", "a/../../up"} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		if _, err := z.Create(name); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		h.artifacts = []stored{{name: "evil", zip: b.Bytes(), done: true}}
		r := run(t, h.spec(t, "- uses: actions/download-artifact@v4\n  with: {name: evil, path: d}\n"))
		if r.last().Conclusion != "failure" || !strings.Contains(r.log(1), "not a file below the archive") {
			t.Errorf("%s: %q", name, r.log(1))
		}
	}
}

// What comes is not unpacked when it is not what the list says.
func TestDownloadChecksTheDigest(t *testing.T) {
	h := serve(t)
	if r := run(t, h.spec(t, "- run: echo a > f\n- uses: actions/upload-artifact@v4\n  with: {name: res, path: f}\n")); r.last().Conclusion != "success" {
		t.Fatal(r.log(2))
	}
	var other bytes.Buffer
	w := zip.NewWriter(&other)
	if _, err := w.Create("planted"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	h.artifacts[0].sent = other.Bytes()
	r := run(t, h.spec(t, "- uses: actions/download-artifact@v4\n  with: {name: res}\n- if: always()\n  run: ls\n"))
	if got := r.log(1); r.last().Conclusion != "failure" || !strings.Contains(got, "was expected") || r.log(2) != "" {
		t.Errorf("%q, and there is %q", got, r.log(2))
	}
}
