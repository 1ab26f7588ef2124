// Package page shows a running forge to a person: repositories, issues, runs with their jobs and logs,
// and the journal with causes. It only reads.
//
//	server.Handle(page.Root, page.New(page.Options{Forge: server}))
package page

import (
	"bytes"
	_ "embed"
	"errors"
	"html/template"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/internal/journal"
)

// Root is where the page is to be mounted.
const Root = "/_/"

// shown is how many changes the page shows, unless it is asked for all.
const shown = 200

// longest is how much of a log is shown: its end.
const longest = 1 << 20

// Options say what is shown. Forge is needed.
type Options struct {
	Forge *forge.Server
	Clean func([]byte) []byte // takes secrets out of what is sent; nil sends all
}

// New returns the page. It answers to names of this machine only: a foreign site's name that leads
// here would let that site read along.
func New(o Options) http.Handler {
	if o.Clean == nil {
		o.Clean = func(b []byte) []byte { return b }
	}
	p := page{o}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Root+"{$}", p.overview)
	mux.HandleFunc("GET "+Root+"log/{job}", p.log)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !local(r.Host) {
			http.Error(w, "this page answers to names of this machine only", http.StatusForbidden)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		mux.ServeHTTP(w, r)
	})
}

func local(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

type page struct{ o Options }

//go:embed page.html
var source string

// pages parses the templates; they are small, and a person does not look often.
func pages() (*template.Template, error) {
	return template.New("page").Funcs(template.FuncMap{
		"clock": func(t time.Time) string { return t.Local().Format("15:04:05") },
		"took":  took,
		"tone":  tone,
		"at":    at,
	}).Parse(source)
}

// at is where the page shows a cause; "" is nowhere, as for a token.
func at(cause string) string {
	switch kind, id, _ := strings.Cut(cause, ":"); kind {
	case "event", "run", "job":
		return "#" + kind + "-" + id
	}
	return ""
}

// took is how long something that may not have ended took.
func took(from, to time.Time) string {
	if from.IsZero() || to.IsZero() {
		return ""
	}
	return to.Sub(from).Round(time.Second).String()
}

// tone is the colour of a run or a job.
func tone(status, conclusion string) string {
	switch {
	case status != "completed":
		return "going"
	case conclusion == "success":
		return "good"
	case conclusion == "skipped" || conclusion == "cancelled":
		return "quiet"
	}
	return "bad"
}

// view is what the overview shows.
type view struct {
	Server  string
	Repos   []forge.RepoView
	Changes []journal.Entry // latest first
	Total   int
	Live    bool // something runs
}

func (p page) overview(w http.ResponseWriter, r *http.Request) {
	v := view{Server: p.o.Forge.URL(), Repos: p.o.Forge.Admin().Overview()}
	for _, repo := range v.Repos {
		for _, run := range repo.Runs {
			v.Live = v.Live || run.Run.Status != "completed"
		}
	}
	all := p.o.Forge.Admin().Journal().Entries(0)
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Kind != journal.Change {
			continue
		}
		if v.Total++; v.Total <= shown || r.URL.Query().Has("all") {
			v.Changes = append(v.Changes, all[i])
		}
	}
	p.send(w, "overview", v)
}

// joblog is what a log's page shows.
type joblog struct {
	Repo string
	Run  forge.Run
	Job  forge.Job
	Text string
	Cut  int // bytes before Text
	Live bool
}

func (p page) log(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.PathValue("job"), 10, 64)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	v, ok := p.find(id)
	text, err := p.o.Forge.Admin().Log(id)
	switch {
	case !ok || errors.Is(err, driver.ErrNotFound):
		http.NotFound(w, r)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if len(text) > longest {
		text, v.Cut = text[len(text)-longest:], len(text)-longest
	}
	v.Text = string(bytes.ToValidUTF8(text, []byte("\uFFFD")))
	v.Live = v.Job.Status != "completed"
	p.send(w, "log", v)
}

func (p page) find(id int64) (joblog, bool) {
	for _, repo := range p.o.Forge.Admin().Overview() {
		for _, run := range repo.Runs {
			for _, j := range run.Jobs {
				if j.ID == id {
					return joblog{Repo: repo.Name, Run: run.Run, Job: j}, true
				}
			}
		}
	}
	return joblog{}, false
}

// send makes the whole page before it sends any of it.
func (p page) send(w http.ResponseWriter, name string, data any) {
	t, err := pages()
	var b bytes.Buffer
	if err == nil {
		err = t.ExecuteTemplate(&b, name, data)
	}
	if err != nil {
		http.Error(w, "show the page: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(p.o.Clean(b.Bytes())) // who has gone does not need it
}
