package state

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// Status is what somebody says about a commit in one context. A later one of the context stands for it.
type Status struct {
	ID          int64
	SHA         string
	State       string // error, failure, pending, success
	Context     string
	Description string
	TargetURL   string
	Creator     string
	Created     time.Time
}

type status struct{ Status }

// Limits of statuses.
// https://docs.github.com/en/rest/commits/statuses#create-a-commit-status
const (
	maxStatuses    = 1000 // of a commit and a context
	maxDescription = 140
)

// CreateStatus makes a status of a commit that is there; commit is how the event shows it.
func (s *State) CreateStatus(who Identity, full string, in Status, commit wire.Commit) (wire.Status, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, WriteStatuses)
	if err != nil {
		return wire.Status{}, err
	}
	if err := in.check(); err != nil {
		return wire.Status{}, err
	}
	in.Context = cmp.Or(in.Context, "default")
	before := 0
	for _, x := range r.statuses {
		if x.SHA == in.SHA && key(x.Context) == key(in.Context) {
			before++
		}
	}
	if before >= maxStatuses {
		return wire.Status{}, wire.Unprocessable("Validation Failed: This SHA and context has reached the maximum number of statuses.")
	}
	in.ID, in.Creator, in.Created = s.nextID(nounStatus), who.Login, s.now()
	x := &status{in}
	r.statuses = append(r.statuses, x)
	v := s.viewStatus(r, x)
	s.statusEvent(who, r, v, in.SHA, commit)
	return v, nil
}

func (x Status) check() error {
	invalid := func(field, message string) error {
		return wire.Invalid(wire.FieldError{Resource: "Status", Field: field, Code: "custom", Message: message})
	}
	switch {
	case !slices.Contains([]string{"error", "failure", "pending", "success"}, x.State):
		return invalid("state", fmt.Sprintf("state %q is not included in the list: error, failure, pending, success", x.State))
	case len([]rune(x.Description)) > maxDescription:
		return invalid("description", fmt.Sprintf("description is too long (maximum is %d characters)", maxDescription))
	case x.TargetURL != "" && !strings.HasPrefix(x.TargetURL, "http://") && !strings.HasPrefix(x.TargetURL, "https://"):
		return invalid("target_url", "target_url must use http(s) scheme")
	}
	return nil
}

// statusEvent is the webhook status.
// https://docs.github.com/en/webhooks/webhook-events-and-payloads#status
func (s *State) statusEvent(who Identity, r *repo, v wire.Status, sha string, commit wire.Commit) {
	body := wire.StatusEvent{ID: v.ID, SHA: sha, Name: r.fullName(), TargetURL: v.TargetURL, AvatarURL: v.AvatarURL, Context: v.Context,
		Description: v.Description, State: v.State, Commit: commit, Branches: []wire.StatusBranch{}, CreatedAt: v.CreatedAt, UpdatedAt: v.UpdatedAt,
		Repository: s.eventRepo(r), Organization: s.eventOrg(r), Sender: s.eventSender(who)}
	for _, ref := range slices.Sorted(maps.Keys(r.refs)) {
		if name, ok := strings.CutPrefix(ref, "refs/heads/"); ok && r.refs[ref] == sha {
			head := wire.BranchHead{SHA: sha, URL: s.base.API("/repos/%s/commits/%s", wire.EscapePath(r.fullName()), sha)}
			body.Branches = append(body.Branches, wire.StatusBranch{Name: name, Commit: head})
		}
	}
	main := "refs/heads/" + r.defaultBranch
	s.emit(who, r, "status", fmt.Sprintf("status:%d", v.ID), body, map[string]string{"event": "status", "ref": main, "sha": r.refs[main]})
}

// Statuses lists the statuses of a commit, newest first.
func (s *State) Statuses(who Identity, full, sha string) ([]wire.Status, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadStatuses)
	if err != nil {
		return nil, err
	}
	out := []wire.Status{}
	for _, x := range slices.Backward(r.statuses) {
		if x.SHA == sha {
			out = append(out, s.viewStatus(r, x))
		}
	}
	return out, nil
}

// CombinedStatus returns the latest status of each context of a commit.
func (s *State) CombinedStatus(who Identity, full, sha string) (wire.CombinedStatus, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadStatuses)
	if err != nil {
		return wire.CombinedStatus{}, err
	}
	p := wire.EscapePath(r.fullName())
	out := wire.CombinedStatus{State: "pending", Statuses: []wire.Status{}, SHA: sha, Repository: s.eventRepo(r),
		CommitURL: s.base.API("/repos/%s/commits/%s", p, sha), URL: s.base.API("/repos/%s/commits/%s/status", p, sha)}
	seen, states := map[string]bool{}, map[string]bool{}
	for _, x := range slices.Backward(r.statuses) {
		if x.SHA != sha || seen[key(x.Context)] {
			continue
		}
		seen[key(x.Context)], states[x.State] = true, true
		v := s.viewStatus(r, x)
		v.Creator = nil
		out.Statuses = append(out.Statuses, v)
	}
	slices.Reverse(out.Statuses)
	out.TotalCount = len(out.Statuses)
	switch {
	case states["failure"] || states["error"]:
		out.State = "failure"
	case states["success"] && !states["pending"]:
		out.State = "success"
	}
	return out, nil
}

func (s *State) viewStatus(r *repo, x *status) wire.Status {
	creator := s.viewLogin(x.Creator)
	return wire.Status{URL: s.base.API("/repos/%s/statuses/%s", wire.EscapePath(r.fullName()), x.SHA), AvatarURL: creator.AvatarURL,
		ID: x.ID, NodeID: wire.NodeID("Status", x.ID), State: x.State, Description: optional(x.Description), TargetURL: optional(x.TargetURL),
		Context: x.Context, CreatedAt: wire.Time{Time: x.Created}, UpdatedAt: wire.Time{Time: x.Created}, Creator: &creator}
}
