package state

import (
	"reflect"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// ruleEvent is the webhook branch_protection_rule; with what was before it says what changed of what GitHub tells.
// https://docs.github.com/en/webhooks/webhook-events-and-payloads#branch_protection_rule
func (s *State) ruleEvent(who Identity, r *repo, action string, p, before *Protection) {
	v := r.viewRule(p)
	body := wire.Event{Action: action, Rule: &v}
	if before != nil {
		was := r.viewRule(before)
		body.Changes = map[string]any{}
		for name, x := range map[string][2]any{
			"admin_enforced": {was.Admins, v.Admins}, "authorized_actor_names": {was.Actors, v.Actors}, "authorized_actors_only": {was.ActorsOnly, v.ActorsOnly},
			"linear_history_requirement_enforcement_level": {was.Linear, v.Linear}, "pull_request_reviews_enforcement_level": {was.Reviews, v.Reviews},
			"required_status_checks": {was.Contexts, v.Contexts}, "required_status_checks_enforcement_level": {was.Checks, v.Checks},
		} {
			if !reflect.DeepEqual(x[0], x[1]) {
				body.Changes[name] = map[string]any{"from": x[0]}
			}
		}
	}
	s.event(who, r, "branch_protection_rule", body, r.fullName()+"@"+p.Branch)
}

func (r *repo) viewRule(p *Protection) wire.ProtectionRule {
	level := func(on bool) string {
		switch {
		case on && p.Admins:
			return "everyone"
		case on:
			return "non_admins"
		}
		return "off"
	}
	v := wire.ProtectionRule{ID: p.ID, RepositoryID: r.id, Name: p.Branch, CreatedAt: wire.Time{Time: p.Created}, UpdatedAt: wire.Time{Time: p.Updated},
		Admins: p.Admins, ActorsOnly: p.Restricted, Actors: append([]string{}, p.Users...), Contexts: []string{},
		Reviews: level(p.Reviews != nil), Checks: level(p.Checks != nil), Linear: level(p.Linear), Signatures: "off", Lock: "off", MergeQueue: "off",
		Deployments: "off", Conversations: "off", ForcePushes: "off", Deletions: "off"}
	if p.ForcePushes {
		v.ForcePushes = "everyone"
	}
	if p.Deletions {
		v.Deletions = "everyone"
	}
	if p.Reviews != nil {
		v.Count, v.DismissStale = p.Reviews.Count, p.Reviews.DismissStale
	}
	if p.Checks != nil {
		v.Strict = p.Checks.Strict
		for _, c := range p.Checks.Checks {
			v.Contexts = append(v.Contexts, c.Context)
		}
	}
	return v
}
