// Package event is what happened on a forge, in one form whatever forge it was: what triggers look
// at and what dispatch decides about.
package event

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Event is a normalised event. An optional part that the event does not have is nil.
type Event struct {
	Repo       string     `json:"repo"` // owner/name
	Entity     Entity     `json:"entity"`
	Transition Transition `json:"transition"`
	Actor      Actor      `json:"actor"`
	State      State      `json:"state"`
	Source     Source     `json:"source"`
}

// Entity is what it happened to.
type Entity struct {
	Kind   string          `json:"kind"` // work_item, change_proposal, conversation
	ID     int64           `json:"id"`
	Key    string          `json:"key,omitempty"` // a tracker's name for it: APP-12
	URL    string          `json:"url,omitempty"`
	Linked *LinkedProposal `json:"linked_change_proposal,omitempty"`
}

// LinkedProposal is the change proposal that a work item has.
type LinkedProposal struct {
	ID  int64  `json:"id"`
	URL string `json:"url,omitempty"`
}

// Transition is what happened.
type Transition struct {
	Kind    string   `json:"kind"`
	Label   *Label   `json:"label,omitempty"`
	Comment *Comment `json:"comment,omitempty"`
	Review  *Review  `json:"review,omitempty"`
}

// Label is the label that was put on or taken off.
type Label struct {
	Name   string `json:"name"`
	Action string `json:"action"` // added, removed
}

// Comment is a comment. Command is its first word if that begins with "/crew-", Instruction the rest
// of such a comment. The IDs are text because forges do not agree on numbers.
type Comment struct {
	ID          string `json:"id,omitempty"`
	ParentID    string `json:"parent_id,omitempty"`
	Command     string `json:"command,omitempty"`
	Body        string `json:"body,omitempty"`
	Instruction string `json:"instruction,omitempty"`
}

// Review is a review of a change proposal.
type Review struct {
	State      string `json:"state"` // approved, changes_requested, commented, …
	ReviewerID string `json:"reviewer_id,omitempty"`
}

// Actor is who did it. ID is the login.
type Actor struct {
	ID             string `json:"id"`
	Kind           string `json:"kind"` // human, bot
	Role           string `json:"role"` // admin, maintain, write, triage, read, none, external
	IsEntityAuthor bool   `json:"is_entity_author"`
}

// State is how the entity is now.
type State struct {
	Labels         []string      `json:"labels"`
	ChangeProposal *Proposal     `json:"change_proposal,omitempty"`
	Conversation   *Conversation `json:"conversation,omitempty"`
}

// Proposal is a change proposal: at GitHub, a pull request. IsFork is true as well when nobody knows
// where it comes from.
type Proposal struct {
	ID       int64  `json:"id"`
	HeadRepo string `json:"head_repo,omitempty"`
	BaseRepo string `json:"base_repo,omitempty"`
	HeadRef  string `json:"head_ref,omitempty"`
	BaseRef  string `json:"base_ref,omitempty"`
	HeadSHA  string `json:"head_sha,omitempty"`
	AuthorID string `json:"author_id,omitempty"`
	IsFork   bool   `json:"is_fork"`
}

// Conversation is where a conversation belongs.
type Conversation struct {
	Category Category `json:"category"`
}

// Category is a forge's group of conversations.
type Category struct {
	ID     string `json:"id,omitempty"`
	Name   string `json:"name"`
	Slug   string `json:"slug,omitempty"`
	Format string `json:"format,omitempty"`
}

// Source is who told of it, in its own words.
type Source struct {
	System    string `json:"system"` // github, gitlab, jira, manual, schedule
	RawType   string `json:"raw_type,omitempty"`
	RawAction string `json:"raw_action,omitempty"`
}

// Kinds of entities.
const (
	WorkItem       = "work_item"
	ChangeProposal = "change_proposal"
	Discussion     = "conversation"
)

// Kinds of transitions.
const (
	Opened          = "opened"
	Reopened        = "reopened"
	Edited          = "edited"
	Synchronized    = "synchronized"
	Updated         = "updated"
	Closed          = "closed"
	Merged          = "merged"
	MarkedReady     = "marked_ready"
	LabelChanged    = "label_changed"
	CommentAdded    = "comment_added"
	CommentEdited   = "comment_edited"
	CommentDeleted  = "comment_deleted"
	ReviewSubmitted = "review_submitted"
)

// What can be said of labels, actors and roles.
const (
	Added   = "added"
	Removed = "removed"
	Human   = "human"
	Bot     = "bot"
	NoRole  = "none"
	GitHub  = "github"
	Jira    = "jira"
)

const (
	maxJSON  = 1 << 20
	maxText  = 4096 // runes of a comment's parts
	maxField = 4096 // bytes of every other text
	maxCount = 1000 // labels
)

// Parse reads an event's JSON form. Unknown fields are errors.
func Parse(data []byte) (Event, error) {
	var e Event
	if len(data) > maxJSON {
		return Event{}, fmt.Errorf("the event is larger than %d bytes", maxJSON)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&e); err != nil {
		return Event{}, fmt.Errorf("the event is no normalised event: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Event{}, errors.New("the event is no normalised event: something follows it")
	}
	if c := e.Transition.Comment; c != nil {
		c.cut()
		if c.Command == "" && c.Instruction == "" {
			c.Command, c.Instruction = command(c.Body)
		}
	}
	return e, e.Validate()
}

// NewComment returns a comment with its command found and its parts cut to their bounds.
func NewComment(id, body string) *Comment {
	c := &Comment{ID: id, Body: body}
	c.Command, c.Instruction = command(body)
	c.cut()
	return c
}

// command takes apart a comment that begins with "/crew-…".
func command(body string) (word, rest string) {
	body = strings.TrimSpace(body)
	if !strings.HasPrefix(body, "/crew-") {
		return "", ""
	}
	if i := strings.IndexAny(body, " \t\r\n"); i >= 0 {
		return body[:i], strings.TrimSpace(body[i:])
	}
	return body, ""
}

func (c *Comment) cut() {
	for _, s := range []*string{&c.Command, &c.Body, &c.Instruction} {
		*s = strings.ToValidUTF8(*s, "\uFFFD")
		if utf8.RuneCountInString(*s) > maxText {
			*s = string([]rune(*s)[:maxText])
		}
	}
}

// Title is the event in a few words, for logs: `label "x" added on issue 7 of acme/app`.
func (e Event) Title() string {
	what := strings.ReplaceAll(e.Transition.Kind, "_", " ")
	switch t := e.Transition; {
	case t.Label != nil:
		what = fmt.Sprintf("label %q %s", t.Label.Name, t.Label.Action)
	case t.Comment != nil && t.Comment.Command != "":
		what = fmt.Sprintf("command %q", t.Comment.Command)
	case t.Review != nil:
		what = fmt.Sprintf("review %q", t.Review.State)
	}
	entity := map[string]string{WorkItem: "issue", ChangeProposal: "pull request"}[e.Entity.Kind]
	if entity == "" {
		entity = strings.ReplaceAll(e.Entity.Kind, "_", " ")
	}
	if e.Entity.Key != "" {
		return fmt.Sprintf("%s on %s %s", what, entity, e.Entity.Key)
	}
	return fmt.Sprintf("%s on %s %d", what, entity, e.Entity.ID)
}
