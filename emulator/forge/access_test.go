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

// column is an actor of the table of access.
type column struct {
	name  string
	what  string
	token string // "" is nobody
}

// jobPermissions are those that a GITHUB_TOKEN can have of everything, at one level.
func jobPermissions(level string) map[string]string {
	out := map[string]string{}
	for _, scope := range []string{"actions", "checks", "contents", "deployments", "issues", "packages", "pages", "pull-requests", "statuses"} {
		out[scope] = level
	}
	return out
}

// columns are the actors, each with a token, in a full world.
func columns(w *world) []column {
	w.t.Helper()
	out := []column{{"none", "without a token", ""}}
	add := func(name, what string, a actor) { out = append(out, column{name, what, a.token}) }
	ordinary := func(login string) actor {
		must(w.t, w.admin.AddUser(forge.User{Login: login}))
		return w.mint(forge.TokenSpec{Login: login})
	}
	add("out", "without a role", ordinary("outside"))
	must(w.t, w.admin.AddUser(forge.User{Login: "rival"}))
	must(w.t, w.admin.AddOrg("rivals", "rival"))
	add("othr", "owner of another organisation", w.mint(forge.TokenSpec{Login: "rival"}))
	short := map[string]string{"read": "read", "triage": "tri", "write": "wri", "maintain": "main", "admin": "adm"}
	for _, role := range []string{"read", "triage", "write", "maintain", "admin"} {
		a := ordinary("col-" + role)
		w.ada.want(204, "PUT", "/repos/acme/app/collaborators/col-"+role, map[string]any{"permission": role})
		add(short[role], "outside collaborator in the repository: "+role, a)
	}
	add("mem", "member of the organisation, which lets its members read", ordinary("mem"))
	must(w.t, w.admin.SetOrgRole("acme", "mem", "read"))
	custom := ordinary("cus")
	must(w.t, w.admin.SetOrgRole("acme", "cus", "read"))
	id := w.ada.want(201, "POST", "/orgs/acme/organization-roles", map[string]any{"name": "crew", "base_role": "write",
		"permissions": []string{"write_organization_actions_variables"}}).at("id")
	w.ada.want(204, "PUT", "/orgs/acme/organization-roles/users/cus/"+fmt.Sprintf("%.0f", id), nil)
	add("cus", "member with a role of the organisation's own: base write, variables", custom)
	must(w.t, w.admin.AddUser(forge.User{Login: "own"}))
	must(w.t, w.admin.SetOrgRole("acme", "own", "owner"))
	add("own", "owner of the organisation", w.mint(forge.TokenSpec{Login: "own"}))
	add("bare", "his classic token without scopes", w.classic("own"))
	add("pub", "his classic token: public_repo", w.classic("own", "public_repo"))
	add("repo", "his classic token: repo", w.classic("own", "repo"))
	limited := map[string]string{"contents": "write", "issues": "write"}
	add("fine", "his fine-grained token for the organisation: contents, issues", w.mint(forge.TokenSpec{Login: "own", Owner: "acme", Permissions: limited}))
	w.newApp(forge.App{Slug: "limits", Permissions: limited})
	install, err := w.admin.Install("limits", "acme")
	must(w.t, err)
	add("app", "installation of an app: contents, issues", actor{w, w.ada.installed("limits", install)})
	job := func(p map[string]string) actor {
		return w.mint(forge.TokenSpec{Login: forge.ActionsLogin, Repo: "acme/app", Permissions: p, StartsNoRuns: true})
	}
	add("job", "GITHUB_TOKEN, permissive", job(jobPermissions("write")))
	add("dflt", "GITHUB_TOKEN, restricted", job(nil))
	add("fork", "GITHUB_TOKEN of a pull request from a fork", job(jobPermissions("read")))
	return out
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
	out = append(out, changes...)
	// Who ends his token has none for what follows.
	last := slices.IndexFunc(out, func(v visit) bool { return v.path == "/installation/token" })
	return append(slices.Delete(slices.Clone(out), last, last+1), out[last])
}

