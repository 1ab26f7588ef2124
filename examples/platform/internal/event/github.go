package event

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxPayload is what GitHub sends at most, see
// https://docs.github.com/en/webhooks/webhook-events-and-payloads
const maxPayload = 25 << 20

type user struct {
	Login string `json:"login"`
	Type  string `json:"type"`
}

type label struct {
	Name string `json:"name"`
}

type side struct {
	Ref  string `json:"ref"`
	SHA  string `json:"sha"`
	Repo *struct {
		FullName string `json:"full_name"`
	} `json:"repo"`
}

func (s side) repo() string {
	if s.Repo == nil {
		return ""
	}
	return s.Repo.FullName
}

type subject struct {
	Number  int64   `json:"number"`
	URL     string  `json:"html_url"`
	User    user    `json:"user"`
	Labels  []label `json:"labels"`
	Merged  bool    `json:"merged"`
	Head    side    `json:"head"`
	Base    side    `json:"base"`
	Request *struct {
		URL string `json:"html_url"`
	} `json:"pull_request"` // of an issue that is a pull request
}

type payload struct {
	Action  string   `json:"action"`
	Label   *label   `json:"label"`
	Issue   *subject `json:"issue"`
	Pull    *subject `json:"pull_request"`
	Sender  user     `json:"sender"`
	Comment *struct {
		ID   int64  `json:"id"`
		Body string `json:"body"`
	} `json:"comment"`
	Review *struct {
		State string `json:"state"`
		User  user   `json:"user"`
	} `json:"review"`
}

// FromGitHub reads the payload of GitHub's event name in the repository "owner/name". The payload
// does not say the actor's role: it is "none" until SetRole; nor, of a comment on a pull request,
// where that comes from: NeedsProposal then.
func FromGitHub(name, repo string, data []byte) (Event, error) {
	if len(data) > maxPayload {
		return Event{}, fmt.Errorf("the payload is larger than %d bytes", maxPayload)
	}
	var p payload
	if err := json.Unmarshal(data, &p); err != nil {
		return Event{}, fmt.Errorf("the payload of %s: %w", name, err)
	}
	e := Event{
		Repo:   repo,
		Source: Source{System: GitHub, RawType: name, RawAction: p.Action},
		Actor:  Actor{ID: p.Sender.Login, Kind: kind(p.Sender), Role: NoRole},
	}
	var err error
	switch name {
	case "issues":
		err = e.issue(p)
	case "issue_comment":
		err = e.comment(p)
	case "pull_request", "pull_request_target":
		err = e.pull(p)
	case "pull_request_review":
		err = e.review(p)
	default:
		return Event{}, fmt.Errorf("event %q starts nothing; crew knows issues, issue_comment, pull_request, pull_request_target "+
			"and pull_request_review", name)
	}
	if err == nil {
		err = e.Validate()
	}
	if err != nil {
		return Event{}, fmt.Errorf("the payload of %s: %w", name, err)
	}
	return e, nil
}

func kind(u user) string {
	if u.Type == "Bot" || strings.HasSuffix(u.Login, "[bot]") {
		return Bot
	}
	return Human
}

// about sets what the event is about.
func (e *Event) about(kind string, s subject) {
	e.Entity = Entity{Kind: kind, ID: s.Number, URL: s.URL}
	e.Actor.IsEntityAuthor = s.User.Login != "" && s.User.Login == e.Actor.ID
	e.State.Labels = make([]string, 0, len(s.Labels))
	for _, l := range s.Labels {
		e.State.Labels = append(e.State.Labels, l.Name)
	}
}

func (e *Event) issue(p payload) error {
	if p.Issue == nil {
		return errors.New("it names no issue")
	}
	e.aboutIssue(*p.Issue)
	e.Transition.Kind = Updated
	switch p.Action {
	case "opened", "reopened", "edited", "closed":
		e.Transition.Kind = p.Action
	case "labeled", "unlabeled":
		return e.labelled(p)
	}
	return nil
}

