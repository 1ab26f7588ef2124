package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-dev/understudy/internal/journal"
)

// filter selects entries. Its zero value selects all changes.
type filter struct {
	Text  string // all of its words
	Kind  string // changes (also ""), reads, all
	Cause string // what came of it, at any distance
}

func readFilter(q url.Values) filter {
	return filter{Text: strings.TrimSpace(q.Get("q")), Kind: q.Get("kind"), Cause: strings.TrimSpace(q.Get("cause"))}
}

func (f filter) takes(e journal.Entry, words []string) bool {
	switch f.Kind {
	case "all":
	case "reads":
		if e.Kind != journal.Read {
			return false
		}
	default:
		if e.Kind != journal.Change {
			return false
		}
	}
	if len(words) == 0 {
		return true
	}
	var b strings.Builder
	for _, s := range []string{e.Type, e.Subject, e.Actor, e.Cause} {
		b.WriteString(s)
		b.WriteByte(' ')
	}
	for k, v := range e.Detail {
		b.WriteString(k + "=" + v + " ")
	}
	text := strings.ToLower(b.String())
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// row is one entry as it is listed.
type row struct {
	journal.Entry
	Depth   int // of a tree
	Self    string
	Caused  int // entries that have it as their cause
	Details []detail
}

type detail struct{ Key, Value string }

// trail is the journal, or what came of one cause, one window of it.
type trail struct {
	Filter  filter
	Rows    []row
	Matches int
	Total   int
	From    int    // of the rows shown, counted from 1
	Older   string // address of the window below; "" is none
	Newer   string
}

func (p *page) journal(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	all := p.o.Forge.Admin().Journal().Facts(0)
	c := causesOf(all)
	v := trail{Filter: readFilter(q), Total: len(all)}
	words := strings.Fields(strings.ToLower(v.Filter.Text))
	if v.Filter.Cause != "" {
		v.tree(c, words, int(number(q.Get("skip"))))
	} else {
		v.latest(c, words, uint64(number(q.Get("before"))))
	}
	return p.send(w, r, http.StatusOK, "journal", sheet{Title: "Journal", Part: "journal", Main: v})
}

// latest lists entries, latest first, those before a number: what comes meanwhile moves no window.
func (v *trail) latest(c causes, words []string, before uint64) {
	var last uint64
	for _, e := range slices.Backward(c.all) {
		if !v.Filter.takes(e, words) {
			continue
		}
		v.Matches++
		if before != 0 && e.Seq >= before {
			continue
		}
		if len(v.Rows) == window {
			v.Older = v.address("before", last)
			continue
		}
		if v.Rows = append(v.Rows, c.row(e, 0)); v.From == 0 {
			v.From = v.Matches
		}
		last = e.Seq
	}
	if before != 0 {
		v.Newer = v.address("", 0)
	}
}

// tree lists what came of a cause, each thing below what it came of.
func (v *trail) tree(c causes, words []string, skip int) {
	c.tree(v.Filter.Cause, func(e journal.Entry, depth int) {
		if !v.Filter.takes(e, words) {
			return
		}
		v.Matches++
		if v.Matches > skip && len(v.Rows) < window {
			v.Rows = append(v.Rows, c.row(e, depth))
		}
	})
	if v.From = skip + 1; v.Matches > skip+window {
		v.Older = v.address("skip", uint64(skip+window))
	}
	if skip > 0 {
		v.Newer = v.address("skip", uint64(max(0, skip-window)))
	}
}

// To is the number of the last row shown, counted as From.
func (v trail) To() int { return v.From + len(v.Rows) - 1 }

func (v trail) address(key string, n uint64) string {
	q := url.Values{}
	for k, x := range map[string]string{"q": v.Filter.Text, "kind": v.Filter.Kind, "cause": v.Filter.Cause} {
		if x != "" {
			q.Set(k, x)
		}
	}
	if key != "" {
		q.Set(key, strconv.FormatUint(n, 10))
	}
	return Root + "journal?" + q.Encode()
}

// entrySheet is one entry: why it came, what came of it, and its event.
type entrySheet struct {
	row
	Why     []row // its cause first, then the cause of that
	Origin  string
	Effects []row
	More    int // effects that are not shown
	Payload string
	Cut     int // bytes of the payload that are not shown
}

const (
	longestPayload = 64 << 10
	shownEffects   = 60
)

func (p *page) entry(w http.ResponseWriter, r *http.Request) error {
	all := p.o.Forge.Admin().Journal().Facts(0)
	seq := number(r.PathValue("seq"))
	if seq < 1 || seq > int64(len(all)) {
		return missing("entry of the journal", fmt.Sprintf("it has %d so far, numbered from 1", len(all)))
	}
	c := causesOf(all)
	e, _ := p.o.Forge.Admin().Journal().Entry(all[seq-1].Seq)
	v := entrySheet{row: c.row(e, 0), Origin: e.Cause}
	for x, ok := c.origin(e); ok && len(v.Why) < 50; x, ok = c.origin(x) {
		v.Why, v.Origin = append(v.Why, c.row(x, 0)), x.Cause
	}
	seen := map[uint64]bool{e.Seq: true}
	c.effects(e, 0, seen, func(x journal.Entry, depth int) {
		if len(v.Effects) == shownEffects {
			v.More++
			return
		}
		v.Effects = append(v.Effects, c.row(x, depth))
	})
	if len(e.Payload) > 0 {
		var b bytes.Buffer
		if err := json.Indent(&b, e.Payload, "", "  "); err != nil {
			return fmt.Errorf("read the event: %w", err)
		}
		v.Payload = b.String()
		if v.Cut = max(0, len(v.Payload)-longestPayload); v.Cut > 0 {
			v.Payload = v.Payload[:longestPayload]
		}
	}
	return p.send(w, r, http.StatusOK, "entry", sheet{Title: fmt.Sprintf("%s · entry %d", e.Type, e.Seq), Part: "journal", Main: v})
}
