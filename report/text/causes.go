package text

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/understudy-dev/understudy/result"
)

// maxLeaves is how many calls of one job a block shows.
const maxLeaves = 14

// causes shows how it came about: what the steps set going, down to the calls of the jobs that did
// not end well. Runs that ended well are left out when some did not; when all did, what their jobs
// changed is shown. The kit's own calls are always left out.
func (b *block) causes(s result.Scenario) {
	tree := result.Tree(s.Journal)
	wrong := slices.ContainsFunc(tree, troubled)
	var roots []*result.Node
	for _, n := range tree {
		if leadsToRun(n) && (!wrong || troubled(n)) || struck(n) || n.Kind == result.KindUnattributed && troubled(n) {
			roots = append(roots, n)
		}
	}
	if len(roots) == 0 {
		return
	}
	b.gap()
	b.line("  %s", b.o.paint(bold, "what led to what"))
	for _, n := range roots {
		text := oneLine(n.Title)
		if n.Kind == result.KindStep {
			text = named(n)
		}
		b.line("    %s", text)
		b.below(n, "    ", wrong)
	}
}

// troubled tells whether anything in the tree went wrong or did not end.
func troubled(n *result.Node) bool {
	return n.Failed() || n.Unfinished || slices.ContainsFunc(n.Children, troubled)
}

// struck tells whether a fault struck in the tree, which is shown wherever it stands.
func struck(n *result.Node) bool {
	return n.Struck() || slices.ContainsFunc(n.Children, struck)
}

func leadsToRun(n *result.Node) bool {
	return n.Kind == result.KindRun || n.Kind == result.KindJob || slices.ContainsFunc(n.Children, leadsToRun)
}

func (b *block) below(n *result.Node, indent string, wrong bool) {
	shown := slices.DeleteFunc(slices.Clone(n.Children), func(c *result.Node) bool { return hidden(n, c, wrong) })
	more := 0
	if len(shown) > maxLeaves {
		kept := shown[:maxLeaves:maxLeaves]
		for _, c := range shown[maxLeaves:] { // what went wrong is shown wherever it stands
			if troubled(c) {
				kept = append(kept, c)
			}
		}
		more, shown = len(shown)-len(kept), kept
	}
	for i, c := range shown {
		branch, next := "├ ", "│ "
		if i == len(shown)-1 && more == 0 {
			branch, next = "└ ", "  "
		}
		b.node(c, indent+branch)
		b.below(c, indent+next, wrong)
	}
	if more > 0 {
		b.line("%s", b.o.paint(dim, fmt.Sprintf("%s└ … %d more", indent, more)))
	}
}

func hidden(parent, n *result.Node, wrong bool) bool {
	switch n.Kind {
	case result.KindRun:
		return wrong && !troubled(n)
	case result.KindJob:
		return false
	}
	if !wrong && n.Kind == result.KindEvent && parent.Kind == result.KindJob {
		return false // no run failed, so what the jobs did is what the step did not expect
	}
	inTrouble := parent.Kind == result.KindJob && (parent.Failed() || parent.Unfinished)
	return !inTrouble && !troubled(n) && !struck(n) && (wrong || !leadsToRun(n))
}

func (b *block) node(n *result.Node, indent string) {
	text := oneLine(n.Title)
	switch n.Kind {
	case result.KindRun, result.KindJob:
		text = named(n)
	case result.KindEvent:
		if label := n.Detail["label"]; label != "" {
			text += " “" + oneLine(label) + "”"
		}
		if n.Actor != "" {
			text += " by " + oneLine(n.Actor)
		}
	}
	status, style := oneLine(n.Status), dim
	if n.Unfinished {
		status, style = "not finished", yellow
	}
	if n.Failed() {
		style = red
	}
	if step := n.Detail["failed_step"]; step != "" {
		status += " at “" + oneLine(step) + "”"
	}
	if reason := n.Detail["reason"]; reason != "" {
		status += ": " + oneLine(reason)
	}
	gap := ""
	if status != "" {
		gap = strings.Repeat(" ", max(2, 64-utf8.RuneCountInString(indent)-utf8.RuneCountInString(text)))
	}
	if n.Kind == result.KindRequest && !n.Changes() && !n.Failed() {
		text = b.o.paint(dim, text)
	}
	b.line("%s%s%s%s", b.o.paint(dim, indent), text, gap, b.o.paint(style, status))
	for _, words := range strings.Split(n.Detail["error"], "\n") {
		if words != "" {
			b.line("%s%s", strings.Repeat(" ", utf8.RuneCountInString(indent)+2), b.o.paint(red, oneLine(words)))
		}
	}
}

// named puts the id of a step, run or job in words before its title: "job 2  run (triage)".
func named(n *result.Node) string {
	return oneLine(strings.Replace(n.ID, ":", " ", 1)) + "  " + oneLine(n.Title)
}
