package forge_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-github/v88/github"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// foreignProtection merges into a protected branch: not before its check has passed and somebody has approved.
func foreignProtection(t *testing.T, n *tally) {
	f, ada := openForge(t, n)
	ctx := t.Context()
	createApp(t, ada)
	must(t, f.Admin().AddUser(forge.User{Login: "bob"}))
	_, _, err := ada.Repositories.AddCollaborator(ctx, "acme", "app", "bob", &github.RepositoryAddCollaboratorOptions{Permission: "push"})
	must(t, err)
	bob := n.client(t, f, (&world{t: t, admin: f.Admin()}).mint(forge.TokenSpec{Login: "bob"}).token)
	made, _, err := ada.Repositories.UpdateBranchProtection(ctx, "acme", "app", "main", &github.ProtectionRequest{EnforceAdmins: true,
		RequiredStatusChecks:       &github.RequiredStatusChecks{Strict: true, Contexts: &[]string{"ci"}},
		RequiredPullRequestReviews: &github.PullRequestReviewsEnforcementRequest{RequiredApprovingReviewCount: 1, DismissStaleReviews: true}})
	must(t, err)
	got, _, err := ada.Repositories.GetBranchProtection(ctx, "acme", "app", "main")
	must(t, err)
	for _, p := range []*github.Protection{made, got} {
		if !p.GetEnforceAdmins().Enabled || !p.GetRequiredStatusChecks().Strict || p.GetRequiredPullRequestReviews().RequiredApprovingReviewCount != 1 {
			t.Errorf("protection = %v", p)
		}
	}
	_, _, err = ada.Repositories.CreateFile(ctx, "acme", "app", "a.txt", &github.RepositoryContentFileOptions{Message: github.Ptr("past it"), Content: []byte("one")})
	var e *github.ErrorResponse
	if !errors.As(err, &e) || e.Response.StatusCode != http.StatusConflict || !strings.Contains(e.Message, "pull request") {
		t.Errorf("a commit past the protection: %v", err)
	}

	main, _, err := ada.Git.GetRef(ctx, "acme", "app", "heads/main")
	must(t, err)
	_, _, err = ada.Git.CreateRef(ctx, "acme", "app", github.CreateRef{Ref: "refs/heads/dev", SHA: main.GetObject().GetSHA()})
	must(t, err)
	_, _, err = ada.Repositories.CreateFile(ctx, "acme", "app", "a.txt", &github.RepositoryContentFileOptions{Message: github.Ptr("add"), Content: []byte("one\n"), Branch: github.Ptr("dev")})
	must(t, err)
	p, _, err := ada.PullRequests.Create(ctx, "acme", "app", &github.NewPullRequest{Title: github.Ptr("Add a"), Head: github.Ptr("dev"), Base: github.Ptr("main")})
	must(t, err)
	merge := func() (*github.Response, error) {
		_, res, err := ada.PullRequests.Merge(ctx, "acme", "app", p.GetNumber(), "", nil)
		return res, err
	}
	if res, err := merge(); err == nil || res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("merged without a check: %v", err)
	}
	_, _, err = ada.Repositories.CreateStatus(ctx, "acme", "app", p.GetHead().GetSHA(), github.RepoStatus{State: github.Ptr("success"), Context: github.Ptr("ci")})
	must(t, err)
	if res, err := merge(); err == nil || res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("merged without a review: %v", err)
	}
	foreignReview(t, ada, bob)
	_, err = merge()
	must(t, err)
	part, _, err := ada.Repositories.UpdateRequiredStatusChecks(ctx, "acme", "app", "main", &github.RequiredStatusChecksRequest{Strict: github.Ptr(false)})
	must(t, err)
	if part.Strict || part.Contexts == nil || len(*part.Contexts) != 1 {
		t.Errorf("status checks, changed in part = %v", part)
	}
	found, _, err := ada.Search.Repositories(ctx, "app org:acme", nil)
	must(t, err)
	if found.GetTotal() != 1 || found.Repositories[0].GetFullName() != "acme/app" {
		t.Errorf("found = %v", found)
	}
	_, err = ada.Repositories.RemoveAdminEnforcement(ctx, "acme", "app", "main")
	must(t, err)
	_, err = ada.Repositories.RemoveBranchProtection(ctx, "acme", "app", "main")
	must(t, err)
	if _, _, err := ada.Repositories.GetBranchProtection(ctx, "acme", "app", "main"); !errors.Is(err, github.ErrBranchNotProtected) {
		t.Errorf("after the end: %v", err)
	}
}

