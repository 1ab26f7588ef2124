package state

import "github.com/understudy-dev/understudy/emulator/forge/internal/wire"

// writable refuses what would change an archived repository. It can still be forked and deleted, and an administrator
// can take it out of the archive.
// https://docs.github.com/en/repositories/archiving-a-github-repository/archiving-repositories
func (r *repo) writable(need Need) error {
	if _, level, _ := need.rule(); !r.archived || level == "read" || need == ForkRepo || need == DeleteRepo {
		return nil
	}
	return wire.Archived()
}

// openEdit finds a repository whose settings are to change: an archived one only if it is archived no longer then.
func (s *State) openEdit(who Identity, full string, e RepoEdit) (*repo, error) {
	r := s.repos[key(full)]
	if r == nil || !s.sees(who, r, Administer) {
		return nil, wire.NotFound()
	}
	if err := s.permit(who, r, Administer); err != nil {
		return nil, err
	}
	if e.Archived != nil && !*e.Archived {
		return r, nil
	}
	return r, r.writable(Administer)
}

// applyArchived archives a repository or ends that, and tells of it; nil changes nothing.
// https://docs.github.com/en/webhooks/webhook-events-and-payloads#repository
func (s *State) applyArchived(who Identity, r *repo, to *bool) {
	if to == nil || *to == r.archived {
		return
	}
	r.archived = *to
	action := "unarchived"
	if r.archived {
		action = "archived"
	}
	s.event(who, r, "repository", wire.Event{Action: action}, r.fullName())
}
