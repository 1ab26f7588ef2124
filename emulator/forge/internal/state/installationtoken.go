package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/journal"
)

// tokenLife is how long the token of an installation is good for.
// https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-an-installation-access-token-for-a-github-app
const tokenLife = time.Hour

// TokenAsk narrows the token that an app asks for; what is nil stays as wide as the installation.
type TokenAsk struct {
	Repositories  []string // names without the owner
	RepositoryIDs []int64
	Permissions   map[string]string
}

// InstallationToken gives an app a token for one of its installations. It ends after an hour, or with
// the installation.
func (s *State) InstallationToken(who Identity, id int64, ask TokenAsk) (wire.InstallationToken, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.own(who, id)
	if err != nil {
		return wire.InstallationToken{}, err
	}
	if !i.suspended.IsZero() {
		return wire.InstallationToken{}, wire.Forbidden("This installation has been suspended")
	}
	only, err := s.asked(i, ask)
	if err != nil {
		return wire.InstallationToken{}, err
	}
	permissions, err := i.app.grant(ask.Permissions)
	if err != nil {
		return wire.InstallationToken{}, err
	}
	t := &token{login: i.app.bot.login, cause: who.Cause, permissions: permissions, app: true, install: i, only: only,
		expires: s.now().Add(tokenLife), name: i.app.slug}
	v := wire.InstallationToken{Token: s.keep(t, "ghs_"), ExpiresAt: wire.Time{Time: t.expires}, Permissions: shownPermissions(permissions), RepositorySelection: i.selection()}
	if only != nil {
		v.RepositorySelection = "selected"
		v.Repositories = s.listRepos(Identity{Login: t.login, tok: t}, RepoFilter{}, t.reaches)
	}
	s.jour.Append(journal.Entry{Time: s.now(), Kind: journal.Change, Type: "token.minted", Cause: who.Cause, Actor: t.login, Subject: "installation:" + fmt.Sprint(i.id),
		Detail: map[string]string{"app": i.app.slug, "on": i.on.login}})
	return v, nil
}

// forInstallation makes a token one of an installation of the app whose account it is of.
func (s *State) forInstallation(rec *token, a *account, t TokenSpec) error {
	i := s.installs[t.Installation]
	if i == nil || i.app.bot != a {
		return fmt.Errorf("%s has no installation %d", a.login, t.Installation)
	}
	if t.Permissions != nil || t.Scopes != nil || t.Owner != "" || t.Repositories != nil || t.Repo != "" {
		return errors.New("the token of an installation has what its app has")
	}
	rec.install, rec.app, rec.permissions = i, true, maps.Clone(i.app.permissions)
	return nil
}

// asked finds the repositories that a token is asked for; nil is all of the installation.
func (s *State) asked(i *installation, ask TokenAsk) (map[int64]bool, error) {
	if ask.Repositories == nil && ask.RepositoryIDs == nil {
		return nil, nil
	}
	only := map[int64]bool{}
	for _, r := range s.repos {
		if i.covers(r) && (slices.Contains(ask.RepositoryIDs, r.id) || slices.ContainsFunc(ask.Repositories, func(n string) bool { return key(n) == key(r.name) })) {
			only[r.id] = true
		}
	}
	wanted := map[string]bool{}
	for _, n := range ask.Repositories {
		wanted[key(n)] = true
	}
	for _, id := range ask.RepositoryIDs {
		wanted[fmt.Sprint("#", id)] = true
	}
	for _, r := range s.repos {
		if only[r.id] {
			delete(wanted, key(r.name))
			delete(wanted, fmt.Sprint("#", r.id))
		}
	}
	if len(wanted) > 0 {
		return nil, wire.Unprocessable("There is at least one repository that does not exist or is not accessible to the parent installation.")
	}
	return only, nil
}

// grant returns what is asked of the app's permissions; nil asks for all.
func (a *app) grant(ask map[string]string) (map[string]string, error) {
	if ask == nil {
		return maps.Clone(a.permissions), nil
	}
	asked, err := parsePermissions(ask)
	if err != nil {
		return nil, wire.Unprocessable("Invalid request.\n\n" + err.Error())
	}
	have := token{permissions: a.permissions}
	for scope, level := range asked {
		if level != "none" && !have.grants(scope, level) {
			return nil, wire.Unprocessable("The permissions requested are not granted to this installation.")
		}
	}
	return asked, nil
}

