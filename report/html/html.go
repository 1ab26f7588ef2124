// Package html renders a record as one page that needs nothing but itself: style and script are
// inside, it loads nothing, and it works from a file. Evidence is linked by relative path.
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
	//go:embed page.js
	pageJS string

	page = template.Must(template.New("page").Parse(pageHTML))
)

// Format renders the page. The zero value is ready.
type Format struct {
	Base string // the run's directory as seen from where the page lies; "" when it lies in it
}

var _ report.Format = Format{}

// Write renders r.
func (f Format) Write(w io.Writer, r result.Record) error {
	b := bufio.NewWriter(w)
	if err := page.Execute(b, view(r, f.Base)); err != nil {
		return fmt.Errorf("write html report: %w", err)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write html report: %w", err)
	}
	return nil
}

// policy lets the page run its own style and script and nothing else, so that even a flaw in the
// escaping of what a platform printed could not run anything.
func policy() string {
	hash := func(s string) string {
		sum := sha256.Sum256([]byte(s))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; style-src " + hash(pageCSS) + "; script-src " + hash(pageJS)
}
