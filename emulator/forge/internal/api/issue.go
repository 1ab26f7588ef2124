package api

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func (a *API) issueRoutes() []route {
	const issues = "/repos/{owner}/{repo}/issues"
	const labels = issues + "/{number}/labels"
	return []route{
		{method: http.MethodGet, pattern: issues, list: true, query: []string{"state", "labels", "creator", "assignee", "milestone", "mentioned", "since", "sort", "direction"}, do: a.listIssues},
		{method: http.MethodPost, pattern: issues, do: a.openIssue},
		{method: http.MethodGet, pattern: issues + "/{number}", do: func(c *call) (answer, error) {
			n, err := c.issue()
			if err != nil {
				return answer{}, err
			}
			i, err := a.State.Issue(c.who, c.repo(), n)
			if err != nil {
				return answer{}, err
			}
			return ok(i)
		}},
		{method: http.MethodPatch, pattern: issues + "/{number}", do: a.editIssue},
		{method: http.MethodGet, pattern: labels, list: true, do: func(c *call) (answer, error) {
			n, err := c.issue()
			if err != nil {
				return answer{}, err
			}
			all, err := a.State.IssueLabels(c.who, c.repo(), n)
			return list(c, a.Base, all, err)
		}},
		{method: http.MethodPost, pattern: labels, do: func(c *call) (answer, error) { return a.relabel(c, a.State.AddLabels) }},
		{method: http.MethodPut, pattern: labels, do: func(c *call) (answer, error) { return a.relabel(c, a.State.SetLabels) }},
		{method: http.MethodDelete, pattern: labels, do: func(c *call) (answer, error) {
			n, err := c.issue()
			if err != nil {
				return answer{}, err
			}
			if _, err := a.State.SetLabels(c.who, c.repo(), n, nil); err != nil {
				return answer{}, err
			}
			return noContent()
		}},
		{method: http.MethodDelete, pattern: labels + "/{name}", do: func(c *call) (answer, error) {
			n, err := c.issue()
			if err != nil {
				return answer{}, err
			}
			if err := a.freshen(c, c.repo(), n); err != nil {
				return answer{}, err
			}
			left, err := a.State.RemoveLabel(c.who, c.repo(), n, c.param["name"])
			if err != nil {
				return answer{}, err
			}
			return ok(left)
		}},
	}
}

// issue reads the issue number of the path.
func (c *call) issue() (int, error) {
	n, err := c.number("number")
	return int(n), err
}

func (a *API) listIssues(c *call) (answer, error) {
	q := c.URL.Query()
	since, err := c.sinceOf()
	if err != nil {
		return answer{}, err
	}
	f := state.IssueFilter{State: q.Get("state"), Creator: q.Get("creator"), Assignee: q.Get("assignee"), Mentioned: q.Get("mentioned"), Since: since, Sort: q.Get("sort"), Ascending: q.Get("direction") == "asc"}
	if !slices.Contains([]string{"", "open", "closed", "all"}, f.State) {
		return answer{}, wire.Invalid(wire.FieldError{Resource: "Issue", Field: "state", Code: "invalid"})
	}
	if !slices.Contains([]string{"", "created", "updated", "comments"}, f.Sort) {
		return answer{}, wire.Invalid(wire.FieldError{Resource: "Issue", Field: "sort", Code: "invalid"})
	}
	if f.Milestone, err = filterMilestone(q.Get("milestone")); err != nil {
		return answer{}, err
	}
	if names := q.Get("labels"); names != "" {
		f.Labels = strings.Split(names, ",")
	}
	all, err := a.State.Issues(c.who, c.repo(), f)
	return list(c, a.Base, all, err)
}

func (a *API) openIssue(c *call) (answer, error) {
	var in struct {
		Title  *string    `json:"title"`
		Body   *string    `json:"body"`
		Labels stringList `json:"labels"`
		holding
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	if in.Title == nil {
		return answer{}, missing("title")
	}
	n := state.NewIssue{Title: *in.Title, Labels: in.Labels}
	if all := in.assignees(); all != nil {
		n.Assignees = *all
	}
	if m := in.milestone(); m != nil {
		n.Milestone = *m
	}
	if in.Body != nil {
		n.Body = *in.Body
	}
	i, err := a.State.OpenIssue(c.who, c.repo(), n)
	if err != nil {
		return answer{}, err
	}
	return created(i)
}

func (a *API) editIssue(c *call) (answer, error) {
	var in struct {
		Title       *string     `json:"title"`
		Body        *string     `json:"body"`
		State       *string     `json:"state"`
		StateReason *string     `json:"state_reason"`
		Labels      *stringList `json:"labels"`
		holding
	}
	n, err := c.issue()
	if err != nil {
		return answer{}, err
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	if err := cmp.Or(a.freshen(c, c.repo(), n), a.mayReopen(c.repo(), n, in.State)); err != nil {
		return answer{}, err
	}
	i, err := a.State.EditIssue(c.who, c.repo(), n, state.IssueEdit{
		Title: in.Title, Body: in.Body, State: in.State, StateReason: in.StateReason, Labels: (*[]string)(in.Labels),
		Assignees: in.assignees(), Milestone: in.milestone()})
	if err != nil {
		return answer{}, err
	}
	if p, found := a.State.PullNow(c.repo(), n); found {
		if err := a.settleNow(c.Request, c.who, p.Repo); err != nil { // opened again, its branches may have moved
			return answer{}, err
		}
	}
	return ok(i)
}

func (a *API) relabel(c *call, change func(state.Identity, string, int, []string) ([]wire.Label, error)) (answer, error) {
	n, err := c.issue()
	if err != nil {
		return answer{}, err
	}
	names, err := labelNames(c)
	if err != nil {
		return answer{}, err
	}
	if err := a.freshen(c, c.repo(), n); err != nil {
		return answer{}, err
	}
	all, err := change(c.who, c.repo(), n, names)
	if err != nil {
		return answer{}, err
	}
	return ok(all)
}
