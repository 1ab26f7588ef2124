package api

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func (a *API) pullMergeRoutes() []route {
	const pull = "/repos/{owner}/{repo}/pulls/{number}"
	return []route{
		{method: http.MethodGet, pattern: pull + "/merge", do: func(c *call) (answer, error) {
			n, err := c.issue()
			if err != nil {
				return answer{}, err
			}
			merged, err := a.State.Merged(c.who, c.repo(), n)
			if err == nil && !merged {
				err = wire.NotFound()
			}
			return done(err)
		}},
		{method: http.MethodPut, pattern: pull + "/merge", do: a.mergePull},
		{method: http.MethodPut, pattern: pull + "/update-branch", do: a.updatePull},
	}
}

// mergeBody is what a request to merge says.
type mergeBody struct {
	Title   *string `json:"commit_title"`
	Message *string `json:"commit_message"`
	SHA     string  `json:"sha"`
	Method  string  `json:"merge_method"`
}

func (a *API) mergePull(c *call) (answer, error) {
	n, err := c.issue()
	if err != nil {
		return answer{}, err
	}
	var in mergeBody
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	in.Method = cmp.Or(in.Method, string(state.MergeCommit))
	switch state.MergeMethod(in.Method) {
	case state.MergeCommit, state.MergeSquash, state.MergeRebase:
	default:
		return answer{}, wire.Unprocessable("Invalid request.\n\n" + in.Method + " is not a member of [\"merge\", \"squash\", \"rebase\"].")
	}
	p, err := a.State.PullEnds(c.who, c.repo(), n, state.WriteContents)
	if err != nil {
		return answer{}, err
	}
	var sha string
	err = a.update(c.Request, c.who, p.Repo, func(g *gitstore.Repo) error {
		return untilStill(func() error {
			sha, err = a.mergeLocked(c, g, n, in)
			return err
		})
	})
	if err != nil {
		return answer{}, err
	}
	return ok(wire.MergedPull{SHA: sha, Merged: true, Message: "Pull Request successfully merged"})
}

// mergeLocked merges a pull request of a repository that is held, and returns what its base names then.
func (a *API) mergeLocked(c *call, g *gitstore.Repo, number int, in mergeBody) (string, error) {
	method := state.MergeMethod(in.Method)
	plan, err := a.State.PlanMerge(c.who, c.repo(), number, method, in.SHA)
	if err != nil {
		return "", err
	}
	if plan.HeadSHA != plan.Known { // a push to the fork that has not come here yet
		return "", wire.NewError(http.StatusConflict, "Head branch was modified. Review and try the merge again.")
	}
	if !plan.Fresh() {
		if plan.Facts, err = a.compare(c.Request, g, plan.Pull); err != nil {
			return "", err
		}
	}
	if plan.Facts.Merge == "" {
		return "", wire.NewError(http.StatusMethodNotAllowed, "Pull Request is not mergeable")
	}
	m := state.Merge{MergePlan: plan}
	sha := ""
	if method == state.MergeRebase {
		sha, err = a.rebased(c, g, &m)
	} else {
		sha, err = a.bringIn(c, g, &m, in)
	}
	if err != nil {
		return "", err
	}
	repo, err := a.State.Find(plan.Repo.FullName)
	if err != nil {
		return "", wire.NotFound()
	}
	if err := checkWorkflows(c.who, g, repo, sha); err != nil {
		return "", err
	}
	m.Change = state.RefChange{Ref: "refs/heads/" + plan.Base, Before: plan.BaseSHA, After: sha}
	if m.Change.Commits, m.Change.Head, m.Change.Forced, err = g.Pushed(lasting(c.Request), plan.BaseSHA, sha, repo.Refs); err != nil {
		return "", err
	}
	if err := g.SetRef(m.Change.Ref, sha); err != nil {
		return "", err
	}
	if err := a.State.MergePull(c.who, method, m); err != nil {
		return "", errors.Join(err, g.SetRef(m.Change.Ref, plan.BaseSHA)) // closed meanwhile: nothing has happened
	}
	return sha, a.dropHead(c, g, plan)
}

// dropHead deletes the branch of a pull request that is merged, where the repository wants that.
func (a *API) dropHead(c *call, g *gitstore.Repo, plan state.MergePlan) error {
	if !plan.Drop {
		return nil
	}
	repo, err := a.State.Find(plan.Repo.FullName)
	if err != nil || repo.Refs["refs/heads/"+plan.Head] == "" {
		return err
	}
	return a.move(c, g, repo, "refs/heads/"+plan.Head, plan.Known, state.Zero)
}

// webFlow is who commits what is done on GitHub's pages and through its API.
func (a *API) webFlow() gitstore.Person {
	return gitstore.Person{Name: "GitHub", Email: "noreply@github.com", When: a.Now()}
}

// bringIn makes the one commit of a merge or a squash. Its tree is that of the test merge.
func (a *API) bringIn(c *call, g *gitstore.Repo, m *state.Merge, in mergeBody) (string, error) {
	test, err := g.Commit(m.Facts.Merge)
	if err != nil {
		return "", err
	}
	commits, err := a.messages(g, m)
	if err != nil {
		return "", err
	}
	nc := gitstore.NewCommit{Tree: test.TreeHash.String(), Parents: []string{m.BaseSHA, m.Known}, Author: a.orActor(c, nil), Committer: a.webFlow()}
	title, text := "Merge pull request #"+strconv.Itoa(m.Number)+" from "+m.Label, m.Title
	if in.Method == string(state.MergeSquash) {
		nc.Parents = nc.Parents[:1]
		nc.Author = gitstore.Person{Name: m.Author, Email: a.State.Email(m.Author), When: a.Now()}
		title, text = squashed(m, commits, nc.Author.Email)
	}
	if in.Title != nil && *in.Title != "" {
		title = *in.Title
	}
	if in.Message != nil {
		text = *in.Message
	}
	nc.Message = strings.TrimRight(title+"\n\n"+text, "\n")
	m.Messages = append(m.Messages, nc.Message)
	return g.WriteCommit(nc)
}

