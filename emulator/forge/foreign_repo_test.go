package forge_test

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-github/v88/github"
	"golang.org/x/crypto/nacl/box"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// openForge returns a forge with ada and her organisation acme, and a foreign client of hers.
func openForge(t *testing.T, n *tally) (*forge.Server, *github.Client) {
	t.Helper()
	w := newForge(t)
	return w.forge, n.client(t, w.forge, w.mint(forge.TokenSpec{Login: "ada"}).token)
}

func createApp(t *testing.T, c *github.Client) {
	t.Helper()
	_, _, err := c.Repositories.Create(t.Context(), "acme", &github.Repository{Name: github.Ptr("app"), AutoInit: github.Ptr(true)})
	must(t, err)
}

func foreignRepositories(t *testing.T, n *tally) {
	_, c := openForge(t, n)
	ctx := t.Context()
	me, _, err := c.Users.Get(ctx, "")
	must(t, err)
	if me.GetLogin() != "ada" || me.GetName() != "Ada L." || me.GetType() != "User" {
		t.Errorf("user = %v", me)
	}
	createApp(t, c)
	_, _, err = c.Repositories.Create(ctx, "acme", &github.Repository{Name: github.Ptr("app")})
	var e *github.ErrorResponse
	if !errors.As(err, &e) || e.Response.StatusCode != 422 || len(e.Errors) != 1 || e.Errors[0].Message != "name already exists on this account" {
		t.Errorf("second creation: %v", err)
	}
	r, _, err := c.Repositories.Get(ctx, "acme", "app")
	must(t, err)
	if r.GetFullName() != "acme/app" || r.GetDefaultBranch() != "main" || !r.GetPermissions().GetAdmin() || r.GetOrganization().GetLogin() != "acme" || r.GetCreatedAt().IsZero() {
		t.Errorf("repository = %v", r)
	}

	done, _, err := c.Repositories.CreateFile(ctx, "acme", "app", "a/b.txt", &github.RepositoryContentFileOptions{Message: github.Ptr("add"), Content: []byte("one")})
	must(t, err)
	file, _, _, err := c.Repositories.GetContents(ctx, "acme", "app", "a/b.txt", nil)
	must(t, err)
	if text, err := file.GetContent(); text != "one" || err != nil || file.GetSHA() != done.GetContent().GetSHA() {
		t.Errorf("content = %q, %v", text, err)
	}
	_, dir, _, err := c.Repositories.GetContents(ctx, "acme", "app", "", nil)
	must(t, err)
	if len(dir) != 2 || dir[1].GetName() != "a" && dir[0].GetName() != "a" {
		t.Errorf("directory = %v", dir)
	}
	_, res, err := c.Repositories.UpdateFile(ctx, "acme", "app", "a/b.txt", &github.RepositoryContentFileOptions{Message: github.Ptr("x"), Content: []byte("two"), SHA: github.Ptr(strings.Repeat("0", 40))})
	if err == nil || res.StatusCode != http.StatusConflict {
		t.Errorf("stale update: %v", err)
	}
}

