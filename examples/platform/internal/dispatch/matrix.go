package dispatch

import (
	"encoding/json"

	"example.com/crew/internal/event"
)

// Matrix is a workflow job's matrix. Include is never nil, so that it is "[]" in JSON.
type Matrix struct {
	Include []Cell `json:"include"`
}

// Cell is one agent to run. Payload is a JSON text: what the agent is told of the event.
type Cell struct {
	Agent         string `json:"agent"`
	Role          string `json:"role"`
	SourceRepo    string `json:"source_repo"`
	EventType     string `json:"event_type"`
	Payload       string `json:"event_payload"`
	TriggerSource string `json:"trigger_source,omitempty"` // who asked: the reviewer, or who wrote /crew-fix
	Number        int64  `json:"number"`
	StatusRepo    string `json:"status_repo"`
}

type repository struct {
	FullName string `json:"full_name"`
}

type side struct {
	Ref  string      `json:"ref"`
	SHA  string      `json:"sha,omitempty"`
	Repo *repository `json:"repo"` // null: nobody knows
}

type subject struct {
	Number int64  `json:"number"`
	URL    string `json:"html_url"`
	Head   *side  `json:"head,omitempty"`
	Base   *side  `json:"base,omitempty"`
}

type body struct {
	Body string `json:"body"`
}

type told struct {
	Issue   *subject `json:"issue,omitempty"`
	Pull    *subject `json:"pull_request,omitempty"`
	Comment *body    `json:"comment,omitempty"`
}

// NewCell returns the cell of an agent that an event starts.
func NewCell(c Candidate, e event.Event) Cell {
	cell := Cell{
		Agent: c.Name, Role: c.Role, SourceRepo: e.Repo, EventType: e.Source.RawType, Number: e.Entity.ID, StatusRepo: e.Repo,
	}
	what := &subject{Number: e.Entity.ID, URL: e.Entity.URL}
	t := told{Issue: what}
	if p := e.State.ChangeProposal; p != nil && e.Entity.Kind == event.ChangeProposal {
		t = told{Pull: what}
		what.Head = newSide(p.HeadRef, p.HeadSHA, p.HeadRepo)
		what.Base = newSide(p.BaseRef, "", p.BaseRepo)
	}
	if e.Transition.Comment != nil {
		t.Comment = &body{e.Transition.Comment.Body}
		if e.Transition.Comment.Command == "/crew-fix" {
			cell.TriggerSource = e.Actor.ID
		}
	}
	if e.Transition.Review != nil {
		cell.TriggerSource = e.Transition.Review.ReviewerID
	}
	data, _ := json.Marshal(t) // texts and numbers: it cannot fail
	cell.Payload = string(data)
	return cell
}

func newSide(ref, sha, repo string) *side {
	s := &side{Ref: ref, SHA: sha}
	if repo != "" {
		s.Repo = &repository{repo}
	}
	return s
}
