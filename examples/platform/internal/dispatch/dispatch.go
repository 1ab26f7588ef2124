// Package dispatch decides which agents an event starts, and keeps the reason of each answer.
package dispatch

import (
	"fmt"
	"slices"
	"strings"

	"example.com/crew/internal/defect"
	"example.com/crew/internal/event"
	"example.com/crew/internal/owners"
)

// The two decisions about an event, and the two about an agent.
const (
	Dispatched = "dispatched"
	Denied     = "denied"
	Skipped    = "skipped"
)

// Matcher is an agent's trigger. An error means that it has no answer for the event.
type Matcher interface {
	Match(event.Event) (bool, error)
}

// Candidate is a registered agent.
type Candidate struct {
	Name    string
	Role    string
	Labels  []string // by which people sort agents; they decide nothing
	Enabled bool
	Trigger Matcher // nil is none
	Err     error   // why it could not be loaded
}

// Options are what is decided about.
type Options struct {
	Event      event.Event
	KillSwitch bool
	// Complete finds out what the event does not say by itself, such as the actor's role. Nil when it
	// says everything.
	Complete func(*event.Event)
	// Owner says what an actor without a role that counts is by the repository's OWNERS files. Nil when these do
	// not decide.
	Owner func(login string) string
	// List gives the registered agents in the order in which they are dispatched. It is asked only
	// when the event may start agents.
	List   func() []Candidate
	Defect defect.Name
}

// Decision is dispatch.json: what was decided, and why.
type Decision struct {
	Event    event.Event `json:"event"`
	Decision string      `json:"decision"`
	Reason   string      `json:"reason"`
	Agents   []Answer    `json:"agents"` // of those that were asked; never nil
	Matrix   Matrix      `json:"-"`
}

// Answer is what was decided about one agent. Failed says that it was skipped because of a mistake in
// its files.
type Answer struct {
	Name     string   `json:"name"`
	Labels   []string `json:"labels,omitempty"`
	Decision string   `json:"decision"`
	Reason   string   `json:"reason"`
	Failed   bool     `json:"-"`
	barred   bool     // its trigger matches, but the actor may not start it
}

// Decide is pure but for the functions in its options. Nothing to start is a decision, not an error.
// It asks in this order: the kill switch, whether the actor may, which agents there are, which
// triggers match.
func Decide(o Options) Decision {
	d := Decision{Event: o.Event, Agents: []Answer{}, Matrix: Matrix{Include: []Cell{}}}
	if o.KillSwitch && o.Defect != defect.KillSwitchIgnored {
		return d.deny("the kill switch is active")
	}
	if o.Complete != nil {
		o.Complete(&d.Event)
	}
	seen := distort(d.Event, o.Defect)
	anyone := o.Defect == defect.UnauthorisedAccepted || o.Defect == defect.CommandByAnyone && seen.Transition.Comment != nil ||
		o.Defect == defect.TriageRoleMay && seen.Actor.Role == "triage"
	owner := owners.None
	if !Authorised(seen) && !anyone && o.Owner != nil {
		owner = o.Owner(seen.Actor.ID)
	}
	if !Authorised(seen) && !anyone && owner == owners.None {
		return d.deny(fmt.Sprintf("%s has the role %s, which may not start agents; write, maintain or admin may", seen.Actor.ID, seen.Actor.Role))
	}
	var names []string
	for _, c := range o.List() {
		a := answer(c, seen, o.Defect)
		if a.Decision == Dispatched && owner == owners.Reviewer && changesCode(c.Role) && o.Defect != defect.OwnersReviewerWrites {
			a.Decision, a.barred, a.Reason = Skipped, true, fmt.Sprintf("its trigger matches, but %s is only a reviewer of OWNERS, and it changes code", seen.Actor.ID)
		}
		if a.Decision == Dispatched {
			names = append(names, c.Name)
			d.Matrix.Include = append(d.Matrix.Include, NewCell(c, d.Event))
		}
		d.Agents = append(d.Agents, a)
	}
	failed := slices.ContainsFunc(d.Agents, func(a Answer) bool { return a.Failed })
	if failed && o.Defect == defect.LoadFailureStopsAll {
		d.Matrix.Include, d.Agents = []Cell{}, []Answer{}
		return d.deny("an agent could not be loaded")
	}
	if len(names) == 0 {
		return d.deny(nothing(d.Agents))
	}
	d.Decision, d.Reason = Dispatched, "starts "+strings.Join(names, ", ")
	if owner != owners.None {
		d.Reason += fmt.Sprintf("; %s is authorised by OWNERS as %s", seen.Actor.ID, owner)
	}
	return d
}

