package state

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/journal"
)

// wall is the time by clocks that nobody puts forward: what clients sign, they sign by their own.
func (s *State) wall() time.Time {
	if s.clock == nil {
		return s.now()
	}
	return s.clock.Wall()
}

func (s *State) advanced() time.Duration {
	if s.clock == nil {
		return 0
	}
	return s.clock.Advanced()
}

// RepoNames lists all repositories, by name.
func (s *State) RepoNames() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, r := range s.repos {
		out = append(out, r.fullName())
	}
	slices.Sort(out)
	return out
}

// Advancing journals that the clock is put forward from one time to another.
func (s *State) Advancing(cause string, from, to time.Time, runs int) (seq uint64) {
	return s.jour.Append(journal.Entry{
		Time: from, Kind: journal.Change, Type: "clock.advanced", Cause: cause, Subject: "clock",
		Detail: map[string]string{
			"by": to.Sub(from).String(), "from": from.Format(time.RFC3339), "to": to.Format(time.RFC3339), "scheduled": fmt.Sprint(runs),
		},
	})
}

// Schedule emits the event `schedule` of a workflow file. Webhooks hear nothing of it. actor is who changed the
// schedule last; "" is the repository's owner.
func (s *State) Schedule(full, file, cron, sha, actor, cause string, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.repos[key(full)]
	if r == nil {
		return // deleted meanwhile
	}
	who := Identity{Login: actor, Cause: cause}
	if actor == "" {
		who.Login = r.owner.login
	}
	body := struct {
		Schedule string `json:"schedule"`
		Workflow string `json:"workflow"`
		wire.Event
	}{cron, file, wire.Event{Repository: s.eventRepo(r), Organization: s.eventOrg(r), Sender: s.eventSender(who)}}
	payload, err := json.Marshal(body)
	if err != nil {
		panic("state: the event schedule cannot be written: " + err.Error()) // only strings, numbers and times
	}
	s.jour.Append(journal.Entry{
		Time: at, Kind: journal.Change, Type: "schedule", Cause: cause, Actor: who.Login, Subject: r.fullName() + " " + file, Payload: payload,
		Detail: map[string]string{
			"event": "schedule", "repo": r.fullName(), "workflow": file, "cron": cron, "ref": "refs/heads/" + r.defaultBranch, "sha": sha,
		},
	})
}
