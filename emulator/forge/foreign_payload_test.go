package forge_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-github/v88/github"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// happen makes the forge emit every webhook that it knows.
func happen(t *testing.T, n *tally, f *forge.Server, c *github.Client) {
	t.Helper()
	ctx := t.Context()
	createApp(t, c)
	made := func(_ any, _ *github.Response, err error) { t.Helper(); must(t, err) }
	done := func(_ *github.Response, err error) { t.Helper(); must(t, err) }
	made(c.Issues.CreateLabel(ctx, "acme", "app", &github.Label{Name: github.Ptr("new"), Color: github.Ptr("ff0000"), Description: github.Ptr("d")}))
	// EditLabel sends the new name as name, which is described no more.
	rename, err := c.NewRequest(ctx, "PATCH", "repos/acme/app/labels/new", map[string]string{"new_name": "newer", "color": "00ff00"})
	must(t, err)
	done(c.Do(rename, nil))
	made(c.Issues.Create(ctx, "acme", "app", &github.IssueRequest{Title: github.Ptr("one"), Body: github.Ptr("b"), Labels: &[]string{"bug"}}))
	made(c.Issues.Edit(ctx, "acme", "app", 1, &github.IssueRequest{Title: github.Ptr("two"), Body: github.Ptr("c")}))
	made(c.Issues.AddLabelsToIssue(ctx, "acme", "app", 1, []string{"newer"}))
	done(c.Issues.RemoveLabelForIssue(ctx, "acme", "app", 1, "newer"))
	made(c.Issues.Edit(ctx, "acme", "app", 1, &github.IssueRequest{State: github.Ptr("closed"), StateReason: github.Ptr("not_planned")}))
	made(c.Issues.Edit(ctx, "acme", "app", 1, &github.IssueRequest{State: github.Ptr("open")}))
	comment, _, err := c.Issues.CreateComment(ctx, "acme", "app", 1, &github.IssueComment{Body: github.Ptr("hello")})
	must(t, err)
	made(c.Issues.EditComment(ctx, "acme", "app", comment.GetID(), &github.IssueComment{Body: github.Ptr("else")}))
	done(c.Issues.DeleteComment(ctx, "acme", "app", comment.GetID()))
	done(c.Issues.DeleteLabel(ctx, "acme", "app", "newer"))
	must(t, f.Admin().AddUser(forge.User{Login: "bob"}))
	made(c.Repositories.AddCollaborator(ctx, "acme", "app", "bob", &github.RepositoryAddCollaboratorOptions{Permission: "triage"}))
	made(c.Repositories.AddCollaborator(ctx, "acme", "app", "bob", &github.RepositoryAddCollaboratorOptions{Permission: "push"}))
	done(c.Repositories.RemoveCollaborator(ctx, "acme", "app", "bob"))
	ref, _, err := c.Git.GetRef(ctx, "acme", "app", "heads/main")
	must(t, err)
	made(c.Git.CreateRef(ctx, "acme", "app", github.CreateRef{Ref: "refs/heads/dev", SHA: ref.GetObject().GetSHA()}))
	done(c.Git.DeleteRef(ctx, "acme", "app", "heads/dev"))
	made(c.Git.CreateRef(ctx, "acme", "app", github.CreateRef{Ref: "refs/tags/v1", SHA: ref.GetObject().GetSHA()}))
	made(c.Repositories.CreateFile(ctx, "acme", "app", "f", &github.RepositoryContentFileOptions{Message: github.Ptr("m"), Content: []byte("x")}))
	made(c.Repositories.Edit(ctx, "acme", "app", &github.Repository{Description: github.Ptr("d"), DefaultBranch: github.Ptr("main")}))
	made(c.Repositories.Edit(ctx, "acme", "app", &github.Repository{Private: github.Ptr(true)}))
	made(c.Repositories.Edit(ctx, "acme", "app", &github.Repository{Private: github.Ptr(false)}))
	for _, status := range []string{"queued", "in_progress", "completed"} {
		saved, err := f.Admin().SaveRun(forge.Run{ID: runID(status), Repo: "acme/app", Workflow: ".github/workflows/ci.yml", Name: "CI", Title: "one", Event: "push",
			Actor: "ada", HeadSHA: ref.GetObject().GetSHA(), HeadBranch: "main", Status: status, Conclusion: conclusion(status)})
		must(t, err)
		_, err = f.Admin().SaveJob(forge.Job{ID: runID(status), RunID: saved.ID, Key: "build", Name: "build", Status: status, Conclusion: conclusion(status),
			Steps: []forge.Step{{Number: 1, Name: "make", Status: status, Conclusion: conclusion(status),
				Started: saved.Created, Completed: saved.Created}}})
		must(t, err)
	}
	ref, _, err = c.Git.GetRef(ctx, "acme", "app", "heads/main")
	must(t, err)
	made(c.Repositories.CreateStatus(ctx, "acme", "app", ref.GetObject().GetSHA(), github.RepoStatus{State: github.Ptr("success"),
		Context: github.Ptr("ci"), Description: github.Ptr("d"), TargetURL: github.Ptr(f.URL())}))
	made(openApp(t, n, f).Checks.CreateCheckRun(ctx, "acme", "app", github.CreateCheckRunOptions{Name: "lint", HeadSHA: ref.GetObject().GetSHA(),
		ExternalID: github.Ptr("7"), Conclusion: github.Ptr("neutral"), Output: &github.CheckRunOutput{Title: github.Ptr("t"), Summary: github.Ptr("s"), Text: github.Ptr("x")}}))
	done(c.Repositories.Delete(ctx, "acme", "app"))
}

