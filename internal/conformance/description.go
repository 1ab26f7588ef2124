// Package conformance checks requests and answers against GitHub's own description of its API, and
// webhook bodies against that of its webhooks. It is for tests: a checker stands between a client
// and the forge and reports what GitHub would not have answered.
//
//	c, err := conformance.New()
//	client := &http.Client{Transport: c.Transport(t, http.DefaultTransport)}
//
// The descriptions are the npm packages that refresh names, without texts, for the groups of
// operations that the forge serves or may serve.
package conformance

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

//go:embed testdata/rest.json
var restText []byte

//go:embed testdata/webhooks.json
var webhookText []byte

// Operation is one operation of GitHub's API.
type Operation struct {
	ID     string // issues/get
	Method string
	Path   string          // /repos/{owner}/{repo}/issues/{issue_number}
	Query  map[string]bool // its query parameters; true are required
	Body   bool            // a request has a body described
	bytes  bool            // which is no JSON

	segments []string
	at       string              // JSON pointer in the description
	answers  map[string][]string // media types of each declared status
}

// String is method and path.
func (o *Operation) String() string { return o.Method + " " + o.Path }

// Declares reports whether the description has an answer of this status.
func (o *Operation) Declares(status int) bool {
	_, found := o.answers[fmt.Sprint(status)]
	return found
}

// Statuses are the declared ones, in order.
func (o *Operation) Statuses() []string {
	var all []string
	for s := range o.answers {
		all = append(all, s)
	}
	slices.Sort(all)
	return all
}

// description is the form of both files: OpenAPI's, with components at the top.
type description struct {
	Package    string                          `json:"package"`
	Paths      map[string]map[string]described `json:"paths"`
	Webhooks   map[string]map[string]described `json:"webhooks"`
	Parameters map[string]parameter            `json:"parameters"`
	Responses  map[string]body                 `json:"responses"`
	Schemas    map[string]map[string]any       `json:"schemas"`
}

type described struct {
	ID         string `json:"operationId"`
	Parameters []struct {
		parameter
		Ref string `json:"$ref"`
	} `json:"parameters"`
	Body      *body `json:"requestBody"`
	Responses map[string]struct {
		body
		Ref string `json:"$ref"`
	} `json:"responses"`
}

type parameter struct {
	Name     string         `json:"name"`
	In       string         `json:"in"`
	Required bool           `json:"required"`
	Schema   map[string]any `json:"schema"`
}

type body struct {
	Required bool                      `json:"required"`
	Content  map[string]map[string]any `json:"content"`
}

func read(text []byte) (*description, error) {
	d := &description{}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, fmt.Errorf("description: %w", err)
	}
	return d, nil
}

// operations lists what is described, with the schemas of bodies and answers put under their
// pointers in schemas.
func (d *description) operations(schemas *schemas) []*Operation {
	var all []*Operation
	for path, item := range d.Paths {
		for method, from := range item {
			o := &Operation{
				ID: from.ID, Method: strings.ToUpper(method), Path: path, Query: map[string]bool{}, answers: map[string][]string{},
				segments: strings.Split(strings.Trim(path, "/"), "/"), at: strings.ToUpper(method) + " " + path,
			}
			for _, p := range from.Parameters {
				given := p.parameter
				if p.Ref != "" {
					given = d.Parameters[strings.TrimPrefix(p.Ref, "#/parameters/")]
				}
				if given.In == "query" {
					o.Query[given.Name] = given.Required
					schemas.add(o.at+" query "+given.Name, given.Schema)
				}
			}
			if from.Body != nil {
				kinds := schemas.addContent(o.at+" body", *from.Body)
				o.Body, o.bytes = kinds != nil, kinds != nil && !slices.ContainsFunc(kinds, isJSON)
			}
			for status, answer := range from.Responses {
				given := answer.body
				if answer.Ref != "" {
					given = d.Responses[strings.TrimPrefix(answer.Ref, "#/responses/")]
				}
				o.answers[status] = schemas.addContent(o.at+" "+status, given)
			}
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b *Operation) int { return strings.Compare(a.at, b.at) })
	return all
}

// Find returns the operation of a request, or nil. Path is escaped and below the API's root. Fixed
// segments go before parameters; the value of some parameters has slashes of its own.
func (c *Checker) Find(method, path string) *Operation {
	if method == "HEAD" {
		method = "GET"
	}
	segs := strings.Split(strings.TrimPrefix(path, "/"), "/")
	var best *Operation
	most := -1
	for _, o := range c.operations {
		if o.Method != method || !match(o.segments, segs) {
			continue
		}
		// One that takes each segment for itself goes before one that swallows several.
		if n := 2*fixed(o.segments) + len(o.segments); n > most {
			best, most = o, n
		}
	}
	return best
}

func fixed(pattern []string) int {
	n := 0
	for _, s := range pattern {
		if !strings.HasPrefix(s, "{") {
			n++
		}
	}
	return n
}

func match(pattern, segs []string) bool {
	switch {
	case len(pattern) == 0:
		return len(segs) == 0 || len(segs) == 1 && segs[0] == ""
	case pattern[0] == "{path}" && len(pattern) == 1:
		return true // the root is a path, too
	case len(segs) == 0:
		return false
	case !strings.HasPrefix(pattern[0], "{"):
		s, err := url.PathUnescape(segs[0])
		return err == nil && s == pattern[0] && match(pattern[1:], segs[1:])
	}
	most := 1
	if slices.Contains([]string{"{path}", "{ref}", "{branch}", "{basehead}", "{commit_sha}"}, pattern[0]) {
		most = len(segs)
	}
	for n := 1; n <= most; n++ {
		// The beginning of all refs is nothing.
		if (segs[0] != "" || pattern[0] == "{ref}") && match(pattern[1:], segs[n:]) {
			return true
		}
	}
	return false
}

// Operations returns all that is described, by path.
func (c *Checker) Operations() []*Operation { return slices.Clone(c.operations) }
