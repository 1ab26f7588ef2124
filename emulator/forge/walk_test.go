package forge_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/emulator/forge/internal/api"
)

// visit is one request to a served route.
type visit struct {
	route api.Route
	path  string // below the API's root
	body  any
	token string // of the one who can; "" is anybody
}

// by is who makes the request: whoever it is that can, or somebody.
func (v visit) by(somebody actor) actor {
	first := func() app {
		id := somebody.want(200, "GET", "/apps/triage", nil).at("client_id").(string)
		return app{somebody.w, forge.AppInfo{ClientID: id}, appKey()}
	}
	switch {
	case v.token != "":
		somebody.token = v.token
	case v.route.App:
		return first().jwt()
	case strings.HasPrefix(v.route.Pattern, "/installation/"):
		return first().token(1, nil)
	}
	return somebody
}

// newFull returns a world that has one of everything, and the names of what is in it.
func newFull(t testing.TB, o forge.Options) (w *world, names map[string]string) {
	t.Helper()
	w = newForgeIn(t, o)
	w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app", "auto_init": true, "description": "The app"})
	return w, w.fill()
}

// newFullFork is newFull in which the repository is a fork of what the organisation upstream of the person upstreamer
// has.
func newFullFork(t testing.TB) (w *world, names map[string]string) {
	t.Helper()
	w = newForge(t)
	must(t, w.admin.AddUser(forge.User{Login: "upstreamer"}))
	must(t, w.admin.AddOrg("upstream", "upstreamer"))
	upstreamer := w.mint(forge.TokenSpec{Login: "upstreamer"})
	upstreamer.want(201, "POST", "/orgs/upstream/repos", map[string]any{"name": "app", "auto_init": true, "description": "The app"})
	w.ada.want(202, "POST", "/repos/upstream/app/forks", map[string]any{"organization": "acme"})
	w.ada.want(200, "PATCH", "/repos/acme/app", map[string]any{"has_issues": true})
	w.ada.want(204, "PUT", actions+"/permissions", map[string]any{"enabled": true})
	return w, w.fill()
}

