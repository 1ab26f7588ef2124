package page

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-dev/understudy/internal/journal"
)

// causes is the journal by cause.
type causes struct {
	all     []journal.Entry
	of      map[string][]int  // entries that have this cause
	created map[string]uint64 // the entry in which a run or a job began
}

func causesOf(all []journal.Entry) causes {
	c := causes{all, make(map[string][]int, len(all)/4), map[string]uint64{}}
	for i, e := range all {
		if e.Cause != "" {
			c.of[e.Cause] = append(c.of[e.Cause], i)
		}
		if e.Type == "run.created" || e.Type == "job.created" {
			c.created[e.Subject] = e.Seq
		}
	}
	return c
}

// entry is the entry in which a cause began; there is none for a token, a step, or a job unknown here.
func (c causes) entry(cause string) (journal.Entry, bool) {
	seq := c.created[cause]
	if id, ok := strings.CutPrefix(cause, "event:"); ok {
		seq = uint64(number(id))
	}
	if seq == 0 || seq > uint64(len(c.all)) {
		return journal.Entry{}, false
	}
	return c.all[seq-1], true
}

// origin is the entry that an entry came of.
func (c causes) origin(e journal.Entry) (journal.Entry, bool) {
	from, ok := c.entry(e.Cause)
	return from, ok && from.Seq < e.Seq
}

// tree visits the entry in which a cause began, when there is one, and all that came of it, each below
// what it came of.
func (c causes) tree(cause string, visit func(journal.Entry, int)) {
	e, ok := c.entry(cause)
	if !ok {
		c.below(cause, 0, map[uint64]bool{}, visit)
		return
	}
	visit(e, 0)
	c.below(cause, 1, map[uint64]bool{e.Seq: true}, visit)
}

// names are the causes that an entry stands for.
func (c causes) names(e journal.Entry) []string {
	out := []string{"event:" + strconv.FormatUint(e.Seq, 10)}
	if c.created[e.Subject] == e.Seq {
		out = append(out, e.Subject)
	}
	return out
}

func (c causes) below(cause string, depth int, seen map[uint64]bool, visit func(journal.Entry, int)) {
	for _, i := range c.of[cause] {
		e := c.all[i]
		if seen[e.Seq] {
			continue
		}
		seen[e.Seq] = true
		visit(e, depth)
		c.effects(e, depth+1, seen, visit)
	}
}

func (c causes) effects(e journal.Entry, depth int, seen map[uint64]bool, visit func(journal.Entry, int)) {
	for _, name := range c.names(e) {
		c.below(name, depth, seen, visit)
	}
}

func (c causes) row(e journal.Entry, depth int) row {
	names := c.names(e)
	v := row{Entry: e, Depth: min(depth, 9), Self: names[len(names)-1]}
	for _, n := range names {
		v.Caused += len(c.of[n])
	}
	v.Payload = nil
	for _, k := range slices.Sorted(maps.Keys(e.Detail)) {
		if !told(e, k) {
			v.Details = append(v.Details, detail{k, e.Detail[k]})
		}
	}
	return v
}

// told reports whether a row says a detail already, or need not say it. The sheet of the entry has all.
func told(e journal.Entry, key string) bool {
	switch key {
	case "action", "event", "repo", "sha", "workflow", "digest", "request_id", "starts_runs":
		return true
	case "ref":
		return e.Type != "push" && e.Type != "create" && e.Type != "delete"
	}
	return false
}
