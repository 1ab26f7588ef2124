package api

import (
	_ "embed"
	"strings"
)

// operationList names all operations of GitHub's REST API, a line each: tag, method, path and id. It is
// written by internal/conformance/refresh.
//
//go:embed operations.txt
var operationList string

// Operation is one operation of GitHub's REST API.
type Operation struct {
	Tag    string // issues
	Method string
	Path   string
	ID     string // issues/get
	Served bool
}

// Operations returns all operations that GitHub describes, by tag.
func Operations() []Operation {
	served := map[string]bool{}
	for _, r := range Routes() {
		served[shape(r.Method, r.Pattern)] = true
	}
	var all []Operation
	for line := range strings.Lines(operationList) {
		f := strings.Fields(line)
		all = append(all, Operation{Tag: f[0], Method: f[1], Path: f[2], ID: f[3], Served: served[shape(f[1], f[2])]})
	}
	return all
}

// shape is a method and a path in which parameters have no names.
func shape(method, path string) string {
	segs := strings.Split(path, "/")
	for i, s := range segs {
		if strings.HasPrefix(s, "{") {
			segs[i] = "{}"
		}
	}
	return method + " " + strings.Join(segs, "/")
}
