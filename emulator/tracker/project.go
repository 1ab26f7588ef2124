package tracker

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// projectRoutes are those of https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-projects/
func projectRoutes() []route {
	return []route{
		{pattern: "POST /rest/api/{version}/project", do: createProject, admin: true},
		{pattern: "GET /rest/api/{version}/project/{project}", do: getProject},
	}
}

func (r *request) foundProject() (*project, error) {
	p := r.project(r.PathValue("project"))
	if p == nil || !r.sees(r.who, p) {
		return nil, refuse(http.StatusNotFound, "No project could be found with key '%s'.", r.PathValue("project"))
	}
	return p, nil
}

// createProject is https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-projects/#api-rest-api-3-project-post
// The lead is the project's first administrator.
func createProject(r *request) (answer, error) {
	var in struct {
		Key     string `json:"key"`
		Name    string `json:"name"`
		TypeKey string `json:"projectTypeKey"`
		Lead    string `json:"leadAccountId"`
	}
	if err := r.decode(&in); err != nil {
		return answer{}, err
	}
	if in.Lead != "" && r.accounts[in.Lead] == nil {
		return answer{}, refuseField("projectLead", "You must specify a valid project lead.")
	}
	p, err := r.addProject(in.Key, in.Name)
	if err != nil {
		return answer{}, refuseField("projectKey", "%v", err)
	}
	if in.Lead != "" {
		p.actors[r.roles[0].id] = &actors{accounts: []string{in.Lead}}
	}
	r.changed("project_created", p.key, nil)
	return answer{http.StatusCreated, map[string]any{"id": p.id, "key": p.key, "self": r.at("/project/%d", p.id)}}, nil
}

// getProject is https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-projects/#api-rest-api-3-project-projectidorkey-get
func getProject(r *request) (answer, error) {
	p, err := r.foundProject()
	if err != nil {
		return answer{}, err
	}
	return ok(r.projectView(p)), nil
}

func (r *request) projectView(p *project) map[string]any {
	return map[string]any{
		"self": r.at("/project/%d", p.id), "id": strconv.FormatInt(p.id, 10), "key": p.key, "name": p.name, "projectTypeKey": "software",
		"simplified": false, "style": "classic", "isPrivate": p.private,
	}
}

// roleRoutes are those of https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-project-roles/ and
// https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-project-role-actors/
func roleRoutes() []route {
	const ofProject = "/rest/api/{version}/project/{project}/role"
	return []route{
		{pattern: "GET /rest/api/{version}/role", do: listRoles, admin: true},
		{pattern: "POST /rest/api/{version}/role", do: createRole, admin: true},
		{pattern: "GET " + ofProject, do: projectRolesOf},
		{pattern: "GET " + ofProject + "/{role}", do: getProjectRole, admin: true},
		{pattern: "POST " + ofProject + "/{role}", do: addActors, admin: true},
	}
}

func (r *request) roleView(x *role) map[string]any {
	return map[string]any{"self": r.at("/role/%d", x.id), "id": x.id, "name": x.name, "description": x.description}
}

func listRoles(r *request) (answer, error) {
	views := []any{}
	for _, x := range r.roles {
		views = append(views, r.roleView(x))
	}
	return ok(views), nil
}

// createRole is https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-project-roles/#api-rest-api-3-role-post
func createRole(r *request) (answer, error) {
	var in struct {
		Name        string `json:"name"`
		Description string `json:"description"`
	}
	if err := r.decode(&in); err != nil {
		return answer{}, err
	}
	if in.Name == "" || strings.TrimSpace(in.Name) != in.Name || len(in.Name) > 255 {
		return answer{}, refuseField("name", "A project role has a name of 1 to 255 characters that neither begins nor ends with a space.")
	}
	for _, x := range r.roles {
		if x.name == in.Name {
			return answer{}, refuse(http.StatusConflict, "A project role with name '%s' already exists.", in.Name)
		}
	}
	x := r.addRole(in.Name, in.Description)
	r.changed("project_role_created", x.name, nil)
	return ok(r.roleView(x)), nil
}

// projectRolesOf is https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-project-roles/#api-rest-api-3-project-projectidorkey-role-get
func projectRolesOf(r *request) (answer, error) {
	p, err := r.foundProject()
	if err != nil {
		return answer{}, err
	}
	out := map[string]string{}
	for _, x := range r.roles {
		out[x.name] = r.at("/project/%d/role/%d", p.id, x.id)
	}
	return ok(out), nil
}

func (r *request) foundRole() (*project, *role, error) {
	p, err := r.foundProject()
	if err != nil {
		return nil, nil, err
	}
	x := r.role(r.PathValue("role"))
	if x == nil {
		return nil, nil, refuse(http.StatusNotFound, "Can not find a project role actor for role with id %s", r.PathValue("role"))
	}
	return p, x, nil
}

// getProjectRole is https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-project-roles/#api-rest-api-3-project-projectidorkey-role-id-get
func getProjectRole(r *request) (answer, error) {
	p, x, err := r.foundRole()
	if err != nil {
		return answer{}, err
	}
	views := []any{}
	if a := p.actors[x.id]; a != nil {
		for _, name := range a.groups {
			g := r.group(name)
			views = append(views, map[string]any{
				"displayName": g.name, "name": g.name, "type": "atlassian-group-role-actor",
				"actorGroup": map[string]any{"name": g.name, "displayName": g.name, "groupId": g.id},
			})
		}
		for _, id := range a.accounts {
			views = append(views, map[string]any{
				"displayName": r.accounts[id].Name, "type": "atlassian-user-role-actor", "actorUser": map[string]any{"accountId": id},
			})
		}
	}
	out := r.roleView(x)
	out["self"], out["actors"] = r.at("/project/%d/role/%d", p.id, x.id), views
	return ok(out), nil
}

// addActors is https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-project-role-actors/#api-rest-api-3-project-projectidorkey-role-id-post
func addActors(r *request) (answer, error) {
	p, x, err := r.foundRole()
	if err != nil {
		return answer{}, err
	}
	var in struct {
		Group   []string `json:"group"`
		GroupID []string `json:"groupId"`
		User    []string `json:"user"`
	}
	if err := r.decode(&in); err != nil {
		return answer{}, err
	}
	add := actors{accounts: in.User}
	for _, name := range slices.Concat(in.Group, in.GroupID) {
		g := r.group(name)
		if g == nil {
			return answer{}, refuse(http.StatusNotFound, "We can't find '%s' in any accessible user directory.", name)
		}
		add.groups = append(add.groups, g.name)
	}
	for _, id := range add.accounts {
		if r.accounts[id] == nil {
			return answer{}, refuse(http.StatusNotFound, "We can't find '%s' in any accessible user directory.", id)
		}
	}
	if len(add.groups)+len(add.accounts) == 0 {
		return answer{}, refuse(http.StatusBadRequest, "Name a group or a user.")
	}
	if p.actors[x.id] == nil {
		p.actors[x.id] = &actors{}
	}
	a := p.actors[x.id]
	a.groups, a.accounts = merge(a.groups, add.groups), merge(a.accounts, add.accounts)
	r.changed("project_role_updated", p.key, map[string]string{"role": x.name})
	return getProjectRole(r)
}

func merge(have, more []string) []string {
	for _, m := range more {
		if !slices.Contains(have, m) {
			have = append(have, m)
		}
	}
	return have
}
