package api

import (
	"errors"
	"net/http"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func (a *API) cacheRoutes() []route {
	const caches = "/repos/{owner}/{repo}/actions/caches"
	return []route{
		{method: http.MethodGet, pattern: caches, list: true, query: []string{"key", "ref", "sort", "direction"}, do: a.listCaches},
		{method: http.MethodDelete, pattern: caches, query: []string{"key", "ref"}, do: a.deleteCaches},
		{method: http.MethodDelete, pattern: caches + "/{id}", do: func(c *call) (answer, error) {
			id, err := c.number("id")
			if err != nil {
				return answer{}, err
			}
			if err := a.State.DeleteCache(c.who, c.repo(), id); err != nil {
				return answer{}, err
			}
			if err := a.DropCache(id); err != nil {
				return answer{}, err
			}
			return noContent()
		}},
		{method: http.MethodGet, pattern: "/repos/{owner}/{repo}/actions/cache/usage", do: func(c *call) (answer, error) {
			usage, err := a.State.CacheUsage(c.who, c.repo())
			if err != nil {
				return answer{}, err
			}
			return ok(usage)
		}},
	}
}

func (a *API) listCaches(c *call) (answer, error) {
	q := c.URL.Query()
	in := state.CacheQuery{Key: q.Get("key"), Ref: q.Get("ref"), Sort: q.Get("sort")}
	switch in.Sort {
	case "", "created_at", "last_accessed_at", "size_in_bytes":
	default:
		return answer{}, wire.Unprocessable("Invalid request.\n\nsort is one of created_at, last_accessed_at, size_in_bytes")
	}
	switch q.Get("direction") {
	case "", "desc":
	case "asc":
		in.Ascending = true
	default:
		return answer{}, wire.Unprocessable("Invalid request.\n\ndirection is asc or desc")
	}
	all, err := a.State.Caches(c.who, c.repo(), in)
	return counted(c, a.Base, "actions_caches", all, err)
}

func (a *API) deleteCaches(c *call) (answer, error) {
	gone, err := a.State.DeleteCaches(c.who, c.repo(), c.URL.Query().Get("key"), c.URL.Query().Get("ref"))
	if err != nil {
		return answer{}, err
	}
	var errs error
	for _, x := range gone {
		errs = errors.Join(errs, a.DropCache(x.ID))
	}
	if errs != nil {
		return answer{}, errs
	}
	return ok(map[string]any{"total_count": len(gone), "actions_caches": gone})
}
