package state

import (
	"encoding/json"
	"maps"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/journal"
)

// event appends a webhook event of a repository to the journal. The caller holds the lock and an
// obligation. body gets repository, organization and sender from here.
func (s *State) event(who Identity, r *repo, name string, body wire.Event, subject string) {
	body.Repository, body.Organization, body.Sender = s.eventRepo(r), s.eventOrg(r), s.eventSender(who)
	typ := name
	if body.Action != "" {
		typ += "." + body.Action
	}
	detail := map[string]string{"event": name, "action": body.Action}
	if who.tok == nil || !who.tok.noRuns {
		// What starts no run names no commit: which one the branch is at while jobs go on is chance.
		detail["ref"], detail["sha"] = "refs/heads/"+r.defaultBranch, r.refs["refs/heads/"+r.defaultBranch]
	}
	if body.Label != nil {
		detail["label"] = body.Label.Name
	}
	s.emit(who, r, typ, subject, body, detail)
}

// emit appends an entry for a repository; detail needs event, action, ref and sha.
func (s *State) emit(who Identity, r *repo, typ, subject string, body any, detail map[string]string) (seq uint64) {
	seq, payload := s.note(who, r, typ, subject, body, detail)
	s.announce(seq, r.org(), r, detail["event"], detail["action"], payload)
	return seq
}

// note is emit without webhooks: it returns the body that they would have.
func (s *State) note(who Identity, r *repo, typ, subject string, body any, detail map[string]string) (seq uint64, payload json.RawMessage) {
	payload, err := json.Marshal(body)
	if err != nil {
		panic("state: webhook body cannot be written: " + err.Error()) // only strings, numbers and times
	}
	detail["repo"] = r.fullName()
	if who.tok != nil && who.tok.noRuns {
		detail["starts_runs"] = "no"
	}
	maps.DeleteFunc(detail, func(_, v string) bool { return v == "" })
	seq = s.jour.Append(journal.Entry{
		Time: s.now(), Kind: journal.Change, Type: typ, Cause: who.Cause, Actor: who.Login,
		Subject: subject, Detail: detail, Payload: payload,
	})
	return seq, payload
}

// org returns the organisation that a repository belongs to, or nil.
func (r *repo) org() *account {
	if r.owner.kind != kindOrg {
		return nil
	}
	return r.owner
}

// eventRepo is a repository as events show it.
func (s *State) eventRepo(r *repo) *wire.Repository {
	v := s.viewRepo(r)
	return &v
}

func (s *State) eventOrg(r *repo) *wire.Organization {
	if r.owner.kind != kindOrg {
		return nil
	}
	return wire.NewOrganization(s.base, r.owner.id, r.owner.login)
}

func (s *State) eventSender(who Identity) *wire.User {
	u := s.viewLogin(who.Login)
	return &u
}
