package api

import (
	"cmp"
	"slices"
)

// Route is one operation that is served.
type Route struct {
	Method  string
	Pattern string   // "/repos/{owner}/{repo}/contents/{path...}"; the last form takes the rest, also none
	Query   []string // parameters understood, beside per_page and page of a list
	List    bool     // the answer is cut into pages
	App     bool     // for an app, by its JSON Web Token
}

// Routes returns all operations of the REST API by pattern and method.
func Routes() []Route {
	var out []Route
	New(Options{}).routes.root.each(func(r route) {
		out = append(out, Route{Method: r.method, Pattern: r.pattern, Query: r.query, List: r.list, App: r.app})
	})
	slices.SortFunc(out, func(a, b Route) int {
		return cmp.Or(cmp.Compare(a.Pattern, b.Pattern), cmp.Compare(a.Method, b.Method))
	})
	return out
}

func (b *branch) each(do func(route)) {
	if b == nil {
		return
	}
	for _, r := range b.routes {
		do(r)
	}
	for _, next := range b.fixed {
		next.each(do)
	}
	b.any.each(do)
	b.rest.each(do)
}