// foreignReview lets bob be asked, comment on a line, change his mind and approve.
func foreignReview(t *testing.T, ada, bob *github.Client) {
	t.Helper()
	ctx := t.Context()
	asked, _, err := ada.PullRequests.RequestReviewers(ctx, "acme", "app", 1, github.ReviewersRequest{Reviewers: []string{"bob"}})
	must(t, err)
	if len(asked.RequestedReviewers) != 1 {
		t.Errorf("asked = %v", asked.RequestedReviewers)
	}
	no, _, err := bob.PullRequests.CreateReview(ctx, "acme", "app", 1, &github.PullRequestReviewRequest{Body: github.Ptr("no"), Event: github.Ptr("REQUEST_CHANGES"),
		Comments: []*github.DraftReviewComment{{Path: github.Ptr("a.txt"), Line: github.Ptr(1), Side: github.Ptr("RIGHT"), Body: github.Ptr("Why?")}}})
	must(t, err)
	lines, _, err := ada.PullRequests.ListReviewComments(ctx, "acme", "app", 1, no.GetID(), nil)
	must(t, err)
	if no.GetState() != "CHANGES_REQUESTED" || len(lines) != 1 || lines[0].GetBody() != "Why?" {
		t.Fatalf("review = %v, comments = %v", no, lines)
	}
	answer, _, err := ada.PullRequests.CreateCommentInReplyTo(ctx, "acme", "app", 1, "Because", lines[0].GetID())
	must(t, err)
	gone, _, err := ada.PullRequests.DismissReview(ctx, "acme", "app", 1, no.GetID(), &github.PullRequestReviewDismissalRequest{Message: github.Ptr("answered")})
	must(t, err)
	yes, _, err := bob.PullRequests.CreateReview(ctx, "acme", "app", 1, &github.PullRequestReviewRequest{Event: github.Ptr("APPROVE")})
	must(t, err)
	all, _, err := ada.PullRequests.ListReviews(ctx, "acme", "app", 1, nil)
	must(t, err)
	if answer.GetInReplyTo() != lines[0].GetID() || gone.GetState() != "DISMISSED" || yes.GetState() != "APPROVED" || len(all) < 2 {
		t.Errorf("answer = %v, dismissed = %v, approved = %v, all = %v", answer, gone, yes, all)
	}
}

// foreignRoles makes roles of an organisation's own, gives one to somebody and takes it back.
func foreignRoles(t *testing.T, n *tally) {
	f, ada := openForge(t, n)
	ctx := t.Context()
	createApp(t, ada)
	must(t, f.Admin().AddUser(forge.User{Login: "bob"}))
	triager, _, err := ada.Organizations.CreateCustomRepoRole(ctx, "acme", &github.CreateOrUpdateCustomRepoRoleOptions{Name: github.Ptr("Labeller"), BaseRole: github.Ptr("read"), Permissions: []string{"add_label"}})
	must(t, err)
	_, _, err = ada.Repositories.AddCollaborator(ctx, "acme", "app", "bob", &github.RepositoryAddCollaboratorOptions{Permission: "Labeller"})
	must(t, err)
	level, _, err := ada.Repositories.GetPermissionLevel(ctx, "acme", "app", "bob")
	must(t, err)
	if triager.GetBaseRole() != "read" || level.GetPermission() != "read" || level.GetRoleName() != "Labeller" {
		t.Errorf("role = %v, permission = %v", triager, level)
	}
	hooks, _, err := ada.Organizations.CreateCustomOrgRole(ctx, "acme", github.CreateCustomOrgRoleRequest{Name: "Hooks", Permissions: []string{"manage_organization_webhooks"}})
	must(t, err)
	all, _, err := ada.Organizations.ListRoles(ctx, "acme")
	must(t, err)
	_, _, err = ada.Organizations.EditOrgMembership(ctx, "bob", "acme", &github.Membership{Role: github.Ptr("member")})
	must(t, err)
	bob := n.client(t, f, (&world{t: t, admin: f.Admin()}).mint(forge.TokenSpec{Login: "bob"}).token)
	_, _, err = bob.Organizations.EditOrgMembership(ctx, "", "acme", &github.Membership{State: github.Ptr("active")})
	must(t, err)
	_, err = ada.Organizations.AssignOrgRoleToUser(ctx, "acme", "bob", hooks.GetID())
	must(t, err)
	who, _, err := ada.Organizations.ListUsersAssignedToOrgRole(ctx, "acme", hooks.GetID(), nil)
	must(t, err)
	_, _, may := bob.Organizations.ListHooks(ctx, "acme", nil)
	if may != nil || len(who) != 1 || who[0].GetLogin() != "bob" || len(all.CustomRepoRoles) < 2 {
		t.Errorf("roles = %v, assigned to %v, hooks: %v", all, who, may)
	}
	_, err = ada.Organizations.RemoveOrgRoleFromUser(ctx, "acme", "bob", hooks.GetID())
	must(t, err)
	if _, _, err := bob.Organizations.ListHooks(ctx, "acme", nil); err == nil {
		t.Error("bob sees the hooks still")
	}
	_, err = ada.Organizations.DeleteCustomOrgRole(ctx, "acme", hooks.GetID())
	must(t, err)
}