func foreignGitData(t *testing.T, n *tally) {
	_, c := openForge(t, n)
	ctx := t.Context()
	createApp(t, c)
	ref, _, err := c.Git.GetRef(ctx, "acme", "app", "heads/main")
	must(t, err)
	head, _, err := c.Git.GetCommit(ctx, "acme", "app", ref.GetObject().GetSHA())
	must(t, err)
	tree, _, err := c.Git.CreateTree(ctx, "acme", "app", head.GetTree().GetSHA(), []*github.TreeEntry{
		{Path: github.Ptr("x"), Mode: github.Ptr("100644"), Type: github.Ptr("blob"), Content: github.Ptr("x")},
		{Path: github.Ptr("README.md"), Mode: github.Ptr("100644"), Type: github.Ptr("blob")}, // deletes
	})
	must(t, err)
	made, _, err := c.Git.CreateCommit(ctx, "acme", "app", github.Commit{Message: github.Ptr("m"), Tree: tree, Parents: []*github.Commit{head}}, nil)
	must(t, err)
	_, _, err = c.Git.UpdateRef(ctx, "acme", "app", "heads/main", github.UpdateRef{SHA: made.GetSHA()})
	must(t, err)
	got, _, err := c.Git.GetTree(ctx, "acme", "app", "main", true)
	must(t, err)
	if len(got.Entries) != 1 || got.Entries[0].GetPath() != "x" {
		t.Errorf("tree = %v", got)
	}
	_, res, err := c.Git.UpdateRef(ctx, "acme", "app", "heads/main", github.UpdateRef{SHA: head.GetSHA()})
	if err == nil || res.StatusCode != 422 {
		t.Errorf("not a fast forward: %v", err)
	}
}

func foreignIssues(t *testing.T, n *tally) {
	_, c := openForge(t, n)
	ctx := t.Context()
	createApp(t, c)
	for i := range 5 {
		_, _, err := c.Issues.Create(ctx, "acme", "app", &github.IssueRequest{Title: github.Ptr(fmt.Sprint("issue ", i+1)), Labels: &[]string{"bug"}})
		must(t, err)
	}
	labels, _, err := c.Issues.AddLabelsToIssue(ctx, "acme", "app", 1, []string{"ready to code"})
	must(t, err)
	if len(labels) != 2 {
		t.Errorf("labels = %v", labels)
	}
	_, err = c.Issues.RemoveLabelForIssue(ctx, "acme", "app", 1, "ready to code")
	must(t, err)
	_, _, err = c.Issues.CreateComment(ctx, "acme", "app", 1, &github.IssueComment{Body: github.Ptr("hello")})
	must(t, err)
	comments, _, err := c.Issues.ListComments(ctx, "acme", "app", 1, nil)
	must(t, err)
	if len(comments) != 1 || comments[0].GetBody() != "hello" || comments[0].GetAuthorAssociation() != "MEMBER" {
		t.Errorf("comments = %v", comments)
	}
	_, _, err = c.Issues.Edit(ctx, "acme", "app", 2, &github.IssueRequest{State: github.Ptr("closed")})
	must(t, err)

	var seen []int
	opts := &github.IssueListByRepoOptions{Labels: []string{"bug"}, State: "all", ListOptions: github.ListOptions{PerPage: 2}}
	for {
		page, res, err := c.Issues.ListByRepo(ctx, "acme", "app", opts)
		must(t, err)
		for _, i := range page {
			seen = append(seen, i.GetNumber())
		}
		if res.NextPage == 0 {
			break
		}
		opts.ListOptions.Page = res.NextPage
	}
	if want := []int{5, 4, 3, 2, 1}; !cmp.Equal(seen, want) {
		t.Errorf("issues = %v, want %v", seen, want)
	}
}

func foreignConfig(t *testing.T, n *tally) {
	f, c := openForge(t, n)
	ctx := t.Context()
	createApp(t, c)
	_, err := c.Actions.CreateRepoVariable(ctx, "acme", "app", &github.ActionsVariable{Name: "MODE", Value: "fast"})
	must(t, err)
	_, err = c.Actions.UpdateRepoVariable(ctx, "acme", "app", &github.ActionsVariable{Name: "MODE", Value: "slow"})
	must(t, err)
	vars, _, err := c.Actions.ListRepoVariables(ctx, "acme", "app", nil)
	must(t, err)
	if vars.TotalCount != 1 || vars.Variables[0].Value != "slow" {
		t.Errorf("variables = %v", vars)
	}
	key, _, err := c.Actions.GetRepoPublicKey(ctx, "acme", "app")
	must(t, err)
	raw, err := base64.StdEncoding.DecodeString(key.GetKey())
	must(t, err)
	sealed, err := box.SealAnonymous(nil, []byte("hunter2"), (*[32]byte)(raw), rand.Reader)
	must(t, err)
	_, err = c.Actions.CreateOrUpdateRepoSecret(ctx, "acme", "app", &github.EncryptedSecret{Name: "KEY", KeyID: key.GetKeyID(), EncryptedValue: base64.StdEncoding.EncodeToString(sealed)})
	must(t, err)
	got, err := f.Admin().Secrets("acme/app")
	if err != nil || got["KEY"] != "hunter2" {
		t.Errorf("secrets = %v, %v", got, err)
	}
}

