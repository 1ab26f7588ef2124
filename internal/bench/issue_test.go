package bench_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// server is a process that serves one issue and tells its own usage.
type server struct {
	URL, Token string
	in         io.WriteCloser
	out        *bufio.Reader
	client     *http.Client
}

type usage struct {
	CPU    float64 `json:"cpu_us"`
	RSS    float64 `json:"rss_kb"`
	MaxRSS float64 `json:"max_rss_kb"`
}

func serve(b *testing.B, name string, args ...string) *server {
	b.Helper()
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	must(b, err)
	out, err := cmd.StdoutPipe()
	must(b, err)
	must(b, cmd.Start())
	transport := &http.Transport{}
	s := &server{in: in, out: bufio.NewReader(out), client: &http.Client{Transport: transport}}
	b.Cleanup(func() {
		transport.CloseIdleConnections()
		in.Close()
		if err := cmd.Wait(); err != nil {
			b.Errorf("%s: %v", name, err)
		}
	})
	s.read(b, s)
	return s
}

func (s *server) read(b *testing.B, into any) {
	b.Helper()
	line, err := s.out.ReadBytes('\n')
	must(b, err)
	must(b, json.Unmarshal(line, into))
}

func (s *server) usage(b *testing.B) (u usage) {
	b.Helper()
	_, err := io.WriteString(s.in, "\n")
	must(b, err)
	s.read(b, &u)
	return u
}

func (s *server) get(b *testing.B) {
	b.Helper()
	req, err := http.NewRequest(http.MethodGet, s.URL, nil)
	must(b, err)
	req.Header.Set("Authorization", "Bearer "+s.Token)
	res, err := s.client.Do(req)
	must(b, err)
	body, err := io.ReadAll(res.Body)
	must(b, err)
	res.Body.Close()
	if res.StatusCode != http.StatusOK || len(body) < 3000 {
		b.Fatalf("GET %s = %s: %s", s.URL, res.Status, body)
	}
}

// eachOf is the processor time of every server for one request: the median of blocks. They take
// turns, so that what else the machine does meets all of them.
func eachOf(b *testing.B, servers []*server) []float64 {
	b.Helper()
	took := make([][]float64, len(servers))
	for _, s := range servers {
		for range warm {
			s.get(b)
		}
	}
	for range blocks {
		for i, s := range servers {
			before := s.usage(b)
			for range block {
				s.get(b)
			}
			took[i] = append(took[i], (s.usage(b).CPU-before.CPU)/block)
		}
	}
	median := make([]float64, len(servers))
	for i, t := range took {
		slices.Sort(t)
		median[i] = t[len(t)/2]
	}
	return median
}

// emulate answers 5,000 requests an hour, so this is what all get.
const warm, blocks, block = 1000, 13, 300

// buildServer makes the program of ./server.
func buildServer(b *testing.B) (exe string) {
	b.Helper()
	exe = filepath.Join(b.TempDir(), "server")
	out, err := exec.Command("go", "build", "-o", exe, "./server").CombinedOutput()
	if err != nil {
		b.Fatalf("build server: %v\n%s", err, out)
	}
	return exe
}