// fill puts one of everything around the repository acme/app, and returns the names of what is in it.
func (w *world) fill() (names map[string]string) {
	t := w.t
	t.Helper()
	w.forge.Handle("POST /receiver/", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	bob, cyd := w.user("bob", "write"), w.user("cyd", "read")
	seedOrgs(t, w, bob, cyd)
	id := w.ada.want(200, "GET", "/repos/acme/app", nil).at("id").(float64)
	run, job, _ := seedRun(t, w)
	for n := range 2 {
		more := run
		more.ID, more.Number, more.Status, more.Conclusion = 0, 0, "queued", ""
		_, err := w.admin.SaveRun(more)
		must(t, err)
		other := job
		other.ID, other.Status, other.Conclusion, other.Steps, other.Name = 0, "queued", "", nil, fmt.Sprint("build ", n)
		other, err = w.admin.SaveJob(other)
		must(t, err)
		_, err = w.admin.PutArtifact(forge.Artifact{RunID: run.ID, JobID: job.ID, Name: fmt.Sprint("out", other.ID)}, strings.NewReader("zip"))
		must(t, err)
	}
	for _, key := range []string{"one", "two", "three"} {
		_, err := w.admin.PutCache(forge.Cache{JobID: job.ID, Repo: "acme/app", Ref: "refs/heads/main", Key: key, Version: "v"}, strings.NewReader("bytes"))
		must(t, err)
	}
	for range 3 { // ended, each with a job that failed
		more := run
		more.ID, more.Number = 0, 0
		more, err := w.admin.SaveRun(more)
		must(t, err)
		other := job
		other.ID, other.RunID = 0, more.ID
		_, err = w.admin.SaveJob(other)
		must(t, err)
	}
	waiting := run
	waiting.ID, waiting.Number, waiting.Event, waiting.Conclusion = 0, 0, "pull_request", "action_required"
	_, err := w.admin.SaveRun(waiting) // its id is 7
	must(t, err)
	for _, name := range []string{"one", "two", "three"} {
		w.ada.want(201, "POST", issues, map[string]any{"title": name, "labels": []string{"bug", "question", "wontfix"}})
		w.ada.want(201, "POST", issues+"/1/comments", map[string]any{"body": name})
		w.ada.want(201, "PUT", contents+".github/workflows/"+name+".yml", map[string]any{"message": "m", "content": encode("on: push\n")})
	}
	w.ada.want(201, "PUT", contents+".github/workflows/hand.yml", map[string]any{"message": "m", "content": encode("on: workflow_dispatch\n")})
	seedPulls(w)
	seedRoles(w)
	seedTeams(w)
	const orgSecrets = "/orgs/acme/actions/secrets"
	sealKey := w.ada.want(200, "GET", actions+"/secrets/public-key", nil).at("key_id").(string)
	for _, suffix := range []string{"", "_2", "_3"} {
		seedConfig(t, w.ada, actions, suffix, nil)
		seedConfig(t, w.ada, "/orgs/acme/actions", suffix, map[string]any{"visibility": "selected", "selected_repository_ids": []float64{id, id + 1, id + 2}})
	}
	for _, name := range []string{"production", "staging", "test"} {
		w.ada.want(200, "PUT", "/repos/acme/app/environments/"+name, nil)
	}
	for _, suffix := range []string{"", "_2", "_3"} {
		seedConfig(t, w.ada, environment, suffix, nil)
	}
	for _, hooks := range []string{"/repos/acme/app/hooks", "/orgs/acme/hooks"} {
		for _, name := range []string{"one", "two", "three"} {
			w.ada.want(201, "POST", hooks, map[string]any{"name": "web", "config": map[string]any{"url": w.forge.PublicURL() + "/receiver/" + name}, "events": []string{"deployment"}})
		}
	}
	for i, who := range []actor{w.ada, bob, cyd} {
		title := fmt.Sprint("1.", i)
		w.ada.want(201, "POST", "/repos/acme/app/milestones", map[string]any{"title": title})
		who.want(201, "POST", issues+"/1/reactions", map[string]any{"content": "heart"})
		who.want(201, "POST", "/repos/acme/app/issues/comments/1/reactions", map[string]any{"content": "heart"})
	}
	w.ada.want(200, "PATCH", issues+"/1", map[string]any{"milestone": 1})
	w.ada.want(200, "PUT", "/repos/acme/app/topics", map[string]any{"names": []string{"agents", "go", "tests"}})
	for _, who := range []actor{w.ada, bob, cyd} {
		who.want(202, "POST", forks, nil)
	}
	for _, name := range []string{"one", "two", "three"} {
		w.ada.want(201, "POST", releases, map[string]any{"tag_name": "release-" + name})
		one := w.ada.want(200, "GET", releases+"/1", nil)
		if r := w.ada.upload(one, name, "text/plain", []byte(name)); r.status != 201 {
			t.Fatalf("upload %s = %d: %s", name, r.status, r.body)
		}
	}
	w.newApp(forge.App{Slug: "triage", Permissions: map[string]string{"issues": "write"}, Events: []string{"status"}, WebhookURL: w.forge.PublicURL() + "/receiver/app"})
	w.newApp(forge.App{Slug: "coder"})
	w.newApp(forge.App{Slug: "review"})
	for _, on := range [][2]string{{"triage", "acme"}, {"triage", "ada"}, {"triage", "bob"}, {"coder", "acme"}, {"review", "acme"}} {
		_, err := w.admin.Install(on[0], on[1])
		must(t, err)
	}
	w.quiet()
	dir := t.TempDir()
	mustGit(t, dir, "clone", "-q", w.remote(w.ada.token, "acme/app"), ".")
	mustGit(t, dir, "tag", "-a", "-m", "one", "v1")
	for _, name := range []string{"v2", "v3"} {
		mustGit(t, dir, "tag", name)
		mustGit(t, dir, "branch", "b-"+name)
	}
	mustGit(t, dir, "push", "-q", "--tags", "origin", "b-v2", "b-v3")
	names = map[string]string{
		"$HEAD": mustGit(t, dir, "rev-parse", "HEAD"), "$TREE": mustGit(t, dir, "rev-parse", "HEAD^{tree}"),
		"$BLOB": mustGit(t, dir, "rev-parse", "HEAD:README.md"), "$TAG": mustGit(t, dir, "rev-parse", "v1"),
		"$ORGKEY":    w.ada.want(200, "GET", orgSecrets+"/public-key", nil).at("key_id").(string),
		"$ORGSEALED": seal(t, w.ada, orgSecrets, "y"),
		"$ENVKEY":    w.ada.want(200, "GET", environment+"/secrets/public-key", nil).at("key_id").(string),
		"$ENVSEALED": seal(t, w.ada, environment+"/secrets", "y"),
		"$REPO":      fmt.Sprint(id),
		"$APP":       w.seedChecks(mustGit(t, dir, "rev-parse", "HEAD")), "$CHECK": "7",
		"$HEARD":  fmt.Sprint(visit{route: api.Route{App: true}}.by(w.ada).want(200, "GET", "/app/hook/deliveries", nil).at("0.id")),
		"$SIX":    w.ada.want(200, "GET", "/repos/acme/app/git/ref/heads/six", nil).at("object.sha").(string),
		"$PUBLIC": w.forge.PublicURL(), "$KEY": sealKey, "$SEALED": seal(t, w.ada, actions+"/secrets", "y"),
	}
	names["$SUITE"] = fmt.Sprint(w.ada.want(200, "GET", "/repos/acme/app/check-runs/"+names["$CHECK"], nil).at("check_suite.id"))
	return names
}

// seedPulls opens three pull requests that share three commits, merges another, and makes a branch for one more.
func seedPulls(w *world) {
	w.t.Helper()
	w.branch("four")
	for _, file := range []string{"one", "two", "three"} {
		w.write("four", file+".txt", "one\ntwo\n")
	}
	shared := w.ada.want(200, "GET", "/repos/acme/app/git/ref/heads/four", nil).at("object.sha")
	for _, name := range []string{"four", "five", "six"} {
		if name != "four" {
			w.ada.want(201, "POST", "/repos/acme/app/git/refs", map[string]any{"ref": "refs/heads/" + name, "sha": shared})
			w.write(name, name+".txt", "more\n")
		}
		w.ada.want(201, "POST", pulls, map[string]any{"title": name, "head": name, "base": "main"})
	}
	seedReviews(w)
	for _, branch := range []string{"guarded", "held"} {
		w.branch(branch)
		w.ada.want(200, "PUT", "/repos/acme/app/branches/"+branch+"/protection", map[string]any{"enforce_admins": true, "restrictions": map[string]any{"users": []string{"bob"}, "teams": []string{}},
			"required_status_checks": map[string]any{"strict": true, "contexts": []string{"build"}}, "required_pull_request_reviews": map[string]any{}})
	}
	w.openPull("seven")
	w.ada.want(200, "PUT", pulls+"/7/merge", nil)
	for _, open := range []string{"/4", "/5", "/6"} { // asked once, whether they can be merged is known
		w.ada.want(200, "GET", pulls+open, nil)
	}
	w.branch("more")
	w.write("more", "more.txt", "more\n")
}

// seedReviews gives the first pull request three reviews, the second of which is pending, and comments.
func seedReviews(w *world) {
	w.t.Helper()
	bob := w.mint(forge.TokenSpec{Login: "bob"})
	line := map[string]any{"path": "one.txt", "line": 1, "body": "Why?"}
	bob.want(200, "POST", pulls+"/4/reviews", map[string]any{"event": "APPROVE", "comments": []any{line, line, line}})
	w.ada.want(200, "POST", pulls+"/4/reviews", map[string]any{"body": "later"})
	bob.want(200, "POST", pulls+"/4/reviews", map[string]any{"event": "COMMENT", "body": "Well"})
	w.ada.want(200, "POST", pulls+"/5/reviews", map[string]any{"body": "later"})
	w.ada.want(201, "POST", pulls+"/4/requested_reviewers", map[string]any{"reviewers": []string{"cyd"}})
}

// seedChecks has three apps say something about a commit, and returns the token of the first.
func (w *world) seedChecks(sha string) (app string) {
	w.t.Helper()
	for _, name := range []string{"one", "two", "three"} {
		must(w.t, w.admin.AddUser(forge.User{Login: name + "[bot]", Bot: true}))
		bot := w.mint(forge.TokenSpec{Login: name + "[bot]", Repo: "acme/app", Permissions: map[string]string{"checks": "write", "statuses": "write"}})
		bot.want(201, "POST", "/repos/acme/app/check-runs", map[string]any{"name": name, "head_sha": sha})
		bot.want(201, "POST", "/repos/acme/app/statuses/"+sha, map[string]any{"state": "success", "context": name})
		app = cmp.Or(app, bot.token)
	}
	return app
}

// seedOrgs makes ada, bob and cyd known members of three organisations with repositories.
func seedOrgs(t testing.TB, w *world, bob, cyd actor) {
	t.Helper()
	for _, org := range []string{"acme", "beta", "gamma"} {
		if org != "acme" {
			must(t, w.admin.AddOrg(org, "ada"))
		}
		w.ada.want(204, "PUT", "/orgs/"+org+"/public_members/ada", nil)
		for login, who := range map[string]actor{"bob": bob, "cyd": cyd} {
			w.ada.want(200, "PUT", "/orgs/"+org+"/memberships/"+login, map[string]any{"role": "member"})
			who.want(200, "PATCH", "/user/memberships/orgs/"+org, map[string]any{"state": "active"})
			who.want(204, "PUT", "/orgs/"+org+"/public_members/"+login, nil)
		}
	}
	for _, name := range []string{"lib", "web", "doc"} {
		w.ada.want(201, "POST", "/orgs/acme/repos", map[string]any{"name": name})
	}
	for _, name := range []string{"lib", "web", "doc"} {
		bob.want(201, "POST", "/user/repos", map[string]any{"name": name})
	}
}

// seedRoles makes three roles of each kind in acme, gives one of them to its members, and makes three outside
// collaborators.
func seedRoles(w *world) {
	w.t.Helper()
	for _, name := range []string{"one", "two", "three"} {
		w.ada.want(201, "POST", "/orgs/acme/custom-repository-roles", map[string]any{"name": name, "base_role": "read", "permissions": []string{"add_label"}})
	}
	w.ada.want(201, "POST", "/orgs/acme/organization-roles", map[string]any{"name": "one", "permissions": []string{}})
	for _, login := range []string{"ada", "bob", "cyd"} {
		w.ada.want(204, "PUT", "/orgs/acme/organization-roles/users/"+login+"/8132", nil)
	}
	for _, login := range []string{"out-1", "out-2", "out-3"} {
		must(w.t, w.admin.AddUser(forge.User{Login: login}))
		w.ada.want(204, "PUT", "/repos/acme/lib/collaborators/"+login, nil)
	}
}

// seedTeams makes three teams of the same people and repositories, and three below the first.
func seedTeams(w *world) {
	w.t.Helper()
	const teams = "/orgs/acme/teams"
	for _, name := range []string{"one", "two", "three"} {
		w.ada.want(201, "POST", teams, map[string]any{"name": name, "privacy": "closed", "maintainers": []string{"bob"}})
		w.ada.want(200, "PUT", teams+"/"+name+"/memberships/cyd", nil)
		for _, repo := range []string{"app", "lib", "web"} {
			w.ada.want(204, "PUT", teams+"/"+name+"/repos/acme/"+repo, map[string]any{"permission": "push"})
		}
	}
	for _, name := range []string{"four", "five", "six"} {
		w.ada.want(201, "POST", teams, map[string]any{"name": name, "parent_team_id": 1})
	}
}

// seedConfig makes the variable MODE and the secret TOKEN, with a suffix, below an address. more are
// further fields of both.
func seedConfig(t testing.TB, a actor, at, suffix string, more map[string]any) {
	t.Helper()
	variable := map[string]any{"name": "MODE" + suffix, "value": "fast"}
	secrets := at + "/secrets"
	key := a.want(200, "GET", secrets+"/public-key", nil).at("key_id")
	secret := map[string]any{"encrypted_value": seal(t, a, secrets, "hunter2"), "key_id": key}
	maps.Copy(variable, more)
	maps.Copy(secret, more)
	a.want(201, "POST", at+"/variables", variable)
	a.want(201, "PUT", secrets+"/TOKEN"+suffix, secret)
}

// params are the values of path parameters; those of a part of the pattern come first.
func params() [][3]string {
	return [][3]string{
		{"/app/", "{delivery_id}", "$HEARD"}, {"/organization-roles/", "{id}", "8132"}, {"/custom-repository-roles/", "{id}", "100001"},
		{"/outside_collaborators/", "{login}", "out-1"},
		{"/orgs/", "{hook_id}", "4"}, {"/orgs/", "{delivery_id}", "4"}, {"", "{hook_id}", "1"}, {"", "{delivery_id}", "1"},
		{"/pulls/{number}/merge", "{number}", "7"}, {"/pulls/", "{number}", "4"}, {"/commits/{ref...}/pulls", "{ref...}", "four"},
		{"/labels/", "{name}", "bug"}, {"/variables/", "{name}", "MODE"}, {"/secrets/", "{name}", "TOKEN"},
		{"/git/commits/", "{sha}", "$HEAD"}, {"/git/trees/", "{sha...}", "$TREE"}, {"/git/blobs/", "{sha}", "$BLOB"}, {"/git/tags/", "{sha}", "$TAG"},
		{"/statuses/", "{sha}", "$HEAD"},
		{"/git/matching-refs/", "{ref...}", "heads"}, {"/commits/", "{ref...}", "main"}, {"", "{ref...}", "heads/main"},
		{"", "{owner}", "acme"}, {"", "{repo}", "app"}, {"", "{org}", "acme"}, {"", "{login}", "bob"}, {"", "{number}", "1"}, {"", "{id}", "1"},
		{"", "{repository}", "$REPO"}, {"", "{branch...}", "main"}, {"", "{workflow}", "ci.yml"}, {"", "{format}", "zip"}, {"", "{attempt}", "1"}, {"", "{path...}", "README.md"},
		{"", "{environment}", "production"}, {"/protection", "{branch}", "guarded"}, {"", "{branch}", "b-v3"}, {"", "{basehead...}", "b-v2...main"},
		{"", "{installation_id}", "1"}, {"", "{slug}", "triage"},
		{"", "{release}", "1"}, {"", "{asset}", "1"}, {"", "{tag...}", "release-one"},
		{"", "{team}", "one"}, {"", "{assignee}", "ada"}, {"", "{reaction}", "1"}, {"", "{milestone}", "1"},
	}
}

// writes are the bodies of requests that change something, in the order in which they can be sent;
// what takes away comes last. A path stands where the usual one would not do.
func writes() []struct{ request, path, body string } {
	const repo, org = "/repos/{owner}/{repo}", "/orgs/{org}"
	return []struct{ request, path, body string }{
		{"POST " + org + "/repos", "", `{"name": "other"}`},
		{"POST /user/repos", "", `{"name": "mine"}`},
		{"PUT " + org + "/public_members/{login}", org + "/public_members/ada", ``},
		{"DELETE " + org + "/public_members/{login}", org + "/public_members/ada", ``},
		{"PATCH /user/memberships/orgs/{org}", "", `{"state": "active"}`},
		{"PUT " + org + "/memberships/{login}", org + "/memberships/out-2", `{"role": "admin"}`},
		{"PATCH " + org, "", `{"default_repository_permission": "write"}`},
		{"POST " + org + "/organization-roles", "", `{"name": "New", "base_role": "triage", "permissions": ["manage_organization_webhooks"]}`},
		{"PATCH " + org + "/organization-roles/{id}", org + "/organization-roles/100004", `{"description": "Other"}`},
		{"DELETE " + org + "/organization-roles/{id}", org + "/organization-roles/100004", ``},
		{"PUT " + org + "/organization-roles/users/{login}/{id}", org + "/organization-roles/users/{login}/8134", ``},
		{"DELETE " + org + "/organization-roles/users/{login}/{id}", org + "/organization-roles/users/{login}/8134", ``},
		{"DELETE " + org + "/organization-roles/users/{login}", "", ``},
		{"POST " + org + "/custom-repository-roles", "", `{"name": "New", "base_role": "triage", "permissions": []}`},
		{"PATCH " + org + "/custom-repository-roles/{id}", "", `{"description": "Other"}`},
		{"DELETE " + org + "/custom-repository-roles/{id}", "", ``},
		{"DELETE " + org + "/outside_collaborators/{login}", "", ``},
		{"PUT " + org + "/outside_collaborators/{login}", org + "/outside_collaborators/cyd", ``},
		{"POST " + org + "/teams", "", `{"name": "New", "description": "d", "privacy": "secret", "maintainers": ["bob"], "repo_names": ["acme/app"]}`},
		{"PATCH " + org + "/teams/{team}", org + "/teams/new", `{"name": "Newer", "notification_setting": "notifications_disabled", "parent_team_id": null}`},
		{"PUT " + org + "/teams/{team}/memberships/{login}", org + "/teams/newer/memberships/out-2", `{"role": "maintainer"}`},
		{"DELETE " + org + "/teams/{team}/memberships/{login}", "", ``},
		{"PUT " + org + "/teams/{team}/repos/{owner}/{repo}", "", `{"permission": "maintain"}`},
		{"DELETE " + org + "/teams/{team}/repos/{owner}/{repo}", org + "/teams/two/repos/acme/app", ``},
		{"DELETE " + org + "/teams/{team}", org + "/teams/three", ``},
		{"DELETE " + org + "/memberships/{login}", org + "/memberships/out-2", ``},
		{"DELETE " + org + "/members/{login}", "", ``},
		{"POST " + org + "/actions/variables", "", `{"name": "NEW", "value": "x", "visibility": "all"}`},
		{"PATCH " + org + "/actions/variables/{name}", "", `{"value": "slow"}`},
		{"PUT " + org + "/actions/variables/{name}/repositories", "", `{"selected_repository_ids": [2]}`},
		{"PUT " + org + "/actions/variables/{name}/repositories/{repository}", "", ``},
		{"DELETE " + org + "/actions/variables/{name}/repositories/{repository}", "", ``},
		{"DELETE " + org + "/actions/variables/{name}", "", ``},
		{"PUT " + org + "/actions/secrets/{name}", "", `{"encrypted_value": "$ORGSEALED", "key_id": "$ORGKEY", "visibility": "selected"}`},
		{"PUT " + org + "/actions/secrets/{name}/repositories", "", `{"selected_repository_ids": [2]}`},
		{"PUT " + org + "/actions/secrets/{name}/repositories/{repository}", "", ``},
		{"DELETE " + org + "/actions/secrets/{name}/repositories/{repository}", "", ``},
		{"DELETE " + org + "/actions/secrets/{name}", "", ``},
		{"PATCH " + repo, "", `{"description": "Other"}`},
		{"POST " + repo + "/issues/{number}/assignees", repo + "/issues/2/assignees", `{"assignees": ["ada"]}`},
		{"DELETE " + repo + "/issues/{number}/assignees", repo + "/issues/2/assignees", `{"assignees": ["ada"]}`},
		{"PUT " + repo + "/issues/{number}/lock", repo + "/issues/2/lock", `{"lock_reason": "spam"}`},
		{"DELETE " + repo + "/issues/{number}/lock", repo + "/issues/2/lock", ``},
		{"POST " + repo + "/issues/{number}/reactions", "", `{"content": "eyes"}`},
		{"DELETE " + repo + "/issues/{number}/reactions/{reaction}", "", ``},
		{"POST " + repo + "/issues/comments/{id}/reactions", "", `{"content": "eyes"}`},
		{"DELETE " + repo + "/issues/comments/{id}/reactions/{reaction}", repo + "/issues/comments/1/reactions/2", ``},
		{"POST " + repo + "/releases", "", `{"tag_name": "next"}`},
		{"PATCH " + repo + "/releases/{release}", "", `{"name": "First"}`},
		{"POST " + repo + "/releases/{release}/assets", repo + "/releases/{release}/assets?name=more", `{"any": "bytes"}`},
		{"PATCH " + repo + "/releases/assets/{asset}", "", `{"label": "First"}`},
		{"DELETE " + repo + "/releases/assets/{asset}", "", ``},
		{"DELETE " + repo + "/releases/{release}", repo + "/releases/2", ``},
		{"POST " + repo + "/milestones", "", `{"title": "2.0"}`},
		{"PATCH " + repo + "/milestones/{milestone}", "", `{"state": "closed"}`},
		{"DELETE " + repo + "/milestones/{milestone}", repo + "/milestones/3", ``},
		{"PUT " + repo + "/topics", "", `{"names": ["agents"]}`},
		{"POST " + repo + "/merges", "", `{"base": "b-v2", "head": "main"}`},
		{"POST " + repo + "/branches/{branch}/rename", repo + "/branches/b-v3/rename", `{"new_name": "b-v4"}`},
		{"POST " + repo + "/forks", "", `{"organization": "beta"}`},
		{"POST " + repo + "/merge-upstream", "/repos/ada/app/merge-upstream", `{"branch": "main"}`},
		{"PUT " + repo + "/actions/permissions", "", `{"enabled": true}`},
		{"PUT " + org + "/actions/permissions/workflow", "", `{"default_workflow_permissions": "write"}`},
		{"PUT " + repo + "/actions/permissions/workflow", "", `{"can_approve_pull_request_reviews": true}`},
		{"PUT " + org + "/actions/permissions/fork-pr-contributor-approval", "", `{"approval_policy": "all_external_contributors"}`},
		{"PUT " + repo + "/actions/permissions/fork-pr-contributor-approval", "", `{"approval_policy": "first_time_contributors"}`},
		{"POST " + repo + "/check-runs", "", `{"name": "lint", "head_sha": "$HEAD", "conclusion": "success", "output": {"title": "t", "summary": "s"}}`},
		{"PATCH " + repo + "/check-runs/{id}", repo + "/check-runs/$CHECK", `{"conclusion": "failure"}`},
		{"POST " + repo + "/check-runs/{id}/rerequest", repo + "/check-runs/$CHECK/rerequest", ``},
		{"POST " + repo + "/check-suites/{id}/rerequest", repo + "/check-suites/$SUITE/rerequest", ``},
		{"POST " + repo + "/statuses/{sha}", "", `{"state": "pending"}`},
		{"PUT " + repo + "/collaborators/{login}", "", `{"permission": "triage"}`},
		{"PUT " + repo + "/contents/{path...}", repo + "/contents/new", `{"message": "m", "content": "eA=="}`},
		{"POST " + repo + "/git/blobs", "", `{"content": "x"}`},
		{"POST " + repo + "/git/trees", "", `{"base_tree": "$TREE", "tree": [{"path": "f", "mode": "100644", "content": "x"}]}`},
		{"POST " + repo + "/git/commits", "", `{"message": "m", "tree": "$TREE", "parents": ["$HEAD"]}`},
		{"POST " + repo + "/git/tags", "", `{"tag": "v9", "message": "m", "object": "$HEAD", "type": "commit"}`},
		{"POST " + repo + "/git/refs", "", `{"ref": "refs/heads/dev", "sha": "$HEAD"}`},
		{"PATCH " + repo + "/git/refs/{ref...}", repo + "/git/refs/heads/dev", `{"sha": "$HEAD", "force": true}`},
		{"DELETE " + repo + "/git/refs/{ref...}", repo + "/git/refs/heads/dev", ``},
		{"POST " + repo + "/labels", "", `{"name": "new", "color": "ff0000"}`},
		{"PATCH " + repo + "/labels/{name}", "", `{"color": "00ff00"}`},
		{"POST " + repo + "/issues", "", `{"title": "two"}`},
		{"PATCH " + repo + "/issues/{number}", "", `{"state": "closed"}`},
		{"POST " + repo + "/issues/{number}/labels", "", `{"labels": ["new"]}`},
		{"PUT " + repo + "/issues/{number}/labels", "", `{"labels": ["bug", "new"]}`},
		{"DELETE " + repo + "/issues/{number}/labels/{name}", "", ``},
		{"DELETE " + repo + "/issues/{number}/labels", "", ``},
		{"POST " + repo + "/issues/{number}/comments", "", `{"body": "more"}`},
		{"PATCH " + repo + "/issues/comments/{id}", "", `{"body": "else"}`},
		{"DELETE " + repo + "/issues/comments/{id}", "", ``},
		{"DELETE " + repo + "/labels/{name}", "", ``},
		{"POST " + repo + "/pulls", "", `{"title": "more", "head": "more", "base": "main"}`},
		{"PATCH " + repo + "/pulls/{number}", "", `{"title": "else"}`},
		{"PUT " + repo + "/pulls/{number}/merge", repo + "/pulls/5/merge", `{"merge_method": "squash"}`},
		{"PUT " + repo + "/pulls/{number}/update-branch", "", ``},
		{"POST " + repo + "/pulls/{number}/reviews", repo + "/pulls/6/reviews", `{"event": "COMMENT", "body": "x"}`},
		{"PUT " + repo + "/pulls/{number}/reviews/{id}", "", `{"body": "else"}`},
		{"PUT " + repo + "/pulls/{number}/reviews/{id}/dismissals", "", `{"message": "stale"}`},
		{"POST " + repo + "/pulls/{number}/reviews/{id}/events", repo + "/pulls/4/reviews/2/events", `{"event": "COMMENT"}`},
		{"DELETE " + repo + "/pulls/{number}/reviews/{id}", repo + "/pulls/5/reviews/4", ``},
		{"POST " + repo + "/pulls/{number}/comments", repo + "/pulls/6/comments", `{"body": "x", "path": "one.txt", "line": 1, "commit_id": "$SIX"}`},
		{"POST " + repo + "/pulls/{number}/comments/{id}/replies", "", `{"body": "x"}`},
		{"PATCH " + repo + "/pulls/comments/{id}", "", `{"body": "else"}`},
		{"DELETE " + repo + "/pulls/comments/{id}", repo + "/pulls/comments/3", ``},
		{"POST " + repo + "/pulls/{number}/requested_reviewers", "", `{"reviewers": ["bob"]}`},
		{"DELETE " + repo + "/pulls/{number}/requested_reviewers", "", `{"reviewers": ["cyd"]}`},
		{"PUT " + repo + "/branches/{branch}/protection", "", `{"enforce_admins": true, "restrictions": null, "required_status_checks": null, "required_pull_request_reviews": null}`},
		{"POST " + repo + "/branches/{branch}/protection/enforce_admins", "", ``},
		{"DELETE " + repo + "/branches/{branch}/protection/enforce_admins", "", ``},
		{"PATCH " + repo + "/branches/{branch}/protection/required_pull_request_reviews", "", `{"required_approving_review_count": 2}`},
		{"PATCH " + repo + "/branches/{branch}/protection/required_status_checks", repo + "/branches/held/protection/required_status_checks", `{"strict": false}`},
		{"PUT " + repo + "/branches/{branch}/protection/required_status_checks/contexts", repo + "/branches/held/protection/required_status_checks/contexts", `{"contexts": ["build", "test"]}`},
		{"POST " + repo + "/branches/{branch}/protection/required_status_checks/contexts", repo + "/branches/held/protection/required_status_checks/contexts", `{"contexts": ["lint"]}`},
		{"DELETE " + repo + "/branches/{branch}/protection/required_status_checks/contexts", repo + "/branches/held/protection/required_status_checks/contexts", `{"contexts": ["lint"]}`},
		{"PUT " + repo + "/branches/{branch}/protection/restrictions/users", repo + "/branches/held/protection/restrictions/users", `{"users": ["ada"]}`},
		{"POST " + repo + "/branches/{branch}/protection/restrictions/users", repo + "/branches/held/protection/restrictions/users", `{"users": ["cyd"]}`},
		{"DELETE " + repo + "/branches/{branch}/protection/restrictions/users", repo + "/branches/held/protection/restrictions/users", `{"users": ["cyd"]}`},
		{"DELETE " + repo + "/branches/{branch}/protection/required_status_checks", "", ``},
		{"DELETE " + repo + "/branches/{branch}/protection/required_pull_request_reviews", "", ``},
		{"DELETE " + repo + "/branches/{branch}/protection/restrictions", "", ``},
		{"DELETE " + repo + "/branches/{branch}/protection", "", ``},
		{"POST " + repo + "/actions/variables", "", `{"name": "NEW", "value": "x"}`},
		{"PATCH " + repo + "/actions/variables/{name}", "", `{"value": "slow"}`},
		{"DELETE " + repo + "/actions/variables/{name}", "", ``},
		{"PUT " + repo + "/actions/secrets/{name}", "", `{"encrypted_value": "$SEALED", "key_id": "$KEY"}`},
		{"DELETE " + repo + "/actions/secrets/{name}", "", ``},
		{"PUT " + repo + "/environments/{environment}", "", `{"wait_timer": 0}`},
		{"POST " + repo + "/environments/{environment}/variables", "", `{"name": "NEW", "value": "x"}`},
		{"PATCH " + repo + "/environments/{environment}/variables/{name}", "", `{"value": "slow"}`},
		{"DELETE " + repo + "/environments/{environment}/variables/{name}", "", ``},
		{"PUT " + repo + "/environments/{environment}/secrets/{name}", "", `{"encrypted_value": "$ENVSEALED", "key_id": "$ENVKEY"}`},
		{"DELETE " + repo + "/environments/{environment}/secrets/{name}", "", ``},
		{"DELETE " + repo + "/environments/{environment}", "", ``},
		{"DELETE " + repo + "/actions/artifacts/{id}", "", ``},
		{"DELETE " + repo + "/actions/caches/{id}", "", ``},
		{"DELETE " + repo + "/actions/caches", repo + "/actions/caches?key=two", ``},
		{"POST " + repo + "/dispatches", "", `{"event_type": "hello"}`},
		{"POST " + repo + "/actions/workflows/{workflow}/dispatches", repo + "/actions/workflows/hand.yml/dispatches", `{"ref": "main"}`},
		{"PUT " + repo + "/actions/workflows/{workflow}/disable", "", ``},
		{"PUT " + repo + "/actions/workflows/{workflow}/enable", "", ``},
		{"POST " + repo + "/actions/runs/{id}/approve", repo + "/actions/runs/7/approve", ``},
		{"POST " + repo + "/actions/runs/{id}/rerun", repo + "/actions/runs/1/rerun", ``},
		{"POST " + repo + "/actions/runs/{id}/rerun-failed-jobs", repo + "/actions/runs/4/rerun-failed-jobs", ``},
		{"POST " + repo + "/actions/jobs/{id}/rerun", repo + "/actions/jobs/5/rerun", ``},
		{"DELETE " + repo + "/actions/runs/{id}/logs", repo + "/actions/runs/6/logs", ``},
		{"DELETE " + repo + "/actions/runs/{id}", repo + "/actions/runs/6", ``},
		{"POST " + repo + "/actions/runs/{id}/cancel", repo + "/actions/runs/2/cancel", ``},
		{"POST " + repo + "/actions/runs/{id}/force-cancel", repo + "/actions/runs/2/force-cancel", ``},
		{"DELETE " + repo + "/collaborators/{login}", "", ``},
		{"DELETE " + repo + "/contents/{path...}", "", `{"message": "m", "sha": "$BLOB"}`},
		{"POST " + repo + "/hooks", "", `{"config": {"url": "$PUBLIC/other"}}`},
		{"PATCH " + repo + "/hooks/{hook_id}", "", `{"active": true}`},
		{"PATCH " + repo + "/hooks/{hook_id}/config", "", `{"content_type": "json"}`},
		{"POST " + repo + "/hooks/{hook_id}/pings", "", ``},
		{"POST " + repo + "/hooks/{hook_id}/tests", "", ``},
		{"POST " + repo + "/hooks/{hook_id}/test", "", ``},
		{"POST " + repo + "/hooks/{hook_id}/deliveries/{delivery_id}/attempts", "", ``},
		{"DELETE " + repo + "/hooks/{hook_id}", "", ``},
		{"POST /orgs/{org}/hooks", "", `{"name": "web", "config": {"url": "$PUBLIC/other"}}`},
		{"PATCH /orgs/{org}/hooks/{hook_id}", "", `{"active": true}`},
		{"PATCH /orgs/{org}/hooks/{hook_id}/config", "", `{"content_type": "json"}`},
		{"POST /orgs/{org}/hooks/{hook_id}/pings", "", ``},
		{"POST /orgs/{org}/hooks/{hook_id}/deliveries/{delivery_id}/attempts", "", ``},
		{"DELETE /orgs/{org}/hooks/{hook_id}", "", ``},
		{"PATCH /app/hook/config", "", `{"content_type": "form"}`},
		{"POST /app/hook/deliveries/{delivery_id}/attempts", "/app/hook/deliveries/$HEARD/attempts", ``},
		{"POST /app/installations/{installation_id}/access_tokens", "", `{"repositories": ["app"]}`},
		{"DELETE /installation/token", "", ``},
		{"PUT /app/installations/{installation_id}/suspended", "/app/installations/2/suspended", ``},
		{"DELETE /app/installations/{installation_id}/suspended", "/app/installations/2/suspended", ``},
		{"DELETE /app/installations/{installation_id}", "/app/installations/3", ``},
		{"DELETE " + repo, "", ``},
	}
}

// visits returns one request for each served route that can succeed in a full world: reads first.
// It fails when a route is missing here.
func visits(t testing.TB, names map[string]string) (reads, changes []visit) {
	t.Helper()
	fill := func(s, pattern string) string {
		for _, p := range params() {
			if strings.Contains(pattern, p[0]) {
				s = strings.ReplaceAll(s, p[1], p[2])
			}
		}
		for name, value := range names {
			s = strings.ReplaceAll(s, name, value)
		}
		return s
	}
	routes := map[string]api.Route{}
	for _, r := range api.Routes() {
		if r.Method == "GET" {
			path := fill(r.Pattern, r.Pattern)
			path += map[string]string{"/search/issues": "?q=is:issue", "/search/repositories": "?q=is:public"}[r.Pattern]
			reads = append(reads, visit{route: r, path: path})
			continue
		}
		routes[r.Method+" "+r.Pattern] = r
	}
	for _, x := range writes() {
		r, known := routes[x.request]
		if !known {
			t.Errorf("%s is served no more", x.request)
			continue
		}
		delete(routes, x.request)
		path := x.path
		if path == "" {
			path = r.Pattern
		}
		v := visit{route: r, path: fill(path, r.Pattern)}
		if strings.Contains(x.request, "/check-runs") || strings.Contains(x.request, "/check-suites") {
			v.token = names["$APP"]
		}
		if x.body != "" {
			v.body = json.RawMessage(fill(x.body, r.Pattern))
		}
		changes = append(changes, v)
	}
	for name := range routes {
		t.Errorf("walk_test.go: writes has no body for %s", name)
	}
	for _, v := range append(reads, changes...) {
		if at := regexp.MustCompile(`[{$].*`).FindString(v.path); at != "" {
			t.Errorf("walk_test.go: params has no %s for %s", at, v.route.Pattern)
		}
	}
	return reads, changes
}