func foreignRuns(t *testing.T, n *tally) {
	f, c := openForge(t, n)
	ctx := t.Context()
	createApp(t, c)
	_, _, err := c.Repositories.CreateFile(ctx, "acme", "app", ".github/workflows/ci.yml", &github.RepositoryContentFileOptions{Message: github.Ptr("ci"), Content: []byte("name: CI\non: push\n")})
	must(t, err)
	main, _, err := c.Git.GetRef(ctx, "acme", "app", "heads/main")
	must(t, err)
	run, err := f.Admin().SaveRun(forge.Run{Repo: "acme/app", HeadSHA: main.GetObject().GetSHA(), Workflow: ".github/workflows/ci.yml", Name: "CI", Event: "push", Actor: "ada", HeadBranch: "main", Status: "completed", Conclusion: "success"})
	must(t, err)
	job, err := f.Admin().SaveJob(forge.Job{RunID: run.ID, Name: "build", Status: "completed", Conclusion: "success", Steps: []forge.Step{{Number: 1, Name: "run", Status: "completed", Conclusion: "success"}}})
	must(t, err)
	must(t, f.Admin().AppendLog(job.ID, []byte("hello log\n")))
	art, err := f.Admin().PutArtifact(forge.Artifact{RunID: run.ID, Name: "out"}, bytes.NewReader([]byte("zip")))
	must(t, err)

	w, _, err := c.Actions.GetWorkflowByFileName(ctx, "acme", "app", "ci.yml")
	must(t, err)
	runs, _, err := c.Actions.ListWorkflowRunsByFileName(ctx, "acme", "app", "ci.yml", &github.ListWorkflowRunsOptions{Event: "push", Actor: "ada"})
	must(t, err)
	if runs.GetTotalCount() != 1 || runs.WorkflowRuns[0].GetConclusion() != "success" || runs.WorkflowRuns[0].GetWorkflowID() != w.GetID() {
		t.Errorf("runs = %v", runs)
	}
	jobs, _, err := c.Actions.ListWorkflowJobs(ctx, "acme", "app", run.ID, nil)
	must(t, err)
	if len(jobs.Jobs) != 1 || jobs.Jobs[0].Steps[0].GetConclusion() != "success" {
		t.Errorf("jobs = %v", jobs)
	}
	at, _, err := c.Actions.GetWorkflowJobLogs(ctx, "acme", "app", job.ID, 1)
	must(t, err)
	if got := fetch(t, at.String()); got != "hello log\n" {
		t.Errorf("log = %q", got)
	}
	arts, _, err := c.Actions.ListWorkflowRunArtifacts(ctx, "acme", "app", run.ID, nil)
	must(t, err)
	if arts.GetTotalCount() != 1 || arts.Artifacts[0].GetDigest() != art.Digest {
		t.Errorf("artifacts = %v", arts)
	}
	at, _, err = c.Actions.DownloadArtifact(ctx, "acme", "app", art.ID, 1)
	must(t, err)
	if got := fetch(t, at.String()); got != "zip" {
		t.Errorf("artifact = %q", got)
	}
}

func fetch(t *testing.T, url string) string {
	t.Helper()
	defer http.DefaultClient.CloseIdleConnections()
	res, err := http.Get(url)
	must(t, err)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	must(t, err)
	return string(data)
}
