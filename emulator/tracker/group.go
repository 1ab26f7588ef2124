package tracker

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
)

// groupRoutes are those of https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-groups/
func groupRoutes() []route {
	named := []string{"groupname", "groupId"}
	return []route{
		{pattern: "POST /rest/api/{version}/group", do: createGroup, admin: true},
		{pattern: "GET /rest/api/{version}/group/member", do: listMembers, query: append([]string{"startAt", "maxResults", "includeInactiveUsers"}, named...), admin: true},
		{pattern: "POST /rest/api/{version}/group/user", do: addMember, query: named, admin: true},
		{pattern: "DELETE /rest/api/{version}/group/user", do: removeMember, query: append([]string{"accountId"}, named...), admin: true},
	}
}

func (r *request) groupView(g *group) map[string]any {
	return map[string]any{"name": g.name, "groupId": g.id, "self": r.at("/group?groupId=%s", g.id)}
}

func (r *request) foundGroup() (*group, error) {
	q := r.URL.Query()
	if q.Get("groupname") == "" && q.Get("groupId") == "" {
		return nil, refuse(http.StatusBadRequest, "Name the group: groupname or groupId.")
	}
	name := q.Get("groupname")
	if name == "" {
		name = q.Get("groupId")
	}
	g := r.group(name)
	if g == nil {
		return nil, refuse(http.StatusNotFound, "The group named '%s' does not exist.", name)
	}
	return g, nil
}

// createGroup is https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-groups/#api-rest-api-3-group-post
func createGroup(r *request) (answer, error) {
	var in struct {
		Name string `json:"name"`
	}
	if err := r.decode(&in); err != nil {
		return answer{}, err
	}
	switch {
	case strings.TrimSpace(in.Name) == "" || len(in.Name) > 255:
		return answer{}, refuse(http.StatusBadRequest, "A group has a name of 1 to 255 characters.")
	case r.group(in.Name) != nil:
		return answer{}, refuse(http.StatusBadRequest, "A group or user with this name already exists.")
	}
	g := &group{id: strings.ToLower(rand.Text()), name: in.Name}
	r.groups = append(r.groups, g)
	r.changed("group_created", g.name, nil)
	return answer{http.StatusCreated, r.groupView(g)}, nil
}

// listMembers is https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-groups/#api-rest-api-3-group-member-get
func listMembers(r *request) (answer, error) {
	g, err := r.foundGroup()
	if err != nil {
		return answer{}, err
	}
	start, count, err := r.window(50)
	if err != nil {
		return answer{}, err
	}
	views := []any{}
	for _, id := range page(g.members, start, count) {
		views = append(views, r.account(id))
	}
	return ok(r.pageView(views, start, count, len(g.members))), nil
}

// addMember is https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-groups/#api-rest-api-3-group-user-post
func addMember(r *request) (answer, error) {
	g, err := r.foundGroup()
	if err != nil {
		return answer{}, err
	}
	var in struct {
		AccountID string `json:"accountId"`
	}
	if err := r.decode(&in); err != nil {
		return answer{}, err
	}
	switch {
	case r.accounts[in.AccountID] == nil:
		return answer{}, refuse(http.StatusNotFound, "Specified user does not exist or you do not have required permissions")
	case slices.Contains(g.members, in.AccountID):
		return answer{}, refuse(http.StatusBadRequest, "Cannot add user '%s', user is already a member of '%s'", in.AccountID, g.name)
	}
	g.members = append(g.members, in.AccountID)
	r.changed("group_member_added", g.name, map[string]string{"account": in.AccountID})
	return answer{http.StatusCreated, r.groupView(g)}, nil
}

// removeMember is https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-groups/#api-rest-api-3-group-user-delete
func removeMember(r *request) (answer, error) {
	g, err := r.foundGroup()
	if err != nil {
		return answer{}, err
	}
	id := r.URL.Query().Get("accountId")
	if !slices.Contains(g.members, id) {
		return answer{}, refuse(http.StatusNotFound, "Specified user does not exist or you do not have required permissions")
	}
	g.members = slices.DeleteFunc(g.members, func(m string) bool { return m == id })
	r.changed("group_member_removed", g.name, map[string]string{"account": id})
	return answer{status: http.StatusOK}, nil
}
