package html

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/evidence"
	"github.com/understudy-dev/understudy/result"
)

// nodeData is a node of the causal tree as the page shows it, in the tree and on the timeline.
type nodeData struct {
	Kind     string     `json:"k"`
	ID       string     `json:"id,omitempty"` // "run 5"; empty for leaves
	Title    string     `json:"t,omitempty"`  // none for a step, whose text stands elsewhere
	Status   string     `json:"s,omitempty"`
	Note     string     `json:"note,omitempty"`
	Who      string     `json:"who,omitempty"`
	Detail   string     `json:"d,omitempty"`
	Seq      []uint64   `json:"q,omitempty"`  // when it was made, began and ended, in the journal's numbers; 0 is never
	At       string     `json:"at,omitempty"` // shown time
	To       string     `json:"to,omitempty"` // shown time of the end, when it is another
	Bad      bool       `json:"bad,omitempty"`
	Read     bool       `json:"r,omitempty"` // changed nothing: shown, but not loud
	Times    int        `json:"x,omitempty"` // how often the same read was made, when more than once
	Files    []int      `json:"f,omitempty"` // which of the files are about it
	Children []nodeData `json:"c,omitempty"`
}

// maxLeaves is how many calls and events of one cause are shown. A loop that makes thousands would make
// the page slow to open and tell nothing more.
const maxLeaves = 300

// shower leaves out what only the kit read and what is beyond maxLeaves, and counts both; equal reads in
// a row are joined.
type shower struct {
	files []evidence.Ref
	left  int
	cut   int
}

func (sh *shower) nodes(tree []*result.Node) []nodeData {
	var out []nodeData
	leaves := 0
	for _, n := range tree {
		if leaf(n) && !n.Failed() {
			if leaves++; leaves > maxLeaves {
				sh.cut += len(n.Entries)
				continue
			}
		}
		v := sh.node(n)
		if last := len(out) - 1; v.Read && last >= 0 && same(out[last], v) {
			out[last].Times = max(out[last].Times, 1) + 1
			continue
		}
		out = append(out, v)
	}
	return out
}

func leaf(n *result.Node) bool {
	return len(n.Children) == 0 && (n.Kind == result.KindRequest || n.Kind == result.KindEvent || n.Kind == result.KindFault || n.Kind == result.KindNote)
}

func same(a, b nodeData) bool {
	return a.Read && a.Title == b.Title && a.Status == b.Status && a.Who == b.Who
}

func (sh *shower) node(n *result.Node) nodeData {
	v := nodeData{Kind: string(n.Kind), Title: n.Title, Status: n.Status, Bad: n.Failed(), Who: n.Actor}
	children := n.Children
	switch n.Kind {
	case result.KindStep:
		v.Title = ""
		children = nil
		for _, c := range n.Children {
			if c.Kind == result.KindRequest && !c.Changes() && !c.Failed() {
				sh.left += len(c.Entries)
				continue
			}
			children = append(children, c)
		}
		v.ID = strings.Replace(n.ID, ":", " ", 1)
	case result.KindRun, result.KindJob:
		v.ID, v.Who = strings.Replace(n.ID, ":", " ", 1), ""
	case result.KindRequest:
		v.Read = !n.Changes()
	case result.KindUnattributed:
		v.Title = "Nobody is known to have caused"
	case result.KindNote:
		if name := n.Detail["name"]; name != "" {
			v.Note = name
		}
	}
	v.Children = sh.nodes(children)
	if label := n.Detail["label"]; label != "" {
		v.Note = fmt.Sprintf("“%s”", label)
	}
	if n.Unfinished {
		v.Status, v.Bad = "not finished", true
	}
	if step := n.Detail["failed_step"]; step != "" {
		v.Note = fmt.Sprintf("at “%s”", step)
	}
	v.Note = cmp.Or(v.Note, line(n.Detail["reason"]))
	if n.Kind != result.KindRequest && n.Kind != result.KindStep {
		v.Detail = detail(n.Detail)
	}
	v.times(n.Entries)
	v.Files = sh.about(n)
	return v
}

// times takes the places of a node's entries on the timeline.
func (v *nodeData) times(entries []driver.Entry) {
	if len(entries) == 0 {
		return
	}
	first, last := entries[0], entries[len(entries)-1]
	v.Seq, v.At = []uint64{first.Seq}, clock(first.Time)
	if v.Kind != string(result.KindRun) && v.Kind != string(result.KindJob) {
		return
	}
	v.Seq = []uint64{first.Seq, 0, 0}
	for _, e := range entries {
		switch {
		case strings.HasSuffix(e.Type, ".started"):
			v.Seq[1] = e.Seq
		case strings.HasSuffix(e.Type, ".completed"):
			v.Seq[2] = e.Seq
		}
	}
	if to := clock(last.Time); to != v.At {
		v.To = to
	}
}

var (
	aboutJob = regexp.MustCompile(`\bjob[-: ]([0-9]+)\b`)
	aboutRun = regexp.MustCompile(`\brun[-: ]([0-9]+)\b`)
)

// about finds the files of a run or job: their names say it ("run-1-job-2.log"), else their origins.
// What belongs to a job is not told of its run again.
func (sh *shower) about(n *result.Node) []int {
	if n.Kind != result.KindRun && n.Kind != result.KindJob {
		return nil
	}
	var found []int
	for i, ref := range sh.files {
		text := ref.Name + " " + ref.Origin
		job, run := aboutJob.FindStringSubmatch(text), aboutRun.FindStringSubmatch(text)
		switch {
		case job != nil:
			if n.ID == "job:"+job[1] {
				found = append(found, i)
			}
		case run != nil && n.ID == "run:"+run[1]:
			found = append(found, i)
		}
	}
	return found
}

// href makes a link that can only lead to a file below base, whatever the record says.
func href(base, name string) string {
	segments := strings.Split(strings.TrimPrefix(path.Clean("/"+name), "/"), "/")
	for i, s := range segments {
		segments[i] = strings.ReplaceAll(url.PathEscape(s), ":", "%3A")
	}
	if base != "" && !strings.HasSuffix(base, "/") {
		base += "/"
	}
	return base + strings.Join(segments, "/")
}
