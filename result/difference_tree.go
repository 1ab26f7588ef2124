package result

import (
	"fmt"
	"slices"
	"strings"
)

// partedTrees returns the way to the first node that is not in both trees alike, and that node; nil
// when there is none. A run or a job that ended otherwise is followed down to what differs inside of
// it: that is where it began.
func partedTrees(a, b []*Node) ([]Link, *Parting) {
	restA, restB := unlike(a, b)
	switch {
	case len(restA)+len(restB) == 0:
		return nil, nil
	case len(restB) == 0:
		return nil, alone(restA, nil)
	case len(restA) == 0:
		return nil, alone(nil, restB)
	}
	// Siblings stand in the order of the journal: the earlier of the two is followed.
	if restB[0].place < restA[0].place {
		if i := partner(restB[0].Node, restA); i >= 0 {
			return partedPair(restA[i].Node, restB[0].Node)
		}
		return nil, alone(nil, restB)
	}
	if i := partner(restA[0].Node, restB); i >= 0 {
		return partedPair(restA[0].Node, restB[i].Node)
	}
	if restA[0].place < restB[0].place || partner(restB[0].Node, restA) >= 0 {
		restB = nil
	}
	return nil, alone(restA, restB)
}

func partedPair(a, b *Node) ([]Link, *Parting) {
	if chain, p := partedTrees(a.Children, b.Children); p != nil {
		link := Link{Kind: a.Kind, Title: mask(titled(a)), A: mask(a.Status), B: mask(b.Status)}
		return append([]Link{link}, chain...), p
	}
	return nil, &Parting{At: strings.TrimSpace(string(a.Kind) + " " + mask(titled(a))), A: []string{mask(told(a, true))}, B: []string{mask(told(b, true))}}
}

// alone is the parting where one side did something that the other one has no match for; the first
// of each that is given.
func alone(a, b []sibling) *Parting {
	p := &Parting{}
	if len(b) > 0 {
		p.At, p.B = string(b[0].Kind), []string{mask(told(b[0].Node, false))}
	}
	if len(a) > 0 {
		p.At, p.A = string(a[0].Kind), []string{mask(told(a[0].Node, false))}
	}
	return p
}

// sibling is a node with its place among those that its cause brought about.
type sibling struct {
	*Node
	place int
}

// unlike takes away what both sides have alike, whatever its order, and what Canon does not count.
func unlike(a, b []*Node) (restA, restB []sibling) {
	countedA, textsA := counted(a)
	countedB, textsB := counted(b)
	return lacking(countedA, textsA, textsB), lacking(countedB, textsB, textsA)
}

// counted are the nodes that Canon counts, each with its masked text.
func counted(nodes []*Node) (all []sibling, texts []string) {
	for _, n := range nodes {
		if text := canonNodes("", []*Node{n}); len(text) > 0 {
			all = append(all, sibling{n, len(all)})
			texts = append(texts, text[0].masked)
		}
	}
	return all, texts
}

func lacking(all []sibling, texts, others []string) (rest []sibling) {
	have := map[string]int{}
	for _, text := range others {
		have[text]++
	}
	for i, s := range all {
		if have[texts[i]] > 0 {
			have[texts[i]]--
			continue
		}
		rest = append(rest, s)
	}
	return rest
}

// partner finds the first of the others that is the same thing, the one that also ended alike before
// one that did not.
func partner(n *Node, others []sibling) int {
	if i := slices.IndexFunc(others, func(o sibling) bool { return same(n, o.Node) && n.Status == o.Status }); i >= 0 {
		return i
	}
	return slices.IndexFunc(others, func(o sibling) bool { return same(n, o.Node) })
}

// same tells whether two nodes are the same thing, however it ended.
func same(a, b *Node) bool {
	if a.Kind != b.Kind {
		return false
	}
	if a.Kind == KindStep {
		return a.ID == b.ID
	}
	return a.Actor == b.Actor && mask(titled(a)) == mask(titled(b))
}

// titled is a node's title with what tells it from others of its kind.
func titled(n *Node) string {
	if n.Kind == KindStep {
		return strings.TrimSpace(strings.TrimPrefix(n.ID, "step:") + " " + n.Title)
	}
	for _, key := range []string{"label", "ref"} {
		if v := n.Detail[key]; v != "" && n.Kind == KindEvent {
			return n.Title + " " + v
		}
	}
	return n.Title
}

// told is a node in one line, with what is known of its end, or all there is.
func told(n *Node, all bool) string {
	text := titled(n)
	if n.Status != "" {
		text += " → " + n.Status
	}
	if n.Unfinished {
		text += " → not finished"
	}
	if n.Actor != "" {
		text += " by " + n.Actor
	}
	if all {
		return strings.TrimSpace(text + "  " + strings.TrimSpace(detail(n)))
	}
	for _, key := range []string{"failed_step", "reason", "error"} {
		if v := n.Detail[key]; v != "" {
			text += fmt.Sprintf("  %s: %s", strings.ReplaceAll(key, "_", " "), v)
		}
	}
	return text
}
