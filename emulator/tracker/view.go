package tracker

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// What an issue can show.
const (
	everything = "*all"
	navigable  = "*navigable"
)

// view makes the function that shows an issue as fields and expand ask for it; fallback is what fields are when none are named.
func (r *request) view(fields, expand []string, fallback string) (func(*issue) map[string]any, error) {
	asked := split(fields)
	if len(asked) == 0 {
		asked = []string{fallback}
	}
	for _, name := range asked {
		if plain := strings.TrimPrefix(name, "-"); !slices.Contains(fieldNames(), plain) && plain != everything && plain != navigable && plain != "id" && plain != "key" {
			return nil, unsupported("the issue field " + plain)
		}
	}
	changelog := false
	for _, name := range split(expand) {
		if name != "changelog" {
			return nil, unsupported("expand=" + name)
		}
		changelog = true
	}
	return func(i *issue) map[string]any {
		out := map[string]any{"id": strconv.FormatInt(i.id, 10), "key": i.key(), "self": r.at("/issue/%d", i.id), "expand": "changelog"}
		if shown := r.shown(i, asked); len(shown) > 0 {
			out["fields"] = shown
		}
		if changelog {
			out["changelog"] = r.changelog(i)
		}
		return out
	}, nil
}

func split(values []string) (out []string) {
	for _, v := range values {
		for name := range strings.SplitSeq(v, ",") {
			if name = strings.TrimSpace(name); name != "" {
				out = append(out, name)
			}
		}
	}
	return out
}

func fieldNames() []string {
	return []string{"project", "issuetype", "summary", "description", "labels", "status", "creator", "reporter", "created", "updated", "comment"}
}

// shown are the fields of an issue that were asked for.
func (r *request) shown(i *issue, asked []string) map[string]any {
	out := map[string]any{}
	for _, name := range fieldNames() {
		has := slices.Contains(asked, name) || slices.Contains(asked, everything) ||
			slices.Contains(asked, navigable) && name != "comment"
		if has && !slices.Contains(asked, "-"+name) {
			out[name] = r.field(i, name)
		}
	}
	return out
}

func (r *request) field(i *issue, name string) any {
	switch name {
	case "project":
		return r.projectView(i.project)
	case "issuetype":
		id := slices.Index(kinds(), i.kind) + 1
		return map[string]any{"self": r.at("/issuetype/%d", id), "id": strconv.Itoa(id), "name": i.kind, "subtask": false}
	case "summary":
		return i.summary
	case "description":
		return r.text(i.description)
	case "labels":
		return nonNil(i.labels)
	case "status":
		return map[string]any{"self": r.at("/status/1"), "id": "1", "name": status, "statusCategory": map[string]any{"id": 2, "key": "new", "name": status}}
	case "creator", "reporter":
		return r.account(i.creator)
	case "created":
		return stamp(i.created)
	case "updated":
		return stamp(i.updated)
	}
	views := []any{}
	for _, c := range i.comments {
		views = append(views, r.comment(i, c))
	}
	return map[string]any{"self": r.at("/issue/%d/comment", i.id), "comments": views, "startAt": 0, "maxResults": len(views), "total": len(views)}
}

// status is what every issue has: there are no transitions.
const status = "To Do"

func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// text is a document as the request's version has it.
func (r *request) text(document json.RawMessage) any {
	if document == nil {
		return nil
	}
	if r.documents() {
		return document
	}
	return textOf(document)
}

// changelog is the whole one of an issue, newest first, as expand=changelog gives it.
func (r *request) changelog(i *issue) map[string]any {
	views := []any{}
	for _, c := range slices.Backward(i.history) {
		views = append(views, r.change(c))
	}
	return map[string]any{"startAt": 0, "maxResults": len(views), "total": len(views), "histories": views}
}

func (r *request) change(c change) map[string]any {
	items := []any{}
	for _, it := range c.items {
		item := map[string]any{"field": it.field, "fieldId": it.field, "fieldtype": "jira", "from": nil, "fromString": it.from, "to": nil, "toString": it.to}
		items = append(items, item)
	}
	return map[string]any{"id": strconv.FormatInt(c.id, 10), "author": r.account(c.author), "created": stamp(c.at), "items": items}
}

// listChangelog is https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issues/#api-rest-api-3-issue-issueidorkey-changelog-get
func listChangelog(r *request) (answer, error) {
	i, err := r.found()
	if err != nil {
		return answer{}, err
	}
	start, count, err := r.window(100)
	if err != nil {
		return answer{}, err
	}
	views := []any{}
	for _, c := range page(i.history, start, count) {
		views = append(views, r.change(c))
	}
	return ok(r.pageView(views, start, count, len(i.history))), nil
}

// pageView is one page of a list, as newer resources have it.
func (r *request) pageView(values []any, start, count, total int) map[string]any {
	return map[string]any{
		"self": r.base + r.URL.Path, "startAt": start, "maxResults": count, "total": total,
		"isLast": start+len(values) >= total, "values": values,
	}
}

// account is an account as issues and groups show it.
func (r *request) account(id string) map[string]any {
	a := r.accounts[id]
	kind := "atlassian"
	if a.App {
		kind = "app"
	}
	return map[string]any{
		"self": r.at("/user?accountId=%s", id), "accountId": a.ID, "accountType": kind, "emailAddress": a.Email, "displayName": a.Name,
		"active": true, "timeZone": "Etc/UTC",
	}
}

// accountRoutes are those of https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-users/
func accountRoutes() []route {
	return []route{
		{pattern: "GET /rest/api/{version}/myself", do: func(r *request) (answer, error) { return ok(r.account(r.who.ID)), nil }},
		{pattern: "GET /rest/api/{version}/user", query: []string{"accountId"}, do: func(r *request) (answer, error) {
			if err := r.known(); err != nil {
				return answer{}, err
			}
			return ok(r.account(r.URL.Query().Get("accountId"))), nil
		}},
		{pattern: "GET /rest/api/{version}/user/groups", query: []string{"accountId"}, do: accountGroups},
	}
}

// known refuses an accountId that nobody has.
func (r *request) known() error {
	id := r.URL.Query().Get("accountId")
	if id == "" {
		return refuse(http.StatusBadRequest, "The query parameter 'accountId' must be provided.")
	}
	if r.accounts[id] == nil {
		return refuse(http.StatusNotFound, "Specified user does not exist or you do not have required permissions")
	}
	return nil
}

// accountGroups is https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-users/#api-rest-api-3-user-groups-get
func accountGroups(r *request) (answer, error) {
	if err := r.known(); err != nil {
		return answer{}, err
	}
	views := []any{}
	for _, g := range r.groups {
		if slices.Contains(g.members, r.URL.Query().Get("accountId")) {
			views = append(views, r.groupView(g))
		}
	}
	return ok(views), nil
}
