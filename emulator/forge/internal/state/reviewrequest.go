package state

import (
	"slices"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// Reviewers returns those whose review of a pull request is asked for.
func (s *State) Reviewers(who Identity, full string, number int) (wire.Reviewers, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, i, err := s.pull(who, full, number, ReadPulls)
	if err != nil {
		return wire.Reviewers{}, err
	}
	return wire.Reviewers{Users: s.viewLogins(i.pull.requested), Teams: []struct{}{}}, nil
}

func (s *State) viewLogins(logins []string) []wire.User {
	out := make([]wire.User, len(logins))
	for n, login := range logins {
		out[n] = s.viewLogin(login)
	}
	return out
}

// RequestReviews asks users for their review of a pull request. The author cannot be asked, nor who is no
// collaborator of the repository.
// https://docs.github.com/en/rest/pulls/review-requests#request-reviewers-for-a-pull-request
func (s *State) RequestReviews(who Identity, full string, number int, logins []string) (wire.ListedPull, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, err := s.pull(who, full, number, TriagePulls)
	if err != nil {
		return wire.ListedPull{}, err
	}
	for _, login := range logins {
		if key(login) == key(i.author) {
			return wire.ListedPull{}, wire.Unprocessable("Review cannot be requested from pull request author.")
		}
		if a := s.accounts[key(login)]; a == nil || !s.collaborates(a, r) {
			return wire.ListedPull{}, wire.Unprocessable("Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the " +
				r.fullName() + " repository.")
		}
	}
	for _, login := range logins {
		if i.pull.asks(login) {
			continue
		}
		i.pull.requested, i.updated = append(i.pull.requested, s.accounts[key(login)].login), s.now()
		s.requestEvent(who, r, i, login, "review_requested")
	}
	return s.pullViewer(false).listed(i), nil
}

func (p *pull) asks(login string) bool {
	return slices.ContainsFunc(p.requested, func(o string) bool { return key(o) == key(login) })
}

// DropRequests takes requests for review back; who was not asked is passed over.
func (s *State) DropRequests(who Identity, full string, number int, logins []string) (wire.ListedPull, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, err := s.pull(who, full, number, TriagePulls)
	if err != nil {
		return wire.ListedPull{}, err
	}
	for _, login := range logins {
		if !i.pull.asks(login) {
			continue
		}
		i.pull.requested = slices.DeleteFunc(i.pull.requested, func(o string) bool { return key(o) == key(login) })
		i.updated = s.now()
		s.requestEvent(who, r, i, login, "review_request_removed")
	}
	return s.pullViewer(false).listed(i), nil
}

func (s *State) requestEvent(who Identity, r *repo, i *issue, login, action string) {
	u := s.viewLogin(login)
	s.pullEvent(who, r, i, wire.Event{Action: action, Reviewer: &u})
}
