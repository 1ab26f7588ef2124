package forge_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// column is an actor of the table of access, and what he is.
type column struct {
	name  string
	what  string
	token string // "" is nobody

	sort        string            // nobody, person, classic, fine, app, job
	role        string            // in the repository, or what else gives sight of it; "" is none
	org         string            // member, owner, or ""
	grant       string            // permission that his role in the organisation has
	scopes      []string          // of a classic token; nil is all
	permissions map[string]string // of a token that has those; nil is all
}

// jobPermissions are those that a GITHUB_TOKEN can have of everything, at one level.
func jobPermissions(level string) map[string]string {
	out := map[string]string{}
	for _, scope := range []string{"actions", "checks", "contents", "deployments", "issues", "packages", "pages", "pull_requests", "statuses"} {
		out[scope] = level
	}
	return out
}

// columns are the actors, each with a token, in a full world.
func columns(w *world) []column {
	w.t.Helper()
	out := []column{{name: "none", what: "without a token", sort: "nobody"}}
	add := func(c column, a actor) { c.token = a.token; out = append(out, c) }
	ordinary := func(login string) actor {
		must(w.t, w.admin.AddUser(forge.User{Login: login}))
		return w.mint(forge.TokenSpec{Login: login})
	}
	person := func(name, what, role, org string) column {
		return column{name: name, what: what, sort: "person", role: role, org: org}
	}
	add(person("out", "without a role", "", ""), ordinary("outside"))
	if _, err := w.admin.MintToken(forge.TokenSpec{Login: "upstreamer"}); err != nil {
		must(w.t, w.admin.AddUser(forge.User{Login: "upstreamer"}))
		must(w.t, w.admin.AddOrg("upstream", "upstreamer"))
	}
	add(person("othr", "owner of another organisation, whose the parent of the fork is", "", ""), w.mint(forge.TokenSpec{Login: "upstreamer"}))
	short := map[string]string{"read": "read", "triage": "tri", "write": "wri", "maintain": "main", "admin": "adm"}
	for _, role := range accessRoles() {
		a := ordinary("col-" + role)
		w.ada.want(204, "PUT", "/repos/acme/app/collaborators/col-"+role, map[string]any{"permission": role})
		add(person(short[role], "outside collaborator in the repository: "+role, role, ""), a)
	}
	addMembers(w, add, ordinary)
	limited := map[string]string{"contents": "write", "issues": "write"}
	w.newApp(forge.App{Slug: "limits", Permissions: limited})
	install, err := w.admin.Install("limits", "acme")
	must(w.t, err)
	add(column{name: "app", what: "installation of an app: contents, issues", sort: "app", role: "read", permissions: limited}, actor{w, w.ada.installed("limits", install)})
	job := func(name, what string, p map[string]string) {
		add(column{name: name, what: what, sort: "job", role: "read", permissions: p},
			w.mint(forge.TokenSpec{Login: forge.ActionsLogin, Repo: "acme/app", Permissions: p, StartsNoRuns: true}))
	}
	job("job", "GITHUB_TOKEN, permissive", jobPermissions("write"))
	job("dflt", "GITHUB_TOKEN, restricted", map[string]string{})
	job("fork", "GITHUB_TOKEN of a pull request from a fork", jobPermissions("read"))
	return out
}

// addMembers adds the members of the organisation, and the owner's tokens.
func addMembers(w *world, add func(column, actor), ordinary func(string) actor) {
	w.t.Helper()
	add(column{name: "mem", what: "member of the organisation, which lets its members read", sort: "person", role: "read", org: "member"}, ordinary("mem"))
	must(w.t, w.admin.SetOrgRole("acme", "mem", "read"))
	custom := ordinary("cus")
	must(w.t, w.admin.SetOrgRole("acme", "cus", "read"))
	const variables = "write_organization_actions_variables"
	id := w.ada.want(201, "POST", "/orgs/acme/organization-roles", map[string]any{"name": "crew", "base_role": "write", "permissions": []string{variables}}).at("id")
	w.ada.want(204, "PUT", "/orgs/acme/organization-roles/users/cus/"+fmt.Sprintf("%.0f", id), nil)
	add(column{name: "cus", what: "member with a role of the organisation's own: base write, variables", sort: "person", role: "write", org: "member", grant: variables}, custom)
	must(w.t, w.admin.AddUser(forge.User{Login: "own"}))
	must(w.t, w.admin.SetOrgRole("acme", "own", "owner"))
	own := func(name, what, sort string) column {
		return column{name: name, what: what, sort: sort, role: "admin", org: "owner"}
	}
	add(own("own", "owner of the organisation", "person"), w.mint(forge.TokenSpec{Login: "own"}))
	for _, c := range []struct {
		name, what string
		scopes     []string
	}{{"bare", "his classic token without scopes", []string{}}, {"pub", "his classic token: public_repo", []string{"public_repo"}}, {"repo", "his classic token: repo", []string{"repo"}}} {
		col := own(c.name, c.what, "classic")
		col.scopes = c.scopes
		add(col, w.classic("own", c.scopes...))
	}
	fine := own("fine", "his fine-grained token for the organisation: contents, issues", "fine")
	fine.permissions = map[string]string{"contents": "write", "issues": "write"}
	add(fine, w.mint(forge.TokenSpec{Login: "own", Owner: "acme", Permissions: fine.permissions}))
}

// installed is the token of an app's installation.
func (a actor) installed(slug string, installation int64) string {
	a.w.t.Helper()
	id := a.want(200, "GET", "/apps/"+slug, nil).at("client_id").(string)
	return app{a.w, forge.AppInfo{ClientID: id}, appKey()}.token(installation, nil).token
}

