// Package html renders a record as one page that needs nothing but itself: style, script and data
// are inside, it loads nothing, and it works from a file. Evidence is linked by relative path.
//
// The list of scenarios is plain HTML, so it is there at once and also without script. What is inside
// a scenario is packed beside it and made when somebody opens it, so that a thousand of them do not lag.
//
//	err := html.Format{Base: "runs/20260820T091401Z-1/"}.Write(w, record)
package html

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"github.com/understudy-dev/understudy/report"
	"github.com/understudy-dev/understudy/result"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed inside.css
	insideCSS string
	//go:embed js/data.js
	dataJS string
	//go:embed js/inside.js
	insideJS string
	//go:embed js/timeline.js
	timelineJS string
	//go:embed js/list.js
	listJS string
	//go:embed js/keys.js
	keysJS string

	page = template.Must(template.New("page").Parse(pageHTML))
)

// Format renders the page. The zero value is ready.
type Format struct {
	Base string // the run's directory as seen from where the page lies; "" when it lies in it
}

var _ report.Format = Format{}

// Write renders r.
func (f Format) Write(w io.Writer, r result.Record) error {
	v, err := view(r, f.Base)
	if err != nil {
		return fmt.Errorf("write html report: %w", err)
	}
	b := bufio.NewWriter(w)
	if err := page.Execute(b, v); err != nil {
		return fmt.Errorf("write html report: %w", err)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write html report: %w", err)
	}
	return nil
}

func style() string { return pageCSS + insideCSS }

// script keeps the names of the page's files to the page.
func script() string {
	return "\"use strict\";\n(() => {\n" + dataJS + insideJS + timelineJS + listJS + keysJS + "})();\n"
}

// policy lets the page run its own style and script and nothing else, so that even a flaw in the
// escaping of what a platform printed could not run anything.
func policy() string {
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " + hash(style()) + "; script-src " + hash(script())
}
