package result

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/outline"
)

// Kind says what a node of the causal tree is.
type Kind string

// The kinds of nodes. Steps, events, runs and jobs can bring other things about; requests, faults and notes
// (artifacts, calls through the door) are leaves.
const (
	KindStep         Kind = "step"
	KindEvent        Kind = "event"
	KindRun          Kind = "run"
	KindJob          Kind = "job"
	KindRequest      Kind = "request"
	KindNote         Kind = "note"
	KindFault        Kind = "fault" // one that was put in force, struck or was taken out
	KindUnattributed Kind = "unattributed"
)

// Unattributed is the id of the node that holds what nobody is known to have caused.
const Unattributed = "unattributed"

// Node is one thing that happened, with what it brought about in the order in which that happened.
type Node struct {
	ID         string // as in driver.Cause: "step:3", "event:41", "run:5", "job:7"; leaves are "request:SEQ", "fault:SEQ", "note:SEQ"
	Kind       Kind
	Title      string            // for people, without the id
	Status     string            // conclusion of a run or job, status of a request, decision of the door; "" is unknown
	Detail     map[string]string // of all its entries; later ones win
	Actor      string
	Cause      driver.Cause // as journalled, also where nothing is known of that cause
	Entries    []driver.Entry
	Children   []*Node
	Unfinished bool // a run or job that was not completed
}

// Seq returns the sequence number of the node's first entry, 0 when it has none.
func (n *Node) Seq() uint64 {
	if len(n.Entries) == 0 {
		return 0
	}
	return n.Entries[0].Seq
}

// Changes tells whether any of the node's entries changed something a scenario can observe.
func (n *Node) Changes() bool {
	return slices.ContainsFunc(n.Entries, func(e driver.Entry) bool { return e.Change })
}

// Struck tells whether the node is a fault that the forge was told to have, and had.
func (n *Node) Struck() bool { return n.Kind == KindFault && n.Status == "struck" }

// Failed tells whether the node itself went wrong: a run or job that ended otherwise than well (one
// that was cancelled or skipped did not go wrong by itself), a route that the forge does not know,
// or a request that it answered with a server error.
func (n *Node) Failed() bool {
	switch n.Kind {
	case KindRun, KindJob:
		return !slices.Contains([]string{"", "success", "skipped", "neutral", "cancelled"}, n.Status)
	case KindRequest:
		return n.Entries[0].Type == "unknown-route" || strings.HasPrefix(n.Status, "5")
	}
	return false
}

// Tree makes the causal tree of a journal. Entries may come in any order; siblings stand in the
// order of their first entries. What has no cause, a cause that the journal does not know, or is
// its own cause, stands under one last node with the id Unattributed. Steps are the roots.
func Tree(entries []driver.Entry) []*Node {
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, func(a, b driver.Entry) int { return cmp.Compare(a.Seq, b.Seq) })
	byID := map[string]*Node{}
	var order []*Node
	for _, e := range entries {
		if outline.Ours(e.Type) {
			continue // what is known of files and jobs, which nobody caused
		}
		id, kind := identify(e)
		n := byID[id]
		if n == nil {
			n = &Node{ID: id, Kind: kind, Detail: map[string]string{}}
			byID[id] = n
			order = append(order, n)
		}
		n.take(e)
	}
	caused := map[string]bool{}
	for _, n := range order {
		caused[string(n.Cause)] = true
	}
	var roots []*Node
	lost := &Node{ID: Unattributed, Kind: KindUnattributed, Title: "unattributed"}
	for _, n := range order {
		if n.announces() && !caused[n.ID] {
			continue
		}
		n.describe()
		parent := byID[string(n.Cause)]
		switch {
		case n.Kind == KindStep:
			roots = append(roots, n)
		case parent == nil || circular(n, byID):
			lost.Children = append(lost.Children, n)
		default:
			parent.Children = append(parent.Children, n)
		}
	}
	if len(lost.Children) > 0 {
		roots = append(roots, lost)
	}
	return roots
}

// announces tells that a node only says again, as a webhook, what its run or job shows: it is left out
// unless it brought something about.
func (n *Node) announces() bool {
	return n.Kind == KindEvent && (n.Detail["event"] == "workflow_run" || n.Detail["event"] == "workflow_job")
}

// identify tells which node an entry belongs to.
func identify(e driver.Entry) (id string, kind Kind) {
	seq := strconv.FormatUint(e.Seq, 10)
	noun, _, _ := strings.Cut(e.Type, ".")
	switch noun {
	case "step", "run", "job":
		if strings.HasPrefix(e.Subject, noun+":") {
			return e.Subject, Kind(noun)
		}
		return "note:" + seq, KindNote
	case "request", "unknown-route":
		return "request:" + seq, KindRequest
	case "fault":
		return "fault:" + seq, KindFault
	case "artifact", "door", "platform":
		return "note:" + seq, KindNote
	}
	return "event:" + seq, KindEvent
}

func (n *Node) take(e driver.Entry) {
	n.Entries = append(n.Entries, e)
	if n.Cause == "" {
		n.Cause = e.Cause
	}
	if n.Actor == "" {
		n.Actor = e.Actor
	}
	for k, v := range e.Detail {
		if v != "" {
			n.Detail[k] = v
		}
	}
}

func (n *Node) describe() {
	first, last := n.Entries[0], n.Entries[len(n.Entries)-1]
	d := n.Detail
	switch n.Kind {
	case KindStep:
		n.Title = d["text"]
	case KindRun, KindJob:
		n.Title, n.Status = cmp.Or(d["name"], d["workflow"]), d["conclusion"]
		n.Unfinished = !strings.HasSuffix(last.Type, ".completed")
	case KindRequest:
		n.Title, n.Status = first.Subject, d["status"]
		if first.Type == "unknown-route" {
			n.Status = cmp.Or(n.Status, "unknown route")
		}
	case KindFault:
		n.Title, n.Status = "fault "+first.Subject, strings.TrimPrefix(first.Type, "fault.")
	default:
		n.Title = strings.TrimSpace(fmt.Sprintf("%s %s", first.Type, first.Subject))
		n.Status = d["decision"]
	}
}

// circular tells whether following the causes from n leads into a circle, which no honest journal has.
func circular(n *Node, byID map[string]*Node) bool {
	for range len(byID) + 1 {
		if n = byID[string(n.Cause)]; n == nil || n.Kind == KindStep {
			return false
		}
	}
	return true
}

// Chain returns the path from a root of the tree to the node with that id, or nil when there is none.
func Chain(tree []*Node, id string) []*Node {
	for _, n := range tree {
		if n.ID == id {
			return []*Node{n}
		}
		if rest := Chain(n.Children, id); rest != nil {
			return append([]*Node{n}, rest...)
		}
	}
	return nil
}

// Failing returns the nodes where something went wrong, as deep as is known and in order: a run is
// left out for its failed job, a job for the request that the forge could not serve.
func Failing(tree []*Node) []*Node {
	var found []*Node
	for _, n := range tree {
		if n.Failed() && !slices.ContainsFunc(n.Children, (*Node).Failed) {
			found = append(found, n)
		}
		found = append(found, Failing(n.Children)...)
	}
	return found
}
