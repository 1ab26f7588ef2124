package page

import (
	"net/http"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// group is the operations of one tag.
type group struct {
	Tag    string
	Served int
	All    []forge.Operation
}

// operations shows which of GitHub's operations are served.
func (p *page) operations(w http.ResponseWriter, r *http.Request) error {
	var main struct {
		Served, Total int
		Groups        []group
	}
	for _, o := range forge.Operations() {
		if n := len(main.Groups); n == 0 || main.Groups[n-1].Tag != o.Tag {
			main.Groups = append(main.Groups, group{Tag: o.Tag})
		}
		g := &main.Groups[len(main.Groups)-1]
		g.All = append(g.All, o)
		main.Total++
		if o.Served {
			main.Served++
			g.Served++
		}
	}
	return p.send(w, r, http.StatusOK, "operations", sheet{Title: "API", Part: "api", Main: main})
}