// runID is 0 for a new run: the first has id 1.
func runID(status string) int64 {
	if status == "queued" {
		return 0
	}
	return 1
}

func conclusion(status string) string {
	if status == "completed" {
		return "success"
	}
	return ""
}

// unread are fields that GitHub sends and go-github has no place for.
func unread() []string {
	return []string{
		".changes.description",            // of repository.edited
		".changes.name", ".changes.color", // of label.edited
		".changes.old_permission", // of member.edited
		".hook.deliveries_url", ".issue.performed_via_github_app", ".issue.timeline_url", ".issue.type", ".repository.forks",
		".comment.performed_via_github_app", ".workflow_run.repository.forks", ".workflow_run.head_repository.forks",
		".avatar_url", ".commit.commit.tree.url", // of status
		".check_suite.check_runs_url",
		".check_suite.head_commit.id", ".check_suite.head_commit.tree_id", ".check_suite.head_commit.timestamp",
	}
}

// absent are fields of go-github's that stay empty: GitHub sends them to apps, elsewhere than in
// webhooks, or for what the forge does not have.
func absent() map[string]string {
	return map[string]string{
		"App":             `client_id installations_count`,
		"Branch":          `protection protection_url`,
		"CheckRunEvent":   `installation requested_action`,
		"CheckRunOutput":  `annotations images`, // of requests
		"CheckSuite":      `before repository rerequestable runs_rerequestable`,
		"CheckSuiteEvent": `installation`,
		"Commit":          `node_id parents`,
		"CreateEvent":     `description installation`,
		"DeleteEvent":     `installation`,
		"EditChange":      `base default_branch owner repository topics`,
		"HeadCommit":      `sha`,
		"Hook":            `last_response test_url`,
		"Issue": `active_lock_reason assignee closed_by draft issue_field_values milestone parent_issue_url pull_request repository
			text_matches type`,
		"IssueCommentEvent":     `installation`,
		"IssuesEvent":           `assignee installation milestone`,
		"LabelEvent":            `installation`,
		"MemberEvent":           `installation`,
		"MemberChangesRoleName": `from`,
		"Organization": `advanced_security_enabled_for_new_repositories archived_at billing_email blog collaborators company
			created_at default_repository_branch default_repository_permission default_repository_settings
			dependabot_alerts_enabled_for_new_repositories dependabot_security_updates_enabled_for_new_repositories
			dependency_graph_enabled_for_new_repositories deploy_keys_enabled_for_repositories description disk_usage
			display_commenter_full_name_setting_enabled email followers following has_organization_projects
			has_repository_projects html_url is_verified location members_allowed_repository_creation_type
			members_can_change_repo_visibility members_can_create_internal_repositories members_can_create_pages
			members_can_create_private_pages members_can_create_private_repositories members_can_create_public_pages
			members_can_create_public_repositories members_can_create_repositories members_can_create_teams
			members_can_delete_issues members_can_delete_repositories members_can_fork_private_repositories
			members_can_invite_outside_collaborators members_can_view_dependency_insights name owned_private_repos
			plan private_gists public_gists public_repos readers_can_create_discussions
			secret_scanning_enabled_for_new_repositories secret_scanning_push_protection_custom_link
			secret_scanning_push_protection_custom_link_enabled
			secret_scanning_push_protection_enabled_for_new_repositories secret_scanning_validity_checks_enabled
			total_private_repos twitter_username two_factor_requirement_enabled type updated_at
			web_commit_signoff_required`,
		"PingEvent":           `installation repository`,
		"PushEvent":           `action base_ref distinct_size head installation push_id size`,
		"PushEventRepository": `custom_properties description homepage language`,
		"Repository": `allow_auto_merge allow_merge_commit allow_rebase_merge allow_squash_merge allow_update_branch auto_init
			code_of_conduct custom_properties delete_branch_on_merge gitignore_template homepage language license
			license_template master_branch merge_commit_message merge_commit_title mirror_url network_count
			organization parent permissions role_name security_and_analysis source squash_merge_commit_message
			squash_merge_commit_title subscribers_count team_id template_repository text_matches
			use_squash_pr_title_as_default`,
		"RepositoryCommit":      `files stats`,
		"RepositoryEvent":       `installation`,
		"SignatureVerification": `payload signature`,
		"StatusEvent":           `installation`,
		"Tree":                  `tree truncated`,
		"User": `assignment bio blog business_plus collaborators company created_at disk_usage email followers following
			hireable inherited_from ldap_dn location notification_email owned_private_repos permissions plan
			private_gists public_gists public_repos role_name suspended_at text_matches total_private_repos
			twitter_username two_factor_authentication updated_at`,
		"WorkflowJob":      `runner_group_id runner_group_name runner_id runner_name`,
		"WorkflowJobEvent": `deployment installation`,
		"WorkflowRun":      `previous_attempt_url`,
		"WorkflowRunEvent": `installation`,
	}
}