// TestAccess holds the forge to testdata/access.txt: each operation by each actor, in a public and in a private
// repository. Every actor has a world of his own, in which he tries all in turn.
func TestAccess(t *testing.T) {
	w, names := newFull(t, forge.Options{})
	all := columns(w)
	ops := operations(t, names)
	var table strings.Builder
	table.WriteString(accessHead(all))
	statuses := map[string][]map[string]int{} // kind → operation → column → status
	for _, kind := range []string{"public", "private"} {
		if kind == "private" {
			w.ada.want(200, "PATCH", "/repos/acme/app", map[string]any{"private": true})
		}
		w.quiet()
		s := w.snapshot()
		rows := make([]map[string]int, len(ops))
		for i := range rows {
			rows[i] = map[string]int{}
		}
		for _, col := range all {
			c := w.newFrom(forge.Options{From: s})
			c.http = c.forge.Client()
			c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
			for i, v := range ops {
				path := v.path
				if v.route.Pattern[0] == '/' {
					path = "/api/v3" + path
				}
				rows[i][col.name] = actor{c, col.token}.send(v.route.Method, path, v.body).status
			}
		}
		statuses[kind] = rows
	}
	for i, v := range ops {
		for _, kind := range []string{"public", "private"} {
			if kind == "private" && !strings.Contains(v.path, "acme/app") {
				continue // it is not about the repository
			}
			table.WriteString(accessRow(v, kind, all, statuses[kind][i]))
			checkAccess(t, v, kind, statuses[kind][i])
		}
	}
	const file = "testdata/access.txt"
	if *update {
		must(t, os.WriteFile(file, []byte(table.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(table.String(), "\n")); diff != "" {
		t.Errorf("%s: read what is new, and let -update write it\n%s", file, diff)
	}
}

func accessHead(all []column) string {
	var b strings.Builder
	b.WriteString("# Who gets which answer. go test ./emulator/forge -run TestAccess -update writes it: read what changes.\n")
	for _, c := range all {
		fmt.Fprintf(&b, "# %-4s %s\n", c.name, c.what)
	}
	fmt.Fprintf(&b, "%-76s %-7s", "# operation", "kind")
	for _, c := range all {
		fmt.Fprintf(&b, " %-4s", c.name)
	}
	return strings.TrimRight(b.String(), " ") + "\n"
}

func accessRow(v visit, kind string, all []column, row map[string]int) string {
	var b strings.Builder
	if !strings.Contains(v.path, "acme/app") {
		kind = "-"
	}
	name := v.route.Method + " " + v.route.Pattern
	if v.route.Pattern[0] != '/' {
		name = v.route.Pattern
	}
	fmt.Fprintf(&b, "%-76s %-7s", name, kind)
	for _, c := range all {
		fmt.Fprintf(&b, " %-4d", row[c.name])
	}
	return strings.TrimRight(b.String(), " ") + "\n"
}

// checkAccess holds a row to what GitHub's documentation says of all rows.
// https://docs.github.com/en/organizations/managing-user-access-to-your-organizations-repositories/managing-repository-roles/repository-roles-for-an-organization
func checkAccess(t *testing.T, v visit, kind string, row map[string]int) {
	t.Helper()
	name := fmt.Sprintf("%s %s (%s)", v.route.Method, v.path, kind)
	passes := func(who string) bool { return row[who] < 400 || row[who] == 409 || row[who] == 422 }
	for who, status := range row {
		if !passes(who) && !slices.Contains([]int{401, 403, 404, 405, 415}, status) {
			t.Errorf("%s by %s = %d", name, who, status)
		}
	}
	if v.route.Method != "GET" && passes("none") {
		t.Errorf("%s: nobody may", name)
	}
	inRepo := strings.Contains(v.path, "acme/app") && !v.route.App
	if inRepo && kind == "private" {
		for _, who := range []string{"none", "out", "othr", "bare", "pub"} {
			if passes(who) || row[who] == 403 {
				t.Errorf("%s: %s = %d, which tells that it is there", name, who, row[who])
			}
		}
	}
	if inRepo {
		ranks := []string{"read", "tri", "wri", "main", "adm"}
		for i, higher := range ranks[1:] {
			if passes(ranks[i]) && !passes(higher) && !strings.HasPrefix(v.route.Pattern, "/repos/{owner}/{repo}/check-runs") {
				t.Errorf("%s: %s may (%d), %s may not (%d)", name, ranks[i], row[ranks[i]], higher, row[higher])
			}
		}
		if passes("fork") && v.route.Method != "GET" {
			t.Errorf("%s: the token of a fork's pull request writes", name)
		}
	}
}
