package api

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func (a *API) furnitureRoutes() []route {
	const repo = "/repos/{owner}/{repo}"
	const issue = repo + "/issues/{number}"
	const comment = repo + "/issues/comments/{id}"
	return []route{
		{method: http.MethodGet, pattern: repo + "/assignees", list: true, do: func(c *call) (answer, error) {
			all, err := a.State.Assignable(c.who, c.repo())
			return list(c, a.Base, all, err)
		}},
		{method: http.MethodGet, pattern: repo + "/assignees/{assignee}", do: func(c *call) (answer, error) {
			return done(a.State.IsAssignable(c.who, c.repo(), c.param["assignee"], 0))
		}},
		{method: http.MethodGet, pattern: issue + "/assignees/{assignee}", do: func(c *call) (answer, error) {
			n, err := c.issue()
			if err != nil {
				return answer{}, err
			}
			return done(a.State.IsAssignable(c.who, c.repo(), c.param["assignee"], n))
		}},
		{method: http.MethodPost, pattern: issue + "/assignees", do: func(c *call) (answer, error) { return a.assign(c, true) }},
		{method: http.MethodDelete, pattern: issue + "/assignees", do: func(c *call) (answer, error) { return a.assign(c, false) }},
		{method: http.MethodPut, pattern: issue + "/lock", do: a.lockIssue},
		{method: http.MethodDelete, pattern: issue + "/lock", do: func(c *call) (answer, error) {
			n, err := c.issue()
			if err != nil {
				return answer{}, err
			}
			return done(a.State.LockIssue(c.who, c.repo(), n, "", false))
		}},
		{method: http.MethodGet, pattern: issue + "/reactions", list: true, query: []string{"content"}, do: a.listReactions},
		{method: http.MethodPost, pattern: issue + "/reactions", do: a.react},
		{method: http.MethodDelete, pattern: issue + "/reactions/{reaction}", do: a.unreact},
		{method: http.MethodGet, pattern: comment + "/reactions", list: true, query: []string{"content"}, do: a.listReactions},
		{method: http.MethodPost, pattern: comment + "/reactions", do: a.react},
		{method: http.MethodDelete, pattern: comment + "/reactions/{reaction}", do: a.unreact},
	}
}