// foreignPayloads holds every webhook body against go-github's structs, both ways: what
// they have no place for is a field that GitHub does not send, unless it is in unread; what nothing
// ever fills in them is a field that is missing, unless it is in absent.
func foreignPayloads(t *testing.T, n *tally) {
	f, c := openForge(t, n)
	in := openInbox(t)
	_, _, err := c.Organizations.CreateHook(t.Context(), "acme", in.hook("json", "*"))
	must(t, err)
	happen(t, n, f, c)
	quiet(t, f)
	filled := fields{}
	for _, name := range slices.Sorted(maps.Keys(in.bodies)) {
		event, _, _ := strings.Cut(name, ".")
		into := github.EventForType(event)
		var body, kept map[string]any
		must(t, json.Unmarshal(in.bodies[name], &body))
		must(t, json.Unmarshal(in.bodies[name], into))
		text, err := json.Marshal(into)
		must(t, err)
		must(t, json.Unmarshal(text, &kept))
		lost(body, kept, "", func(at string) {
			push := event == "push" && strings.HasPrefix(at, ".repository.") // go-github keeps half of it
			if !push && !slices.Contains(unread(), at) {
				t.Errorf("%s: GitHub sends no %s", name, at)
			}
		})
		filled.look(reflect.ValueOf(into).Elem())
	}
	for _, name := range slices.Sorted(maps.Keys(filled)) {
		typ, field, _ := strings.Cut(name, ".")
		known := slices.Contains(strings.Fields(absent()[typ]), field)
		if !filled[name] && !known {
			t.Errorf("nothing ever fills %s", name)
		}
		if filled[name] && known {
			t.Errorf("%s is filled: it is absent no more", name)
		}
	}
}

// lost names what is in a and not in b. Nothing is like null, and like an empty list.
func lost(a, b any, at string, report func(string)) {
	switch x := a.(type) {
	case map[string]any:
		y, _ := b.(map[string]any)
		for k, v := range x {
			if l, isList := v.([]any); v == nil || isList && len(l) == 0 {
				continue
			}
			if _, there := y[k]; !there {
				report(at + "." + k)
				continue
			}
			lost(v, y[k], at+"."+k, report)
		}
	case []any:
		y, _ := b.([]any)
		for i, v := range x {
			if i < len(y) {
				lost(v, y[i], at+"[]", report)
			}
		}
	}
}

// fields says of each field of a struct, "Type.name", whether it was filled once.
type fields map[string]bool

func (f fields) look(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		f.look(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			f.look(v.Index(i))
		}
	case reflect.Struct:
		switch v.Type() {
		case reflect.TypeFor[github.Timestamp](), reflect.TypeFor[github.InstallationPermissions](): // an app's are no part of its checks
			return
		}
		for i := range v.NumField() {
			json, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			name, field := v.Type().Name()+"."+json, v.Field(i)
			if k := field.Kind(); (k == reflect.Pointer || k == reflect.Map || k == reflect.Slice) && field.IsNil() {
				f[name] = f[name]
				continue
			}
			f[name] = true
			f.look(field)
		}
	}
}