// ofInstallation reports whether the token is one of an app's installation, as a job's is too.
// https://docs.github.com/en/actions/concepts/security/github_token
func (t *token) ofInstallation() bool { return t.install != nil || t.app && t.repo != "" }

// EndToken ends the installation's token that the request was made with.
func (s *State) EndToken(who Identity) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case who.Anonymous():
		return wire.RequiresAuthentication()
	case !who.tok.ofInstallation():
		return wire.NewError(http.StatusForbidden, "You must authenticate with an installation access token in order to revoke it.")
	}
	who.tok.revoked = true
	delete(s.tokens, who.tok.digest)
	s.led.Changed()
	return nil
}

// InstallationRepos lists the repositories that the token of an installation reaches.
func (s *State) InstallationRepos(who Identity) (all []wire.Repository, selection string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case who.Anonymous():
		return nil, "", wire.RequiresAuthentication()
	case !who.tok.ofInstallation():
		return nil, "", wire.NewError(http.StatusForbidden, "You must authenticate with an installation access token in order to list repositories for an installation.")
	}
	selection = "selected"
	if i := who.tok.install; i != nil && who.tok.only == nil {
		selection = i.selection()
	}
	return s.listRepos(who, RepoFilter{}, who.tok.reaches), selection, nil
}

// installationEvent journals what happened to an installation, and tells its app.
func (s *State) installationEvent(who Identity, i *installation, name string, body wire.InstallationEvent) {
	body.Installation, body.Sender = s.viewInstallation(i), s.eventSender(who)
	if i.on.kind == kindOrg {
		body.Organization = wire.NewOrganization(s.base, i.on.id, i.on.login)
	}
	payload, err := json.Marshal(body)
	if err != nil {
		panic("state: webhook body cannot be written: " + err.Error()) // only strings, numbers and times
	}
	seq := s.jour.Append(journal.Entry{
		Time: s.now(), Kind: journal.Change, Type: name + "." + body.Action, Cause: who.Cause, Actor: who.Login, Subject: fmt.Sprintf("installation:%d", i.id),
		Detail: map[string]string{"event": name, "action": body.Action, "app": i.app.slug, "on": i.on.login}, Payload: payload,
	})
	for _, h := range i.app.hooks {
		s.plan(Delivery{hook: h, Event: name, Action: body.Action, Payload: payload, GUID: newGUID(), Cause: fmt.Sprintf("event:%d", seq)})
	}
}

// announceToApps plans the deliveries of an event to the apps that are installed where it happened.
func (s *State) announceToApps(seq uint64, on *account, r *repo, event, action string, payload json.RawMessage) {
	s.announceToInstalled(seq, r, event, action, payload, func(i *installation) bool { return i.on == on && (r == nil || i.covers(r)) })
}

// announceToInstalled is the same for some of the installations.
func (s *State) announceToInstalled(seq uint64, r *repo, event, action string, payload json.RawMessage, some func(*installation) bool) {
	about := int64(0)
	if r != nil {
		about = r.id
	}
	for _, i := range s.installationsWhere(func(i *installation) bool { return i.works() && some(i) }) {
		for _, h := range i.app.hooks {
			if h.active && h.hears(event) {
				s.plan(Delivery{hook: h, repo: about, Event: event, Action: action, Payload: i.inside(payload), GUID: newGUID(), Cause: fmt.Sprintf("event:%d", seq)})
			}
		}
	}
}

// inside is a webhook body that says which installation it is delivered for.
func (i *installation) inside(payload json.RawMessage) json.RawMessage {
	name, err := json.Marshal(wire.InstallationBrief{ID: i.id, NodeID: wire.NodeID("IntegrationInstallation", i.id)})
	if err != nil || len(payload) < 2 {
		panic("state: webhook body is no object") // made here
	}
	return fmt.Appendf(nil, `%s,"installation":%s}`, payload[:len(payload)-1], name)
}