// issue asks a forge in a process of its own for one issue, over one connection.
func issue(b *testing.B, t *table) {
	exe := buildServer(b)
	servers := []*server{serve(b, exe), serve(b, exe, "bare")}
	peer, why := emulate(b)
	if peer != nil {
		servers = append(servers, peer)
	}
	var idle []float64
	for _, s := range servers {
		idle = append(idle, s.usage(b).RSS/1024)
	}
	cpu := eachOf(b, servers)
	after := servers[0].usage(b)
	const n = warm + blocks*block
	must(b, servers[0].in.Close())
	var last struct{ Requests int }
	servers[0].read(b, &last)
	if last.Requests < n {
		b.Fatalf("the journal holds %d requests, want %d", last.Requests, n)
	}
	peerCPU, peerRSS := why, why
	if peer != nil {
		peerCPU, peerRSS = fmt.Sprintf("emulate@0.12.2: %.0f µs", cpu[2]), fmt.Sprintf("emulate@0.12.2: %.0f MB", idle[2])
	}
	t.add(figure{name: "GET issue: CPU of the forge", value: cpu[0], target: 80, unit: "µs", format: "%.0f",
		peer: fmt.Sprintf("bare net/http, same bytes: %.0f µs; %s", cpu[1], peerCPU)})
	t.add(figure{name: "forge: memory when idle", value: idle[0], target: 40, unit: "MB", format: "%.0f", peer: peerRSS})
	t.add(figure{name: fmt.Sprintf("forge: memory after %d requests, all in the journal", n), value: after.RSS / 1024, unit: "MB", format: "%.0f"})
}

// emulate is npm's emulate with the same issue, where BENCH_EMULATE says that it is installed; or why
// it is not there.
func emulate(b *testing.B) (s *server, why string) {
	b.Helper()
	dir := os.Getenv("BENCH_EMULATE")
	if dir == "" {
		return nil, "emulate skipped: BENCH_EMULATE names no directory"
	}
	dir, err := filepath.Abs(dir)
	must(b, err)
	const pkg = "node_modules/emulate/package.json"
	data, err := os.ReadFile(filepath.Join(dir, pkg))
	if err != nil || !strings.Contains(string(data), `"version": "0.12.2"`) {
		return nil, "emulate skipped: BENCH_EMULATE/" + pkg + " is not version 0.12.2"
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, "emulate skipped: node is not on the PATH"
	}
	return serve(b, node, "testdata/emulate.mjs", dir), ""
}

// handler is the same without a connection: routing, token, journal, JSON.
func handler(b *testing.B, t *table) {
	f, url, token := newForge(b)
	body, err := json.Marshal(map[string]any{"title": "The parser drops the last line", "body": strings.Repeat("steps to reproduce\n", 160)[:3000]})
	must(b, err)
	ask(b, f, "POST", url+"/repos/acme/app/issues", token, string(body), http.StatusCreated)
	req := httptest.NewRequest("GET", url+"/repos/acme/app/issues/1", nil)
	req.Header.Set("Authorization", "Bearer "+token)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := rusage(b, 0)
	for b.Loop() {
		rec := httptest.NewRecorder()
		f.ServeHTTP(rec, req)
		if rec.Code != http.StatusOK {
			b.Fatal(rec.Code, rec.Body)
		}
	}
	cpu := rusage(b, 0) - start
	runtime.ReadMemStats(&after)
	t.add(figure{name: "GET issue: handler alone", value: micro(cpu, b.N), target: 30, unit: "µs", format: "%.1f",
		peer: fmt.Sprintf("%d allocations, %.1f KB", (after.Mallocs-before.Mallocs)/uint64(b.N), float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/1024)})
}

// newForge is a forge in this process with acme/app in it.
func newForge(b *testing.B) (f *forge.Server, url, token string) {
	b.Helper()
	f, err := forge.New(forge.Options{})
	must(b, err)
	b.Cleanup(func() { must(b, f.Close(context.Background())) })
	must(b, f.Admin().AddUser(forge.User{Login: "ada"}))
	must(b, f.Admin().AddOrg("acme", "ada"))
	token, err = f.Admin().MintToken(forge.TokenSpec{Login: "ada", Kit: true})
	must(b, err)
	ask(b, f, "POST", f.URL()+"/orgs/acme/repos", token, `{"name":"app","auto_init":true}`, http.StatusCreated)
	return f, f.URL(), token
}

func ask(b *testing.B, h http.Handler, method, url, token, body string, want int) {
	b.Helper()
	req := httptest.NewRequest(method, url, strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer "+token)
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	if rec.Code != want {
		b.Fatalf("%s %s = %d, want %d: %s", method, url, rec.Code, want, rec.Body)
	}
}
