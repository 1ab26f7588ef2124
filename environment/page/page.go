// Package page shows a running forge to a person: repositories with their files, issues, runs with live
// logs, and the journal with causes. It only reads, and it loads nothing from elsewhere. What it shows can
// be read without JavaScript; with it, what is on the screen follows what happens.
//
//	server.Handle(page.Root, page.New(page.Options{Forge: server}))
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge"
)

// Root is where the page is to be mounted.
const Root = "/_/"

// Options say what is shown. Forge is needed.
type Options struct {
	Forge *forge.Server
	Note  string              // one line below the title of each page: what forge this is; "" is none
	Clean func([]byte) []byte // takes secrets out of what is sent; nil sends all
}

// New returns the page. It answers to names of this machine only: a foreign site's name that leads
// here would let that site read along.
func New(o Options) http.Handler {
	if o.Clean == nil {
		o.Clean = func(b []byte) []byte { return b }
	}
	p := &page{o: o, view: o.Forge.Admin().View()}
	p.sheets = sync.OnceValues(p.parse)
	mux := http.NewServeMux()
	for pattern, h := range p.routes() {
		mux.HandleFunc("GET "+Root+pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := h(w, r); err != nil {
				p.refuse(w, r, err)
			}
		})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !local(r.Host) {
			http.Error(w, "this page answers to names of this machine only", http.StatusForbidden)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "+
			"img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		mux.ServeHTTP(w, r)
	})
}

// handler answers, or says why it cannot and has written nothing.
type handler func(http.ResponseWriter, *http.Request) error

func (p *page) routes() map[string]handler {
	return map[string]handler{
		"{$}":       p.home,
		"style.css": p.asset("html/style.css", "text/css; charset=utf-8"),
		"icon.svg":  p.asset("html/icon.svg", "image/svg+xml"),
		"live.js":   p.asset("html/live.js", "text/javascript; charset=utf-8"),
		"": func(http.ResponseWriter, *http.Request) error {
			return missing("page", "the links above lead to all there is")
		},

		"repo/{owner}/{repo}":                 p.files,
		"repo/{owner}/{repo}/files/{path...}": p.files,
		"repo/{owner}/{repo}/commits":         p.commits,
		"repo/{owner}/{repo}/commit/{sha}":    p.commit,
		"repo/{owner}/{repo}/issues":          p.issues,
		"repo/{owner}/{repo}/issues/{number}": p.issue,
		"repo/{owner}/{repo}/runs":            p.runs,
		"repo/{owner}/{repo}/about":           p.about,
		"repo/{owner}/{repo}/hooks":           p.hooks,
		"repo/{owner}/{repo}/deliveries/{id}": p.delivery,

		"run/{id}":                     p.run,
		"run/{id}/artifact/{artifact}": p.artifact,
		"job/{id}":                     p.job,
		"job/{id}/log":                 p.log,
		"journal":                      p.journal,
		"journal/{seq}":                p.entry,
		"api":                          p.operations,
	}
}

func local(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

type page struct {
	o      Options
	view   forge.View
	sheets func() (map[string]*template.Template, error)
}

//go:embed html
var sources embed.FS

// parse reads the templates: each sheet is the frame with a main part of its own.
func (p *page) parse() (map[string]*template.Template, error) {
	frame, err := template.New("frame.html").Funcs(functions()).ParseFS(sources, "html/frame.html", "html/part.html")
	if err != nil {
		return nil, err
	}
	out := map[string]*template.Template{"part": frame}
	for _, name := range []string{"home", "files", "commits", "commit", "issues", "issue", "runs", "run", "job", "about", "hooks", "delivery", "journal", "entry", "operations", "refused"} {
		t, err := frame.Clone()
		if err == nil {
			t, err = t.ParseFS(sources, "html/"+name+".html")
		}
		if err != nil {
			return nil, err
		}
		out[name] = t
	}
	return out, nil
}

func (p *page) asset(file, kind string) handler {
	return func(w http.ResponseWriter, _ *http.Request) error {
		data, err := sources.ReadFile(file)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(data) // who has gone does not need it
		return nil
	}
}

// sheet is what the frame shows.
type sheet struct {
	Title  string
	Server string
	Note   string
	Part   string // of the navigation: repositories, journal, api
	Going  bool   // something on the sheet has not ended
	Repo   *tabs  // of a sheet that belongs to a repository
	Main   any
}

// send makes the whole sheet before it sends any of it. A reader who has the same sheet gets none.
func (p *page) send(w http.ResponseWriter, r *http.Request, status int, name string, s sheet) error {
	s.Server, s.Note = p.o.Forge.URL(), p.o.Note
	body, err := p.render(name, "frame.html", s)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:12]) + `"`
	w.Header().Set("ETag", tag)
	if status == http.StatusOK && r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body) // who has gone does not need it
	return nil
}

// render cleans twice: the values before they are escaped, and then what is sent.
func (p *page) render(name, part string, data any) ([]byte, error) {
	sheets, err := p.sheets()
	if err != nil {
		return nil, fmt.Errorf("read the templates: %w", err)
	}
	var b bytes.Buffer
	if err := sheets[name].ExecuteTemplate(&b, part, cleaned(data, p.o.Clean)); err != nil {
		return nil, fmt.Errorf("show %s: %w", name, err)
	}
	return visible(p.o.Clean(b.Bytes())), nil
}

// absent says what is not there, and what to do.
type absent struct{ what, hint string }

func (a absent) Error() string { return "there is no such " + a.what }

func missing(what, hint string) error { return absent{what, hint} }

// refuse shows why there is nothing to show.
func (p *page) refuse(w http.ResponseWriter, r *http.Request, err error) {
	status, a := http.StatusInternalServerError, absent{}
	switch {
	case errors.As(err, &a):
		status = http.StatusNotFound
	case errors.Is(err, driver.ErrNotFound):
		status, a = http.StatusNotFound, absent{"thing", "it may have been deleted; the journal tells"}
	default:
		a = absent{hint: "this is a mistake of the page; the forge itself goes on"}
	}
	what := "There is no such " + a.what
	if status != http.StatusNotFound {
		what = err.Error()
	}
	main := struct{ What, Path, Hint string }{what, r.URL.Path, a.hint}
	if err := p.send(w, r, status, "refused", sheet{Title: what, Main: main}); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
