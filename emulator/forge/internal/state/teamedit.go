package state

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/journal"
)

// TeamEdit describes a team, or changes what is not nil.
type TeamEdit struct {
	Name         *string
	Description  *string
	Privacy      *string // secret, closed
	Notification *string // notifications_enabled, notifications_disabled
	Permission   *string // pull, push
	Parent       *int64  // 0 is none

	Maintainers []string // of a new one
	Repos       []string // of a new one: owner/name
}

// PutTeam makes a team, or changes the one that is called slug. Who makes one maintains it.
// https://docs.github.com/en/rest/teams/teams#create-a-team
func (s *State) PutTeam(who Identity, org, slug string, e TeamEdit) (wire.FullTeam, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slug == "" {
		return s.newTeam(who, org, e)
	}
	o, t, err := s.keptTeam(who, org, slug)
	if err != nil {
		return wire.FullTeam{}, err
	}
	edited, before := *t, s.viewTeam(o, t)
	if err := s.applyTeam(o, t, &edited, e); err != nil {
		return wire.FullTeam{}, err
	}
	edited.updated = s.now()
	*t = edited
	if changes := teamChanges(before, s.viewTeam(o, t)); len(changes) > 0 {
		s.teamEvent(who, o, t, "team", wire.Event{Action: "edited", Changes: changes})
	}
	s.led.Changed()
	return s.viewFullTeam(o, t), nil
}

func (s *State) newTeam(who Identity, org string, e TeamEdit) (wire.FullTeam, error) {
	o, err := s.orgInside(who, org)
	if err == nil {
		err = s.mayTeams(who, o)
	}
	if err != nil {
		return wire.FullTeam{}, err
	}
	if e.Name == nil {
		return wire.FullTeam{}, wire.Invalid(wire.FieldError{Resource: "Team", Field: "name", Code: "missing_field"})
	}
	t := &team{hidden: e.Parent == nil || *e.Parent == 0, permission: Read, members: map[string]bool{}, repos: map[int64]Role{}, created: s.now(), updated: s.now()}
	if err := s.applyTeam(o, nil, t, e); err != nil {
		return wire.FullTeam{}, err
	}
	if !who.tok.installedOn(o) {
		t.members[key(who.Login)] = true
	}
	for _, login := range e.Maintainers {
		if _, inside := o.members[key(login)]; !inside {
			return wire.FullTeam{}, wire.Invalid(wire.FieldError{Resource: "Team", Field: "maintainers", Code: "invalid"})
		}
		t.members[key(login)] = true
	}
	var repos []*repo
	for _, full := range e.Repos {
		r := s.repos[key(full)]
		if r == nil || r.owner != o || s.roleFor(who, r) < Admin && !who.tok.installedOn(o) {
			return wire.FullTeam{}, wire.Invalid(wire.FieldError{Resource: "Team", Field: "repo_names", Code: "invalid"})
		}
		repos = append(repos, r)
	}
	t.id = s.nextID(nounTeam)
	if o.teams == nil {
		o.teams = map[int64]*team{}
	}
	o.teams[t.id] = t
	s.teamEvent(who, o, t, "team", wire.Event{Action: "created"})
	for _, login := range slices.Sorted(maps.Keys(t.members)) {
		s.membershipEvent(who, o, t, login, "added")
	}
	for _, r := range repos {
		s.addToTeam(who, o, t, r, t.permission)
	}
	s.led.Changed()
	return s.viewFullTeam(o, t), nil
}

// applyTeam checks what a team is to be and writes it to t; was is the team as it is, nil for a new one.
func (s *State) applyTeam(o *account, was, t *team, e TeamEdit) error {
	invalid := func(field, why string) error {
		return wire.Invalid(wire.FieldError{Resource: "Team", Field: field, Code: "unprocessable", Message: why})
	}
	if e.Name != nil {
		t.name, t.slug = *e.Name, slugOf(*e.Name)
		if t.slug == "" || len(t.slug) > 100 {
			return invalid("name", "Name has no letter or digit, or is too long")
		}
		if other := o.teamCalled(t.slug); other != nil && other != was {
			return invalid("data", "Name must be unique for this org")
		}
	}
	if e.Description != nil {
		t.description = *e.Description
	}
	for _, choice := range []struct {
		field, off, on string
		is             *string
		set            *bool
	}{{"privacy", "closed", "secret", e.Privacy, &t.hidden},
		{"notification_setting", "notifications_enabled", "notifications_disabled", e.Notification, &t.quiet}} {
		if choice.is == nil {
			continue
		}
		if *choice.is != choice.off && *choice.is != choice.on {
			return invalid(choice.field, choice.field+" is "+choice.off+" or "+choice.on)
		}
		*choice.set = *choice.is == choice.on
	}
	if e.Permission != nil {
		role, err := ParseRole(*e.Permission)
		if err != nil || role == None {
			return invalid("permission", "Permission is pull or push")
		}
		t.permission = role
	}
	if e.Parent != nil {
		t.parent = o.teams[*e.Parent]
		if *e.Parent != 0 && (t.parent == nil || was != nil && t.parent.under(was)) {
			return invalid("parent_team_id", "Parent is no team of the organization, or is below this one")
		}
	}
	nested := was != nil && len(o.teamsWhere(func(x *team) bool { return x.parent == was })) > 0
	if t.hidden && (t.parent != nil || nested) || t.parent != nil && t.parent.hidden {
		return invalid("privacy", "Secret teams are neither parents nor children")
	}
	return nil
}

// teamChanges says what was different before.
func teamChanges(before, now wire.Team) map[string]any {
	out := map[string]any{}
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	for name, v := range map[string][2]string{"name": {before.Name, now.Name}, "privacy": {before.Privacy, now.Privacy},
		"description": {text(before.Description), text(now.Description)}, "notification_setting": {before.NotificationSetting, now.NotificationSetting}} {
		if v[0] != v[1] {
			out[name] = map[string]any{"from": v[0]}
		}
	}
	return out
}

// DeleteTeam forgets a team and those below it.
func (s *State) DeleteTeam(who Identity, org, slug string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, t, err := s.keptTeam(who, org, slug)
	if err != nil {
		return err
	}
	below := o.teamsWhere(func(x *team) bool { return x.under(t) })
	for _, x := range below {
		s.teamEvent(who, o, x, "team", wire.Event{Action: "deleted"})
	}
	for _, x := range below {
		delete(o.teams, x.id)
	}
	s.askNoMore(below)
	s.led.Changed()
	return nil
}

// teamEvent appends a webhook event about a team to the journal. Its organisation's hooks hear it, not those
// of repositories.
func (s *State) teamEvent(who Identity, o *account, t *team, name string, body wire.Event) {
	v := s.viewTeam(o, t)
	body.Team, body.Organization, body.Sender = &v, wire.NewOrganization(s.base, o.id, o.login), s.eventSender(who)
	payload, err := json.Marshal(body)
	if err != nil {
		panic("state: webhook body cannot be written: " + err.Error()) // only strings, numbers and times
	}
	seq := s.jour.Append(journal.Entry{Time: s.now(), Kind: journal.Change, Type: name + "." + body.Action, Cause: who.Cause, Actor: who.Login,
		Subject: "team:" + o.login + "/" + t.slug, Detail: map[string]string{"on": o.login}, Payload: payload})
	s.announce(seq, o, nil, name, body.Action, payload)
}

func (s *State) membershipEvent(who Identity, o *account, t *team, login, action string) {
	u := s.viewLogin(login)
	s.teamEvent(who, o, t, "membership", wire.Event{Action: action, Scope: "team", Member: &u})
}
