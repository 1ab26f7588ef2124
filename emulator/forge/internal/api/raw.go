package api

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// rawFile serves /raw/{owner}/{repo}/{ref}/{path}, as raw.githubusercontent.com does. A ref may
// contain slashes, so the shortest ref that exists and holds the path is taken.
func (a *API) rawFile(c *call, path string) (answer, error) {
	segs := strings.Split(strings.TrimPrefix(path, "/raw/"), "/")
	for i, s := range segs {
		d, err := url.PathUnescape(s)
		if err != nil {
			return answer{}, wire.NotFound()
		}
		segs[i] = d
	}
	if len(segs) < 4 || c.Method != http.MethodGet && c.Method != http.MethodHead {
		return answer{}, wire.NotFound()
	}
	full := segs[0] + "/" + segs[1]
	for n := 3; n < len(segs); n++ {
		_, g, sha, err := a.at(c, full, strings.TrimPrefix(strings.Join(segs[2:n], "/"), "refs/heads/"))
		if err != nil {
			continue
		}
		e, err := g.Find(sha, strings.Join(segs[n:], "/"))
		if err != nil || e.Type != "blob" {
			continue
		}
		data, err := g.Blob(e.SHA, largeBody)
		if err != nil {
			return answer{}, err
		}
		return answer{status: http.StatusOK, raw: data, kind: "text/plain; charset=utf-8"}, nil
	}
	return answer{}, wire.NotFound()
}