// operations are all served routes and what is not REST, in the order in which they can succeed.
func operations(t *testing.T, names map[string]string) []visit {
	reads, changes := visits(t, names)
	out := slices.DeleteFunc(reads, func(v visit) bool { return v.path == "/rate_limit" })
	for _, x := range [][3]string{
		{"git fetch", "GET", "/acme/app.git/info/refs?service=git-upload-pack"}, {"git push", "GET", "/acme/app.git/info/refs?service=git-receive-pack"},
		{"raw file", "GET", "/raw/acme/app/main/README.md"},
	} {
		v := visit{path: x[2]}
		v.route.Method, v.route.Pattern = x[1], x[0]
		out = append(out, v)
	}
	for _, v := range changes {
		switch v.operation() {
		case "POST /repos/{owner}/{repo}/forks":
			v.body = nil // to himself
		case "POST /repos/{owner}/{repo}/merge-upstream":
			v.path = "/repos/acme/app/merge-upstream"
		}
		out = append(out, v)
	}
	// Who ends his token has none for what follows.
	last := slices.IndexFunc(out, func(v visit) bool { return v.path == "/installation/token" })
	return append(slices.Delete(slices.Clone(out), last, last+1), out[last])
}

// accessWorld is a full world in which the repository is of one of the kinds of the table.
type accessWorld struct {
	kind     string
	columns  []column
	ops      []visit
	snapshot *forge.Snapshot
	w        *world
}

// accessWorlds are those of all kinds, in the order of the table.
func accessWorlds(t *testing.T) []accessWorld {
	t.Helper()
	var out []accessWorld
	add := func(kind string, w *world, all []column, ops []visit) {
		w.quiet()
		out = append(out, accessWorld{kind, all, ops, w.snapshot(), w})
	}
	w, names := newFull(t, forge.Options{})
	all, ops := columns(w), operations(t, names)
	add("public", w, all, ops)
	for _, change := range []struct{ kind, field string }{{"archived", "archived"}, {"private", "private"}} {
		w.ada.want(200, "PATCH", "/repos/acme/app", map[string]any{change.field: true})
		add(change.kind, w, all, ops)
		w.ada.want(200, "PATCH", "/repos/acme/app", map[string]any{change.field: false})
	}
	w, names = newFullFork(t)
	add("fork", w, columns(w), operations(t, names))
	return out
}

// answers are the statuses of all operations for one actor, who tries all in turn in a copy of the world.
func (x accessWorld) answers(c column) []int {
	w := x.w.newFrom(forge.Options{From: x.snapshot})
	w.http = w.forge.Client()
	w.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	out := make([]int, len(x.ops))
	for i, v := range x.ops {
		path := v.path
		if v.route.Pattern[0] == '/' {
			path = "/api/v3" + path
		}
		out[i] = actor{w, c.token}.send(v.route.Method, path, v.body).status
	}
	return out
}

// TestAccess derives from testdata/access-rules.txt, which says what GitHub's documentation says, the answer to each
// operation by each actor in each kind of repository, and holds the forge to it. testdata/access.txt shows the answers.
func TestAccess(t *testing.T) {
	rules := readAccessRules(t, "testdata/access-rules.txt")
	worlds := accessWorlds(t)
	rules.complete(t, worlds[0].ops)
	derived := map[string][][]int{} // kind → operation → column
	for _, x := range worlds {
		table := make([][]int, len(x.ops))
		for _, c := range x.columns {
			got := x.answers(c)
			for i, v := range x.ops {
				kind := x.kind
				if !v.inRepo() {
					kind = "-"
				}
				want := rules.status(v.operation(), kind, c)
				table[i] = append(table[i], want)
				if got[i] != want {
					t.Errorf("%s (%s) by %s = %d, want %d by the rules", v.operation(), x.kind, c.name, got[i], want)
				}
			}
		}
		derived[x.kind] = table
	}
	rules.unused(t)
	const file = "testdata/access.txt"
	table := accessTable(worlds[0], derived)
	if *update {
		must(t, os.WriteFile(file, []byte(table), 0o644))
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(table, "\n")); diff != "" {
		t.Errorf("%s: read what is new, and let -update write it\n%s", file, diff)
	}
}

// operation names what is visited, as the rules do.
func (v visit) operation() string {
	if v.route.Pattern[0] != '/' {
		return v.route.Pattern
	}
	return v.route.Method + " " + v.route.Pattern
}

// inRepo reports whether what is visited is about the repository.
func (v visit) inRepo() bool { return strings.Contains(v.path, "acme/app") }

// accessTable shows what is derived. A kind of repository in which all get what they get in a public one has no row.
func accessTable(x accessWorld, derived map[string][][]int) string {
	var b strings.Builder
	b.WriteString(`# Who gets which answer, as testdata/access-rules.txt has it. go test ./emulator/forge -run TestAccess -update writes it.
# A fork (of what another owns) and an archived repository have a row where it differs from that of a public one.
`)
	for _, c := range x.columns {
		fmt.Fprintf(&b, "# %-4s %s\n", c.name, c.what)
	}
	row := func(name, kind string, cells []string) {
		line := fmt.Sprintf("%-76s %-8s", name, kind)
		for _, c := range cells {
			line += fmt.Sprintf(" %-4s", c)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	var names []string
	for _, c := range x.columns {
		names = append(names, c.name)
	}
	row("# operation", "kind", names)
	for i, v := range x.ops {
		for _, kind := range []string{"public", "private", "fork", "archived"} {
			cells := derived[kind][i]
			if kind != "public" && (!v.inRepo() || kind != "private" && slices.Equal(cells, derived["public"][i])) {
				continue
			}
			if !v.inRepo() {
				kind = "-"
			}
			row(v.operation(), kind, strings.Fields(strings.Trim(fmt.Sprint(cells), "[]")))
		}
	}
	return b.String()
}
