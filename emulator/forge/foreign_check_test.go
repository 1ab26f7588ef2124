package forge_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-github/v88/github"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// foreignChecks has an app write check runs with a foreign client, and a person read them.
func foreignChecks(t *testing.T, n *tally) {
	f, ada := openForge(t, n)
	ctx := t.Context()
	createApp(t, ada)
	main, _, err := ada.Repositories.GetCommit(ctx, "acme", "app", "main", nil)
	must(t, err)
	app := openApp(t, n, f)

	_, _, err = ada.Checks.CreateCheckRun(ctx, "acme", "app", github.CreateCheckRunOptions{Name: "lint", HeadSHA: main.GetSHA()})
	var e *github.ErrorResponse
	if !errors.As(err, &e) || e.Response.StatusCode != 403 || !strings.Contains(e.Message, "GitHub App") {
		t.Errorf("a person made a check run: %v", err)
	}
	made, _, err := app.Checks.CreateCheckRun(ctx, "acme", "app", github.CreateCheckRunOptions{Name: "lint", HeadSHA: main.GetSHA(), Status: github.Ptr("in_progress")})
	must(t, err)
	note := &github.CheckRunAnnotation{Path: github.Ptr("README.md"), StartLine: github.Ptr(1), EndLine: github.Ptr(1), AnnotationLevel: github.Ptr("failure"), Message: github.Ptr("bad")}
	done, _, err := app.Checks.UpdateCheckRun(ctx, "acme", "app", made.GetID(), github.UpdateCheckRunOptions{Name: "lint", Conclusion: github.Ptr("failure"),
		Output: &github.CheckRunOutput{Title: github.Ptr("Lint"), Summary: github.Ptr("1 problem"), Annotations: []*github.CheckRunAnnotation{note}}})
	must(t, err)
	if done.GetStatus() != "completed" || done.GetApp().GetSlug() != "lint" || done.GetOutput().GetAnnotationsCount() != 1 || done.GetCompletedAt().IsZero() {
		t.Errorf("check run = %v", done)
	}
	notes, _, err := ada.Checks.ListCheckRunAnnotations(ctx, "acme", "app", made.GetID(), nil)
	must(t, err)
	if len(notes) != 1 || notes[0].GetMessage() != "bad" || notes[0].GetPath() != "README.md" {
		t.Errorf("annotations = %v", notes)
	}
	runs, _, err := ada.Checks.ListCheckRunsForRef(ctx, "acme", "app", "heads/main", &github.ListCheckRunsOptions{CheckName: github.Ptr("lint"), Filter: github.Ptr("all")})
	must(t, err)
	suites, _, err := ada.Checks.ListCheckSuitesForRef(ctx, "acme", "app", "main", nil)
	must(t, err)
	if runs.GetTotal() != 1 || suites.GetTotal() != 1 || suites.CheckSuites[0].GetConclusion() != "failure" || suites.CheckSuites[0].GetHeadCommit().GetMessage() == "" {
		t.Errorf("runs = %v, suites = %v", runs, suites)
	}
	suite, _, err := ada.Checks.GetCheckSuite(ctx, "acme", "app", suites.CheckSuites[0].GetID())
	must(t, err)
	of, _, err := ada.Checks.ListCheckRunsCheckSuite(ctx, "acme", "app", suite.GetID(), nil)
	must(t, err)
	if of.GetTotal() != 1 || of.CheckRuns[0].GetID() != made.GetID() || of.CheckRuns[0].GetCheckSuite().GetID() != suite.GetID() {
		t.Errorf("of the suite: %v", of)
	}
}

// openApp returns a foreign client of the program lint, which may write checks.
func openApp(t *testing.T, n *tally, f *forge.Server) *github.Client {
	t.Helper()
	must(t, f.Admin().AddUser(forge.User{Login: "lint[bot]", Bot: true}))
	token, err := f.Admin().MintToken(forge.TokenSpec{Login: "lint[bot]", Repo: "acme/app", Permissions: map[string]string{"checks": "write"}})
	must(t, err)
	c := n.client(t, f, token)
	return c
}

func foreignStatuses(t *testing.T, n *tally) {
	_, ada := openForge(t, n)
	ctx := t.Context()
	createApp(t, ada)
	main, _, err := ada.Repositories.GetCommit(ctx, "acme", "app", "main", nil)
	must(t, err)
	made, _, err := ada.Repositories.CreateStatus(ctx, "acme", "app", main.GetSHA(), github.RepoStatus{State: github.Ptr("failure"), Context: github.Ptr("ci/x"), Description: github.Ptr("no")})
	must(t, err)
	all, _, err := ada.Repositories.ListStatuses(ctx, "acme", "app", "heads/main", nil)
	must(t, err)
	sum, _, err := ada.Repositories.GetCombinedStatus(ctx, "acme", "app", "main", nil)
	must(t, err)
	if len(all) != 1 || all[0].GetID() != made.GetID() || all[0].GetCreator().GetLogin() != "ada" || sum.GetState() != "failure" || sum.GetTotalCount() != 1 || sum.GetSHA() != main.GetSHA() {
		t.Errorf("statuses = %v, combined = %v", all, sum)
	}
}
