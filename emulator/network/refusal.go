package network

import (
	"net/http"
	"strconv"
	"strings"
	"unicode"

	"github.com/understudy-dev/understudy/internal/journal"
)

// Refusal is an attempt to reach something that is not behind the door.
type Refusal struct {
	What string // "CONNECT example.com:443", "GET http://example.com/", "name example.com", "TCP 192.0.2.1:22"
	By   string // the program, as far as it told its name: "curl"
	Why  string
}

// refuse answers, journals and reports.
func (d *Door) refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	if d.o.Ledger != nil {
		ob := d.o.Ledger.Open("door request " + r.Host)
		defer ob.Close()
	}
	d.record(subject(r), r.URL.Hostname(), "refused", status)
	d.tell(Refusal{What: subject(r), By: program(r), Why: why})
	http.Error(w, "understudy: "+why, status)
}

// report journals and reports an attempt that is no HTTP request.
func (d *Door) report(f Refusal) {
	d.record(f.What, "", "refused", 0)
	d.tell(f)
}

func (d *Door) tell(f Refusal) {
	if d.o.Refused == nil {
		return
	}
	d.telling.Lock()
	defer d.telling.Unlock()
	d.o.Refused(f)
}

// subject names a request without user and query: both may carry secrets.
func subject(r *http.Request) string {
	if r.Method == http.MethodConnect || !r.URL.IsAbs() {
		return r.Method + " " + r.Host
	}
	return r.Method + " " + r.URL.Scheme + "://" + r.URL.Host + r.URL.EscapedPath()
}

// program is the name in front of the slash of a User-Agent, if it looks like one.
func program(r *http.Request) string {
	name, _, _ := strings.Cut(r.UserAgent(), "/")
	plain := func(c rune) bool {
		return c != '-' && c != '_' && c != '.' && c != ' ' && !unicode.IsLetter(c) && !unicode.IsDigit(c)
	}
	if len(name) > 40 || strings.ContainsFunc(name, plain) {
		return ""
	}
	return name
}

func (d *Door) record(subject, host, decision string, status int) {
	if d.o.Journal == nil {
		return
	}
	detail := map[string]string{"decision": decision}
	if status != 0 {
		detail["status"] = strconv.Itoa(status)
	}
	if host != "" {
		detail["host"] = host
	}
	d.o.Journal.Append(journal.Entry{Kind: journal.Change, Type: "door.request", Subject: subject, Detail: detail})
}
