package state

import (
	"cmp"
	"slices"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// PullFilter selects and orders pull requests; empty fields select all.
type PullFilter struct {
	State     string // open (also ""), closed, all
	Head      string // owner:branch; what has another form selects all, as at GitHub
	Base      string // branch
	Sort      string // created (also ""), updated, popularity, long-running
	Ascending bool
}

// longRunning is the age from which on an open pull request is listed as such, if it was active lately.
const longRunning = 30 * 24 * time.Hour

// Pulls lists pull requests.
func (s *State) Pulls(who Identity, full string, f PullFilter) ([]wire.ListedPull, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadPulls)
	if err != nil {
		return nil, err
	}
	var found []*issue
	for _, i := range r.pulls {
		if i.pullMatches(f) {
			found = append(found, i)
		}
	}
	if f.Sort == "long-running" {
		found = slices.DeleteFunc(found, func(i *issue) bool {
			return s.now().Sub(i.created) < longRunning || s.now().Sub(i.updated) > longRunning
		})
	}
	slices.SortStableFunc(found, func(a, b *issue) int {
		c := 0
		switch f.Sort {
		case "updated":
			c = a.updated.Compare(b.updated)
		case "popularity":
			c = cmp.Compare(len(a.comments), len(b.comments))
		}
		if c = cmp.Or(c, cmp.Compare(a.number, b.number)); f.Ascending {
			return c
		}
		return -c
	})
	v := s.pullViewer(false)
	out := make([]wire.ListedPull, len(found))
	for n, i := range found {
		out[n] = v.listed(i)
	}
	return out, nil
}

func (i *issue) pullMatches(f PullFilter) bool {
	if want := cmp.Or(f.State, stateOpen); want != "all" && want != i.state {
		return false
	}
	return (f.Base == "" || f.Base == i.pull.base.ref) && (f.Head == "" || key(f.Head) == key(i.pull.head.label()))
}
