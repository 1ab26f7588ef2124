package html

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/result"
)

// nodeView is a node of the causal tree as the page shows it.
type nodeView struct {
	ID       string // "run 5"; empty for leaves
	Kind     string
	Title    string
	Note     string
	Words    string // the last words of a log, for a job that failed
	Status   string
	Bad      bool
	Quiet    bool // a read: shown, but not loud
	Times    int  // how often the same read was made
	Children []nodeView
}

// nodes leaves out what only the kit read and joins equal reads.
func nodes(tree []*result.Node) []nodeView {
	var out []nodeView
	for _, n := range tree {
		v := node(n)
		if n.Kind == result.KindStep {
			v.Children = slices.DeleteFunc(v.Children, func(c nodeView) bool { return c.Quiet && !c.Bad })
			if len(v.Children) == 0 {
				continue
			}
		}
		if last := len(out) - 1; v.Quiet && last >= 0 && same(out[last], v) {
			out[last].Times++
			continue
		}
		out = append(out, v)
	}
	return out
}

func same(a, b nodeView) bool {
	return a.Quiet && a.Title == b.Title && a.Status == b.Status && a.Note == b.Note
}

func node(n *result.Node) nodeView {
	v := nodeView{Kind: string(n.Kind), Title: n.Title, Status: n.Status, Bad: n.Failed(), Times: 1, Children: nodes(n.Children)}
	switch n.Kind {
	case result.KindStep, result.KindRun, result.KindJob:
		v.ID = strings.Replace(n.ID, ":", " ", 1)
	case result.KindRequest:
		v.Quiet = !n.Changes()
	case result.KindUnattributed:
		v.Title = "Nobody is known to have caused"
	case result.KindEvent:
		if label := n.Detail["label"]; label != "" {
			v.Note = fmt.Sprintf("“%s”", label)
		}
	}
	if n.Unfinished {
		v.Status, v.Bad = "not finished", true
	}
	if step := n.Detail["failed_step"]; step != "" {
		v.Note = fmt.Sprintf("at “%s”", step)
	}
	v.Note = cmp.Or(v.Note, n.Detail["reason"])
	v.Words = n.Detail["error"]
	if n.Actor != "" && n.Kind != result.KindRun && n.Kind != result.KindJob {
		v.Note = strings.TrimSpace(v.Note + " by " + n.Actor)
	}
	return v
}