// nothing says why no agent starts.
func nothing(agents []Answer) string {
	for _, a := range agents {
		if a.barred {
			return "no agent may start: " + a.Name + ": " + a.Reason
		}
	}
	return "no agent's trigger matches"
}

// Refuse is the decision where the agents could not even be listed: nothing starts.
func (d Decision) Refuse(reason string) Decision {
	d.Agents, d.Matrix = []Answer{}, Matrix{Include: []Cell{}}
	return d.deny(reason)
}

func (d Decision) deny(reason string) Decision {
	d.Decision, d.Reason = Denied, reason
	return d
}

// labelAdded reports whether a label was put on, which needs a role in the repository already.
func labelAdded(e event.Event) bool {
	return e.Source.System == event.GitHub && e.Transition.Label != nil && e.Transition.Label.Action == event.Added
}

// NeedsRole reports whether the actor's role decides.
func NeedsRole(e event.Event) bool {
	botsReview := e.Source.System == event.GitHub && e.Transition.Kind == event.ReviewSubmitted && e.Actor.Kind == event.Bot
	return !labelAdded(e) && !botsReview
}

// Authorised reports whether the actor may start agents with this event.
func Authorised(e event.Event) bool {
	return !NeedsRole(e) || slices.Contains([]string{"write", "maintain", "admin"}, e.Actor.Role)
}

// changesCode reports whether agents of a role may change code: all but those of which crew knows better.
func changesCode(role string) bool {
	return !slices.Contains([]string{"triage", "review", "retro", "prioritize"}, role)
}

func answer(c Candidate, e event.Event, d defect.Name) Answer {
	a := Answer{Name: c.Name, Labels: c.Labels, Decision: Skipped}
	switch {
	case c.Err != nil:
		a.Reason, a.Failed = c.Err.Error(), true
		return a
	case !c.Enabled && d != defect.DisabledAgentDispatched:
		a.Reason = "it is disabled"
		return a
	case c.Trigger == nil:
		a.Reason = "it has no trigger"
		return a
	}
	matched, err := match(c.Trigger, e, d)
	switch {
	case err != nil:
		a.Reason, a.Failed = "its trigger has no answer: "+err.Error(), true
	case !matched:
		a.Reason = "its trigger does not match"
	default:
		a.Decision, a.Reason = Dispatched, "its trigger matches"
	}
	return a
}

// distort is where defects change what is seen of the event.
func distort(e event.Event, d defect.Name) event.Event {
	lost := d == defect.ForkFlagLost || d == defect.ForkCommentTrusted && e.Transition.Comment != nil
	if p := e.State.ChangeProposal; p != nil && lost {
		same := *p
		same.IsFork = false
		e.State.ChangeProposal = &same
	}
	if l := e.Transition.Label; l != nil && d == defect.TriggerOnUnlabelled {
		e.Transition.Label = &event.Label{Name: l.Name, Action: event.Added}
	}
	return e
}

func match(m Matcher, e event.Event, d defect.Name) (bool, error) {
	if d == defect.RetroOnOpen && e.Transition.Kind == event.Opened {
		if matched, err := m.Match(e); matched || err != nil {
			return matched, err
		}
		e.Transition.Kind = event.Closed
	}
	if d != defect.AnyLabelTriggers || !labelAdded(e) {
		return m.Match(e)
	}
	for _, name := range []string{e.Transition.Label.Name, "ready-for-triage", "ready-to-code", "ready-for-review"} {
		e.Transition.Label = &event.Label{Name: name, Action: event.Added}
		if matched, err := m.Match(e); matched || err != nil {
			return matched, err
		}
	}
	return false, nil
}