// written is a commit's author and message.
type written struct{ name, email, message string }

// messages reads the commits of a pull request.
func (a *API) messages(g *gitstore.Repo, m *state.Merge) ([]written, error) {
	var out []written
	for _, sha := range m.Facts.Shas {
		x, err := g.Commit(sha)
		if err != nil {
			return nil, err
		}
		m.Messages = append(m.Messages, x.Message)
		out = append(out, written{x.Author.Name, x.Author.Email, strings.TrimSpace(x.Message)})
	}
	return out, nil
}

// squashed is the message of a squash where a repository has the default settings: of one commit its own,
// of several the pull request's title and a list of theirs, and those who wrote them beside the author.
// https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/about-pull-request-merges#merge-message-for-a-squash-merge
func squashed(m *state.Merge, commits []written, author string) (title, text string) {
	number := " (#" + strconv.Itoa(m.Number) + ")"
	var parts, others []string
	for _, x := range commits {
		parts = append(parts, "* "+x.message)
		by := "Co-authored-by: " + x.name + " <" + x.email + ">"
		if x.email != author && !strings.Contains(strings.Join(others, "\n"), by) {
			others = append(others, by)
		}
	}
	title, text = m.Title+number, strings.Join(parts, "\n\n")
	if len(commits) == 1 {
		subject, body, _ := strings.Cut(commits[0].message, "\n")
		title, text = subject+number, strings.TrimSpace(body)
	}
	if len(others) == 0 {
		return title, text
	}
	between := "\n\n"
	if len(commits) > 1 {
		between = "\n\n---------\n\n"
	}
	return title, strings.TrimPrefix(text+between+strings.Join(others, "\n"), "\n\n")
}

// rebased makes the commits of a pull request anew on top of its base, and returns the last one.
func (a *API) rebased(c *call, g *gitstore.Repo, m *state.Merge) (string, error) {
	refused := wire.NewError(http.StatusMethodNotAllowed, "This branch can't be rebased")
	rel, err := g.Relate(lasting(c.Request), m.BaseSHA, m.Known)
	if err != nil {
		return "", err
	}
	if !rel.Linear {
		return "", refused
	}
	onto := m.BaseSHA
	for _, sha := range rel.Ahead {
		x, err := g.Commit(sha)
		if err != nil {
			return "", err
		}
		tree, clean, err := g.Picked(lasting(c.Request), onto, sha)
		if err != nil {
			return "", err
		}
		if !clean {
			return "", refused
		}
		m.Messages = append(m.Messages, x.Message)
		onto, err = g.WriteCommit(gitstore.NewCommit{Tree: tree, Parents: []string{onto}, Message: x.Message, Committer: a.orActor(c, nil),
			Author: gitstore.Person{Name: x.Author.Name, Email: x.Author.Email, When: x.Author.When}})
		if err != nil {
			return "", err
		}
	}
	return onto, nil
}

// updatePull merges the base of a pull request into its head.
func (a *API) updatePull(c *call) (answer, error) {
	var in struct {
		Expected string `json:"expected_head_sha"`
	}
	p, err := a.pull(c, state.WritePulls)
	if err != nil {
		return answer{}, err
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	if !p.Open {
		return answer{}, wire.Unprocessable("The pull request is not open.")
	}
	if err := a.State.MayPushHead(c.who, c.repo(), p.Number); err != nil {
		return answer{}, err
	}
	if in.Expected != "" && in.Expected != p.Known {
		return answer{}, wire.Unprocessable("expected head sha didn’t match current head ref.")
	}
	if p.HeadRepo != p.Repo.ID {
		if err := a.Git.Share(p.Repo.ID, p.HeadRepo); err != nil {
			return answer{}, err
		}
	}
	head, err := a.State.Find(p.HeadFull)
	if err != nil {
		return answer{}, wire.NotFound()
	}
	err = a.update(c.Request, c.who, head, func(g *gitstore.Repo) error {
		if head, err = a.State.Find(p.HeadFull); err != nil {
			return wire.NotFound()
		}
		ours := head.Refs["refs/heads/"+p.Head]
		if ours != p.Known {
			return wire.Unprocessable("expected head sha didn’t match current head ref.")
		}
		next, how, err := a.catchUp(c, g, ours, p.BaseSHA, "Merge branch '"+p.Base+"' into "+p.Head)
		var e *wire.Error
		switch {
		case errors.As(err, &e) && e.Code() == http.StatusConflict:
			return wire.Unprocessable("merge conflict between base and head")
		case err != nil:
			return err
		case how == "none":
			return wire.Unprocessable("There are no new commits on the base branch.")
		}
		return a.move(c, g, head, "refs/heads/"+p.Head, ours, next)
	})
	if err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusAccepted, body: map[string]string{"message": "Updating pull request branch.",
		"url": a.Base.HTML("/repos/%s/pulls/%d", wire.EscapePath(p.Repo.FullName), p.Number)}}, nil
}