func (a *API) assign(c *call, add bool) (answer, error) {
	var in struct {
		Assignees []string `json:"assignees"`
	}
	n, err := c.issue()
	if err != nil {
		return answer{}, err
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	i, err := a.State.Assign(c.who, c.repo(), n, in.Assignees, add)
	if err != nil {
		return answer{}, err
	}
	if add {
		return created(i)
	}
	return ok(i)
}

func (a *API) lockIssue(c *call) (answer, error) {
	var in struct {
		Reason string `json:"lock_reason"`
	}
	n, err := c.issue()
	if err != nil {
		return answer{}, err
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	return done(a.State.LockIssue(c.who, c.repo(), n, in.Reason, true))
}

// reacted reads what a request reacts to.
func (c *call) reacted() (to state.Reacted, err error) {
	if c.param["id"] != "" {
		to.Comment, err = c.number("id")
		return to, err
	}
	to.Issue, err = c.issue()
	return to, err
}

func (a *API) listReactions(c *call) (answer, error) {
	to, err := c.reacted()
	if err != nil {
		return answer{}, err
	}
	content, err := c.oneOf("content", "", state.ReactionContents()...)
	if err != nil {
		return answer{}, err
	}
	all, err := a.State.Reactions(c.who, c.repo(), to, content)
	return list(c, a.Base, all, err)
}

func (a *API) react(c *call) (answer, error) {
	var in struct {
		Content string `json:"content"`
	}
	to, err := c.reacted()
	if err != nil {
		return answer{}, err
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	v, isNew, err := a.State.React(c.who, c.repo(), to, in.Content)
	if err == nil && isNew {
		return created(v)
	}
	return answered(v, err)
}

func (a *API) unreact(c *call) (answer, error) {
	to, err := c.reacted()
	if err != nil {
		return answer{}, err
	}
	id, err := c.number("reaction")
	if err != nil {
		return answer{}, err
	}
	return done(a.State.Unreact(c.who, c.repo(), to, id))
}

func (a *API) issueEventRoutes() []route {
	const issues = "/repos/{owner}/{repo}/issues"
	return []route{
		{method: http.MethodGet, pattern: issues + "/{number}/events", list: true, do: func(c *call) (answer, error) { return listOf(a, c, a.State.IssueEvents) }},
		{method: http.MethodGet, pattern: issues + "/{number}/timeline", list: true, do: func(c *call) (answer, error) { return listOf(a, c, a.State.Timeline) }},
		{method: http.MethodGet, pattern: issues + "/events", list: true, do: func(c *call) (answer, error) {
			all, err := a.State.RepoEvents(c.who, c.repo())
			return list(c, a.Base, all, err)
		}},
		{method: http.MethodGet, pattern: issues + "/events/{id}", do: func(c *call) (answer, error) {
			id, err := c.number("id")
			if err != nil {
				return answer{}, err
			}
			return answered(a.State.RepoEvent(c.who, c.repo(), id))
		}},
	}
}

// listOf is an answer with a page of what an issue has.
func listOf[T any](a *API, c *call, all func(state.Identity, string, int) ([]T, error)) (answer, error) {
	n, err := c.issue()
	if err != nil {
		return answer{}, err
	}
	events, err := all(c.who, c.repo(), n)
	return list(c, a.Base, events, err)
}

func (a *API) milestoneRoutes() []route {
	const milestones = "/repos/{owner}/{repo}/milestones"
	const one = milestones + "/{milestone}"
	return []route{
		{method: http.MethodGet, pattern: milestones, list: true, query: []string{"state", "sort", "direction"}, do: a.listMilestones},
		{method: http.MethodPost, pattern: milestones, do: func(c *call) (answer, error) {
			in, err := milestoneEdit(c)
			if err != nil {
				return answer{}, err
			}
			m, err := a.State.CreateMilestone(c.who, c.repo(), in)
			if err != nil {
				return answer{}, err
			}
			return created(m)
		}},
		{method: http.MethodGet, pattern: one, do: func(c *call) (answer, error) {
			n, err := c.number("milestone")
			if err != nil {
				return answer{}, err
			}
			return answered(a.State.Milestone(c.who, c.repo(), int(n)))
		}},
		{method: http.MethodPatch, pattern: one, do: func(c *call) (answer, error) {
			n, err := c.number("milestone")
			if err != nil {
				return answer{}, err
			}
			in, err := milestoneEdit(c)
			if err != nil {
				return answer{}, err
			}
			return answered(a.State.EditMilestone(c.who, c.repo(), int(n), in))
		}},
		{method: http.MethodDelete, pattern: one, do: func(c *call) (answer, error) {
			n, err := c.number("milestone")
			if err != nil {
				return answer{}, err
			}
			return done(a.State.DeleteMilestone(c.who, c.repo(), int(n)))
		}},
		{method: http.MethodGet, pattern: one + "/labels", list: true, do: func(c *call) (answer, error) {
			n, err := c.number("milestone")
			if err != nil {
				return answer{}, err
			}
			all, err := a.State.MilestoneLabels(c.who, c.repo(), int(n))
			return list(c, a.Base, all, err)
		}},
	}
}

func (a *API) listMilestones(c *call) (answer, error) {
	var f state.MilestoneFilter
	var err error
	if f.State, err = c.oneOf("state", "open", "closed", "all"); err != nil {
		return answer{}, err
	}
	if f.Sort, err = c.oneOf("sort", "due_on", "completeness"); err != nil {
		return answer{}, err
	}
	direction, err := c.oneOf("direction", "asc", "desc")
	if err != nil {
		return answer{}, err
	}
	f.Descending = direction == "desc"
	all, err := a.State.Milestones(c.who, c.repo(), f)
	return list(c, a.Base, all, err)
}

func milestoneEdit(c *call) (state.MilestoneEdit, error) {
	var in struct {
		Title       *string       `json:"title"`
		State       *string       `json:"state"`
		Description *string       `json:"description"`
		Due         given[string] `json:"due_on"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return state.MilestoneEdit{}, err
	}
	out := state.MilestoneEdit{Title: in.Title, State: in.State, Description: in.Description}
	if in.Due.set {
		out.Due = &time.Time{}
		if in.Due.value != "" {
			at, err := time.Parse(time.RFC3339, in.Due.value)
			if err != nil {
				return out, wire.Unprocessable("Invalid request.\n\nInvalid due_on: want ISO 8601.")
			}
			out.Due = &at
		}
	}
	return out, nil
}

// given is a field of a body that knows whether it was there; null is the zero value.
type given[T any] struct {
	set   bool
	value T
}

// UnmarshalJSON implements json.Unmarshaler.
func (g *given[T]) UnmarshalJSON(data []byte) error {
	*g = given[T]{set: true}
	return json.Unmarshal(data, &g.value)
}

// holding is who and what an issue is given, in the requests that make and change one.
type holding struct {
	Assignees given[[]string]        `json:"assignees"`
	Assignee  given[string]          `json:"assignee"` // older clients'; null or "" is nobody
	Milestone given[milestoneNumber] `json:"milestone"`
}

// assignees are those that a request gives, nil when it says nothing of them.
func (h holding) assignees() *[]string {
	switch {
	case h.Assignees.set:
		return &h.Assignees.value
	case !h.Assignee.set:
		return nil
	case h.Assignee.value == "":
		return &[]string{}
	}
	return &[]string{h.Assignee.value}
}

// milestone is the number that a request gives, 0 for none, nil when it says nothing of it.
func (h holding) milestone() *int {
	if !h.Milestone.set {
		return nil
	}
	return (*int)(&h.Milestone.value)
}

// milestoneNumber is a milestone as an issue names it: a number, or a number as text.
type milestoneNumber int

// UnmarshalJSON implements json.Unmarshaler.
func (n *milestoneNumber) UnmarshalJSON(data []byte) error {
	text := strings.Trim(string(data), `"`)
	if text == "null" || text == "" {
		*n = 0
		return nil
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < 1 {
		return wire.Invalid(wire.FieldError{Resource: "Issue", Field: "milestone", Code: "invalid"})
	}
	*n = milestoneNumber(number)
	return nil
}

// filterMilestone reads the parameter of a list of issues.
func filterMilestone(text string) (int, error) {
	switch text {
	case "":
		return state.AnyMilestone, nil
	case "*":
		return state.SomeMilestone, nil
	case "none":
		return state.NoMilestone, nil
	}
	n := positive(text, 0)
	if n == 0 {
		return 0, wire.Invalid(wire.FieldError{Resource: "Issue", Field: "milestone", Code: "invalid"})
	}
	return n, nil
}