// aboutIssue takes care that GitHub calls pull requests issues too.
func (e *Event) aboutIssue(s subject) {
	if s.Request == nil {
		e.about(WorkItem, s)
		return
	}
	e.about(ChangeProposal, s)
	e.State.ChangeProposal = &Proposal{ID: s.Number, AuthorID: s.User.Login, IsFork: true}
}

func (e *Event) labelled(p payload) error {
	if p.Label == nil {
		return errors.New("it names no label")
	}
	e.Transition.Kind = LabelChanged
	e.Transition.Label = &Label{Name: p.Label.Name, Action: Added}
	if p.Action == "unlabeled" {
		e.Transition.Label.Action = Removed
	}
	return nil
}

func (e *Event) comment(p payload) error {
	if p.Issue == nil || p.Comment == nil {
		return errors.New("it names no issue or no comment")
	}
	e.aboutIssue(*p.Issue)
	switch p.Action {
	case "created":
		e.Transition.Kind = CommentAdded
	case "edited":
		e.Transition.Kind = CommentEdited
	case "deleted":
		e.Transition.Kind = CommentDeleted
	default:
		return fmt.Errorf("its action %q is unknown", clip(p.Action))
	}
	e.Transition.Comment = NewComment(strconv.FormatInt(p.Comment.ID, 10), p.Comment.Body)
	return nil
}

func (e *Event) aboutPull(s subject) {
	e.about(ChangeProposal, s)
	head, base := s.Head.repo(), s.Base.repo()
	e.State.ChangeProposal = &Proposal{
		ID: s.Number, HeadRepo: head, BaseRepo: base, HeadRef: s.Head.Ref, BaseRef: s.Base.Ref, HeadSHA: s.Head.SHA,
		AuthorID: s.User.Login, IsFork: head == "" || head != base,
	}
}

func (e *Event) pull(p payload) error {
	if p.Pull == nil {
		return errors.New("it names no pull request")
	}
	e.aboutPull(*p.Pull)
	e.Transition.Kind = Updated
	switch p.Action {
	case "opened", "reopened", "edited":
		e.Transition.Kind = p.Action
	case "synchronize":
		e.Transition.Kind = Synchronized
	case "ready_for_review":
		e.Transition.Kind = MarkedReady
	case "closed":
		e.Transition.Kind = Closed
		if p.Pull.Merged {
			e.Transition.Kind = Merged
		}
	case "labeled", "unlabeled":
		return e.labelled(p)
	}
	return nil
}

func (e *Event) review(p payload) error {
	if p.Pull == nil || p.Review == nil {
		return errors.New("it names no pull request or no review")
	}
	e.aboutPull(*p.Pull)
	e.Transition.Kind = Updated
	if p.Action == "submitted" {
		e.Transition.Kind = ReviewSubmitted
		e.Transition.Review = &Review{State: strings.ToLower(p.Review.State), ReviewerID: p.Review.User.Login}
	}
	return nil
}

// NeedsProposal reports whether the payload left out where the pull request comes from.
func (e Event) NeedsProposal() bool {
	p := e.State.ChangeProposal
	return p != nil && p.HeadSHA == "" && e.Source.System == GitHub
}

// SetProposal fills in a pull request from its own JSON, as GitHub's API answers it. What is not
// about this pull request, or is not known, stays a fork's.
func (e *Event) SetProposal(data []byte) error {
	var s subject
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("the pull request: %w", err)
	}
	if s.Number != e.Entity.ID {
		return fmt.Errorf("the pull request is number %d, not %d", s.Number, e.Entity.ID)
	}
	labels, author := e.State.Labels, e.Actor.IsEntityAuthor
	e.aboutPull(s)
	e.State.Labels, e.Actor.IsEntityAuthor = labels, author // as they were when it happened
	return e.Validate()
}

// SetRole sets the actor's role; a role of one's own (GitHub lets organisations make some) is none.
func (e *Event) SetRole(role string) {
	e.Actor.Role = role
	if e.actor() != nil {
		e.Actor.Role = NoRole
	}
}
