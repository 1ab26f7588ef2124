package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/suite/hole"
	"github.com/understudy-dev/understudy/trial"
)

// planHoles shows what no configured run of a suite covers.
func planHoles(o Options, paths []string, asJSON bool) error {
	c, err := trial.FindConfig(paths[0], "")
	if err != nil {
		return explain(err)
	}
	r, err := c.ReadReach()
	if err != nil {
		return err
	}
	out := holesOf(c, r)
	if asJSON {
		return writeJSON(o.Stdout, out)
	}
	out.print(o.Stdout)
	return nil
}

// holed is what `understudy plan --holes` shows.
type holed struct {
	Suite     string      `json:"suite"`
	Scenarios int         `json:"scenarios"`
	Runs      []holedRun  `json:"runs"`
	Holes     []knownHole `json:"holes"`
}

type holedRun struct {
	Name         string              `json:"name"`
	Tags         string              `json:"tags,omitempty"`
	Capabilities []driver.Capability `json:"capabilities"` // null is what the platform file declares
	Scenarios    int                 `json:"scenarios"`
}

func (r holedRun) declared() string {
	if r.Capabilities == nil {
		return "the platform file's"
	}
	return cmp.Or(strings.Trim(fmt.Sprint(r.Capabilities), "[]"), "none")
}

type knownHole struct {
	hole.Hole
	Reason string `json:"reason,omitempty"` // none: nobody knows of it
	Since  string `json:"since,omitempty"`
}

func holesOf(c trial.Config, r trial.Reach) holed {
	out := holed{Suite: c.Name, Scenarios: len(r.Suite.Scenarios), Runs: []holedRun{}, Holes: []knownHole{}}
	for _, one := range r.Runs {
		out.Runs = append(out.Runs, holedRun{one.Name, one.Tags, one.Capabilities, one.Scenarios})
	}
	for _, h := range hole.Find(r.Suite) {
		e, _ := hole.Known(c.Holes, h)
		out.Holes = append(out.Holes, knownHole{h, strings.TrimSpace(e.Reason), e.Since})
	}
	return out
}

func (h holed) print(w io.Writer) {
	for _, r := range h.Runs {
		fmt.Fprintf(w, "run %s: %d of %s, tags %s, capabilities %s\n", r.Name, r.Scenarios, counted(h.Scenarios, "scenario"), cmp.Or(r.Tags, "any"), r.declared())
	}
	unknown := 0
	for _, k := range h.Holes {
		fmt.Fprintf(w, "\n%s\n    %s\n", k.Hole, k.Why)
		if k.Reason == "" && k.Since == "" {
			unknown++
			fmt.Fprintf(w, "    nobody knows of it: no entry in holes of %s\n", trial.ConfigFile)
			continue
		}
		fmt.Fprintf(w, "    known since %s: %s\n", cmp.Or(k.Since, "nobody says when"), cmp.Or(k.Reason, "nobody says why"))
	}
	if len(h.Holes) == 0 {
		fmt.Fprintln(w, "no holes")
		return
	}
	fmt.Fprintf(w, "\n%s, %d known\n", counted(len(h.Holes), "hole"), len(h.Holes)-unknown)
}
