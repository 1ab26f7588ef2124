package tracker

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// commentRoutes are those of https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-comments/
func commentRoutes() []route {
	const all = "/rest/api/{version}/issue/{issue}/comment"
	return []route{
		{pattern: "GET " + all, do: listComments, query: []string{"startAt", "maxResults", "orderBy"}},
		{pattern: "POST " + all, do: addComment},
		{pattern: "GET " + all + "/{id}", do: getComment},
	}
}

// listComments is https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-comments/#api-rest-api-3-issue-issueidorkey-comment-get
func listComments(r *request) (answer, error) {
	i, err := r.found()
	if err != nil {
		return answer{}, err
	}
	start, count, err := r.window(100)
	if err != nil {
		return answer{}, err
	}
	all := slices.Clone(i.comments)
	switch order := r.URL.Query().Get("orderBy"); order {
	case "", "created", "+created", " created": // a plus that was not escaped is a space
	case "-created":
		slices.Reverse(all)
	default:
		return answer{}, refuse(http.StatusBadRequest, "The orderBy query parameter is created, +created or -created, not %q.", order)
	}
	views := []any{}
	for _, c := range page(all, start, count) {
		views = append(views, r.comment(i, c))
	}
	return ok(map[string]any{"startAt": start, "maxResults": count, "total": len(all), "comments": views}), nil
}

// addComment is https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-comments/#api-rest-api-3-issue-issueidorkey-comment-post
func addComment(r *request) (answer, error) {
	i, err := r.found()
	if err != nil {
		return answer{}, err
	}
	var in struct {
		Body json.RawMessage `json:"body"`
	}
	if err := r.decode(&in); err != nil {
		return answer{}, err
	}
	body, err := r.document("comment", in.Body)
	if err != nil {
		return answer{}, err
	}
	if strings.TrimSpace(textOf(body)) == "" {
		return answer{}, refuseField("comment", "Comment body can not be empty!")
	}
	c := &comment{id: r.nextComment(), author: r.who.ID, body: body, created: r.now()}
	c.updated = c.created
	i.comments, i.updated = append(i.comments, c), c.created
	r.changed("comment_created", i.key(), map[string]string{"comment": strconv.FormatInt(c.id, 10)})
	return answer{http.StatusCreated, r.comment(i, c)}, nil
}

// getComment is https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-comments/#api-rest-api-3-issue-issueidorkey-comment-id-get
func getComment(r *request) (answer, error) {
	i, err := r.found()
	if err != nil {
		return answer{}, err
	}
	for _, c := range i.comments {
		if strconv.FormatInt(c.id, 10) == r.PathValue("id") {
			return ok(r.comment(i, c)), nil
		}
	}
	return answer{}, refuse(http.StatusNotFound, "Can not find a comment for the id: %s.", r.PathValue("id"))
}

func (r *request) comment(i *issue, c *comment) map[string]any {
	return map[string]any{
		"self": r.at("/issue/%d/comment/%d", i.id, c.id), "id": strconv.FormatInt(c.id, 10), "author": r.account(c.author),
		"updateAuthor": r.account(c.author), "body": r.text(c.body), "created": stamp(c.created), "updated": stamp(c.updated), "jsdPublic": true,
	}
}
