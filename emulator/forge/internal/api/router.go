package api

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// route is one operation of the dialect. http.ServeMux cannot hold them all: the dialect has
// /issues/comments/{id} beside /issues/{number}/comments.
type route struct {
	method  string
	pattern string   // "/repos/{owner}/{repo}/contents/{path...}"; the last form takes the rest, also none, or what stands before "/status"
	query   []string // parameters understood, beside per_page and page for lists
	list    bool
	app     bool     // for an app, by its JSON Web Token
	media   []string // forms of the answer beside the usual one: raw, sha
	do      func(*call) (answer, error)
}

func (r route) takes(query string) bool {
	return r.list && (query == "per_page" || query == "page") || slices.Contains(r.query, query)
}

type router struct{ root *branch }

type branch struct {
	name   string // of the parameter that leads here
	fixed  map[string]*branch
	any    *branch
	rest   *branch
	routes map[string]route // by method
}

func newBranch() *branch {
	return &branch{fixed: map[string]*branch{}, routes: map[string]route{}}
}

func newRouter() *router { return &router{newBranch()} }

func (t *router) add(r route) {
	b := t.root
	for _, seg := range strings.Split(strings.Trim(r.pattern, "/"), "/") {
		next := b.fixed[seg]
		switch {
		case strings.HasSuffix(seg, "...}"):
			if b.rest == nil {
				b.rest = newBranch()
			}
			next = b.rest
			next.name = seg[1 : len(seg)-4]
		case strings.HasPrefix(seg, "{"):
			if b.any == nil {
				b.any = newBranch()
			}
			next = b.any
			next.name = seg[1 : len(seg)-1]
		case next == nil:
			next = newBranch()
			b.fixed[seg] = next
		}
		b = next
	}
	b.routes[r.method] = r
}

// find returns the route of a request and its decoded path parameters; the zero route is unknown.
func (t *router) find(method, escaped string) (route, map[string]string) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	segs := strings.Split(strings.Trim(escaped, "/"), "/")
	for i, s := range segs {
		d, err := url.PathUnescape(s)
		if err != nil {
			return route{}, nil
		}
		segs[i] = d
	}
	param := map[string]string{}
	return t.root.find(method, segs, param), param
}

func (b *branch) find(method string, segs []string, param map[string]string) route {
	if len(segs) == 0 {
		if r, ok := b.routes[method]; ok {
			return r
		}
		if b.rest != nil {
			param[b.rest.name] = ""
			return b.rest.routes[method]
		}
		return route{}
	}
	if next := b.fixed[segs[0]]; next != nil {
		if r := next.find(method, segs[1:], param); r.do != nil {
			return r
		}
	}
	if b.any != nil && segs[0] != "" {
		if r := b.any.find(method, segs[1:], param); r.do != nil {
			param[b.any.name] = segs[0]
			return r
		}
	}
	return b.findRest(method, segs, param)
}

// findRest is for what a parameter takes whole, such as the name of a ref: all segments, or those before one that
// a pattern ends with.
func (b *branch) findRest(method string, segs []string, param map[string]string) route {
	if b.rest == nil {
		return route{}
	}
	last := len(segs) - 1
	if next := b.rest.fixed[segs[last]]; next != nil && last > 0 {
		if r := next.find(method, nil, param); r.do != nil {
			param[b.rest.name] = strings.Join(segs[:last], "/")
			return r
		}
	}
	param[b.rest.name] = strings.Join(segs, "/")
	return b.rest.routes[method]
}
