// Command server is a forge in a process of its own, so that its processor time and memory are
// nobody else's. It prints where it serves, then its usage for each line on stdin, and ends with
// stdin, when it says how many requests the journal holds:
//
//	{"url":"http://127.0.0.1:4711/repos/acme/app/issues/1","token":"ghp_…"}
//	{"cpu_us":5120,"rss_kb":21000,"max_rss_kb":22000}
//	{"requests":1}
//
// With the argument bare, the address is that of an http.Server that answers the same bytes and does
// nothing else: what no forge in this language can be cheaper than. With the argument large, there are 1,000
// repositories more, each with 100 issues.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge"
)

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, "bench server:", err)
		os.Exit(1)
	}
}

func serve() (err error) {
	f, err := forge.New(forge.Options{})
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(context.Background()); err == nil {
			err = e
		}
	}()
	token, err := seed(f)
	if err != nil {
		return err
	}
	url := f.URL() + "/repos/acme/app/issues/1"
	if len(os.Args) == 2 && os.Args[1] == "large" {
		if err := fill(f, token); err != nil {
			return err
		}
		debug.FreeOSMemory() // what is kept is asked for, not what the making took
	}
	if len(os.Args) == 2 && os.Args[1] == "bare" {
		body, err := send(http.MethodGet, url, token, nil, http.StatusOK)
		if err != nil {
			return err
		}
		s, err := bare(body)
		if err != nil {
			return err
		}
		defer s.Close()
		url = "http://" + s.Addr
	}
	out := json.NewEncoder(os.Stdout)
	if err := out.Encode(map[string]string{"url": url, "token": token}); err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		u, err := usage()
		if err != nil {
			return err
		}
		if err := out.Encode(u); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return out.Encode(map[string]int{"requests": requests(f)})
}

// seed makes a repository with one issue, whose body has 3,000 bytes.
func seed(f *forge.Server) (token string, err error) {
	if err := f.Admin().AddUser(forge.User{Login: "ada"}); err != nil {
		return "", err
	}
	if err := f.Admin().AddOrg("acme", "ada"); err != nil {
		return "", err
	}
	if token, err = f.Admin().MintToken(forge.TokenSpec{Login: "ada", Kit: true}); err != nil {
		return "", err
	}
	if _, err := send(http.MethodPost, f.URL()+"/orgs/acme/repos", token, map[string]any{"name": "app", "auto_init": true}, http.StatusCreated); err != nil {
		return "", err
	}
	_, err = send(http.MethodPost, f.URL()+"/repos/acme/app/issues", token, map[string]any{
		"title": "The parser drops the last line", "body": strings.Repeat("steps to reproduce\n", 160)[:3000],
	}, http.StatusCreated)
	return token, err
}

// fill makes 1,000 repositories with 100 issues each, without connections.
func fill(f *forge.Server, token string) error {
	for r := range 1000 {
		repo := fmt.Sprint("repo-", r)
		if err := call(f, f.URL()+"/orgs/acme/repos", token, fmt.Sprintf(`{"name":%q,"auto_init":true}`, repo)); err != nil {
			return err
		}
		for i := range 100 {
			issue := fmt.Sprintf(`{"title":"The parser drops line %d","body":"steps to reproduce: parse a file without a newline at its end"}`, i)
			if err := call(f, f.URL()+"/repos/acme/"+repo+"/issues", token, issue); err != nil {
				return err
			}
		}
	}
	return nil
}

func call(h http.Handler, url, token, body string) error {
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	w := &statusOnly{header: http.Header{}}
	h.ServeHTTP(w, req)
	if w.status != http.StatusCreated {
		return fmt.Errorf("POST %s: %d", url, w.status)
	}
	return nil
}

// statusOnly takes an answer and keeps its status.
type statusOnly struct {
	header http.Header
	status int
}

func (w *statusOnly) Header() http.Header         { return w.header }
func (w *statusOnly) WriteHeader(status int)      { w.status = status }
func (w *statusOnly) Write(p []byte) (int, error) { return len(p), nil }

// bare serves body and nothing else, on a free port of the loopback interface.
func bare(body []byte) (*http.Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &http.Server{Addr: l.Addr().String(), ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Write(body) // whoever asked sees that it is short
	})}
	go s.Serve(l) // until Close, at the end of the process
	return s, nil
}

func send(method, url, token string, body any, want int) ([]byte, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequest(method, url, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != want {
		return nil, fmt.Errorf("%s %s: %s", method, url, res.Status)
	}
	return io.ReadAll(res.Body)
}

// usage is the processor time so far and the memory now.
func usage() (map[string]int64, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return nil, err
	}
	rss, err := resident(u)
	if err != nil {
		return nil, err
	}
	return map[string]int64{"cpu_us": (u.Utime.Nano() + u.Stime.Nano()) / 1000, "rss_kb": rss, "max_rss_kb": u.Maxrss}, nil
}

func requests(f *forge.Server) (n int) {
	for _, e := range f.Admin().Journal().Entries(0) {
		if e.Type == "request" {
			n++
		}
	}
	return n
}

// resident is the memory of this process in kilobytes; where /proc is missing, its highest so far.
func resident(u syscall.Rusage) (int64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return u.Maxrss, nil
	}
	for line := range strings.SplitSeq(string(status), "\n") {
		if v, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			return strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(v), " kB"), 10, 64)
		}
	}
	return 0, fmt.Errorf("/proc/self/status has no VmRSS")
}
