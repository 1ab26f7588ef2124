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
	return wire.Reviewers{Users: s.viewLogins(i.pull.requested), Teams: s.viewAskedTeams(i.pull)}, nil
}

func (s *State) viewLogins(logins []string) []wire.User {
	out := make([]wire.User, len(logins))
	for n, login := range logins {
		out[n] = s.viewLogin(login)
	}
	return out
}

// viewAskedTeams are the teams whose review of a pull request is asked for.
func (s *State) viewAskedTeams(p *pull) []wire.Team {
	out := make([]wire.Team, len(p.teams))
	for n, t := range p.teams {
		out[n] = s.viewTeam(p.in.owner, t)
	}
	return out
}

// ReviewAsk names those whose review is asked for: users by login, teams of the repository's organisation by slug.
type ReviewAsk struct{ Users, Teams []string }

// RequestReviews asks for reviews of a pull request. The author cannot be asked, nor who is no collaborator of the
// repository; a team is one that has the repository.
// https://docs.github.com/en/rest/pulls/review-requests#request-reviewers-for-a-pull-request
func (s *State) RequestReviews(who Identity, full string, number int, ask ReviewAsk) (wire.ListedPull, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, err := s.pull(who, full, number, TriagePulls)
	if err != nil {
		return wire.ListedPull{}, err
	}
	if err := s.checkAsk(r, i, ask); err != nil {
		return wire.ListedPull{}, err
	}
	for _, login := range ask.Users {
		if i.pull.asks(login) {
			continue
		}
		i.pull.requested, i.updated = append(i.pull.requested, s.accounts[key(login)].login), s.now()
		s.requestEvent(who, r, i, login, "review_requested")
	}
	for _, slug := range ask.Teams {
		t := r.owner.teamCalled(slug)
		if slices.Contains(i.pull.teams, t) {
			continue
		}
		i.pull.teams, i.updated = append(i.pull.teams, t), s.now()
		s.requestTeamEvent(who, r, i, t, "review_requested")
	}
	return s.pullViewer(false).listed(i), nil
}

func (s *State) checkAsk(r *repo, i *issue, ask ReviewAsk) error {
	stranger := wire.Unprocessable("Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the " +
		r.fullName() + " repository.")
	for _, login := range ask.Users {
		if key(login) == key(i.author) {
			return wire.Unprocessable("Review cannot be requested from pull request author.")
		}
		if a := s.accounts[key(login)]; a == nil || !s.collaborates(a, r) {
			return stranger
		}
	}
	for _, slug := range ask.Teams {
		if t := r.owner.teamCalled(slug); t == nil || t.roleIn(r) == None {
			return stranger
		}
	}
	return nil
}

func (p *pull) asks(login string) bool {
	return slices.ContainsFunc(p.requested, func(o string) bool { return key(o) == key(login) })
}

// answer ends the requests that a review answers: those for its author, and for teams that he is in.
func (p *pull) answer(author string) {
	p.requested = slices.DeleteFunc(p.requested, func(login string) bool { return key(login) == key(author) })
	p.teams = slices.DeleteFunc(p.teams, func(asked *team) bool {
		return len(p.in.owner.teamsWhere(func(t *team) bool {
			_, in := t.members[key(author)]
			return in && t.under(asked)
		})) > 0
	})
}

// DropRequests takes requests for review back; who was not asked is passed over.
func (s *State) DropRequests(who Identity, full string, number int, ask ReviewAsk) (wire.ListedPull, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, i, err := s.pull(who, full, number, TriagePulls)
	if err != nil {
		return wire.ListedPull{}, err
	}
	for _, login := range ask.Users {
		if !i.pull.asks(login) {
			continue
		}
		i.pull.requested = slices.DeleteFunc(i.pull.requested, func(o string) bool { return key(o) == key(login) })
		i.updated = s.now()
		s.requestEvent(who, r, i, login, "review_request_removed")
	}
	for _, slug := range ask.Teams {
		t := r.owner.teamCalled(slug)
		if !slices.Contains(i.pull.teams, t) {
			continue
		}
		i.pull.teams = slices.DeleteFunc(i.pull.teams, func(o *team) bool { return o == t })
		i.updated = s.now()
		s.requestTeamEvent(who, r, i, t, "review_request_removed")
	}
	return s.pullViewer(false).listed(i), nil
}

// askNoMore forgets the requests for teams that go.
func (s *State) askNoMore(teams []*team) {
	for _, r := range s.repos {
		for _, i := range r.pulls {
			i.pull.teams = slices.DeleteFunc(i.pull.teams, func(t *team) bool { return slices.Contains(teams, t) })
		}
	}
}

func (s *State) requestEvent(who Identity, r *repo, i *issue, login, action string) {
	u := s.viewLogin(login)
	s.pullEvent(who, r, i, wire.Event{Action: action, Reviewer: &u})
}

func (s *State) requestTeamEvent(who Identity, r *repo, i *issue, t *team, action string) {
	v := wire.AskedTeams([]wire.Team{s.viewTeam(r.owner, t)})
	s.pullEvent(who, r, i, wire.Event{Action: action, ReviewingTeam: &v[0]})
}
