package api

import (
	"cmp"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// person is an author or committer as a request gives it.
type person struct {
	Name  string     `json:"name"`
	Email string     `json:"email"`
	Date  *time.Time `json:"date"`
}

// orActor returns p as git takes it; who acts stands for what is missing.
func (a *API) orActor(c *call, p *person) gitstore.Person {
	out := gitstore.Person{Name: c.who.Login, Email: a.State.Email(c.who.Login), When: a.Now()}
	if p != nil {
		out.Name, out.Email = cmp.Or(p.Name, out.Name), cmp.Or(p.Email, out.Email)
		if p.Date != nil {
			out.When = p.Date.UTC()
		}
	}
	return out
}

// change is one file to write or, with content nil, to delete.
type change struct {
	message   string
	path      string
	content   []byte
	sha       string // blob that is replaced
	branch    string
	author    *person
	committer *person
}

type changed struct {
	repo   state.Repo
	commit *object.Commit
	git    *gitstore.Repo
	isNew  bool
}

// commit makes a change of one file a commit on a branch, and its push event.
func (a *API) commit(c *call, full string, in change) (changed, error) {
	repo, err := a.State.Authorize(c.who, full, state.WriteContents)
	if err != nil {
		return changed{}, err
	}
	var out changed
	err = a.update(c.Request, c.who, repo, func(g *gitstore.Repo) error {
		out, err = a.commitLocked(c, g, repo.FullName, in)
		return err
	})
	return out, err
}

func (a *API) commitLocked(c *call, g *gitstore.Repo, full string, in change) (changed, error) {
	repo, err := a.State.Find(full) // refs as they are now that nobody else can move them
	if err != nil {
		return changed{}, wire.NotFound()
	}
	branch := cmp.Or(in.branch, repo.DefaultBranch)
	head := repo.Refs["refs/heads/"+branch]
	if head == "" && (len(repo.Refs) > 0 || branch != repo.DefaultBranch) {
		return changed{}, wire.NewError(http.StatusNotFound, "Branch "+branch+" not found")
	}
	edit, isNew, err := a.fileEdit(g, head, in)
	if err != nil {
		return changed{}, err
	}
	nc := gitstore.NewCommit{Message: in.message, Author: a.orActor(c, in.author), Committer: a.orActor(c, in.committer)}
	if in.author == nil {
		nc.Author = nc.Committer
	}
	before := state.Zero
	if head != "" {
		nc.Parents, before = []string{head}, head
	}
	if nc.Tree, err = g.WriteTree(head, []gitstore.Edit{edit}); err != nil {
		return changed{}, err
	}
	sha, err := g.WriteCommit(nc)
	if err != nil {
		return changed{}, err
	}
	if err := a.guard(c, g, repo, "refs/heads/"+branch, before, sha); err != nil {
		return changed{}, ofFile(err, isNew)
	}
	if err := a.move(c, g, repo, "refs/heads/"+branch, before, sha); err != nil {
		return changed{}, err
	}
	made, err := g.Commit(sha)
	return changed{repo: repo, commit: made, git: g, isNew: isNew}, err
}

// fileEdit checks a change against what the branch has.
func (a *API) fileEdit(g *gitstore.Repo, head string, in change) (gitstore.Edit, bool, error) {
	e := gitstore.Edit{Path: in.path, Mode: "100644"}
	var have gitstore.Entry
	if head != "" {
		var err error
		if have, err = g.Find(head, in.path); err != nil && !errors.Is(err, gitstore.ErrNotFound) {
			return e, false, err
		}
	}
	exists := have.SHA != ""
	switch {
	case exists && have.Type != "blob":
		return e, false, wire.Unprocessable(in.path + " is a directory")
	case exists && in.sha == "":
		return e, false, missing("sha")
	case in.content == nil && !exists:
		return e, false, wire.NotFound()
	case in.sha != "" && in.sha != have.SHA:
		return e, false, wire.NewError(http.StatusConflict, in.path+" does not match "+in.sha)
	}
	if exists {
		e.Mode = have.Mode
	}
	if in.content == nil {
		return e, false, nil
	}
	var err error
	e.SHA, err = g.WriteBlob(in.content)
	return e, !exists, err
}

// move makes a ref name after on disk, then in the state with its events. Call it within Update;
// repo has the refs as they are before.
func (a *API) move(c *call, g *gitstore.Repo, repo state.Repo, ref, before, after string) error {
	if err := a.guard(c, g, repo, ref, before, after); err != nil {
		return err
	}
	err := checkWorkflows(c.who, g, repo, after)
	if err != nil {
		return err
	}
	if after == state.Zero {
		err = g.RemoveRef(ref)
	} else {
		err = g.SetRef(ref, after)
	}
	if err != nil {
		return err
	}
	rc := state.RefChange{Ref: ref, Before: before, After: after}
	if rc.Commits, rc.Head, rc.Forced, err = g.Pushed(lasting(c.Request), before, after, repo.Refs); err != nil {
		return err
	}
	return a.State.MoveRefs(c.who, repo.FullName, []state.RefChange{rc})
}

// checkWorkflows refuses a commit with new or changed workflow files to a token that may not bring them in.
func checkWorkflows(who state.Identity, g *gitstore.Repo, repo state.Repo, commit string) error {
	if commit == state.Zero || !who.Program() && who.MayWorkflows() {
		return nil
	}
	path, err := g.NewWorkflow(repo.Refs, commit)
	if err != nil || path == "" {
		return err
	}
	if who.AskWorkflows(); who.MayWorkflows() {
		return nil
	}
	return who.NoWorkflows()
}

func (a *API) viewGitCommit(full string, c *object.Commit) wire.GitCommit {
	p := wire.EscapePath(full)
	sha := c.Hash.String()
	v := wire.GitCommit{
		SHA: sha, NodeID: nodeOf("Commit", sha), URL: a.Base.API("/repos/%s/git/commits/%s", p, sha),
		HTMLURL: a.Base.HTML("/%s/commit/%s", p, sha), Author: viewSignature(c.Author), Committer: viewSignature(c.Committer),
		Tree:    wire.Link{SHA: c.TreeHash.String(), URL: a.Base.API("/repos/%s/git/trees/%s", p, c.TreeHash)},
		Message: strings.TrimRight(c.Message, "\n"), Parents: []wire.Link{}, Verification: wire.Verification{Reason: "unsigned"},
	}
	for _, h := range c.ParentHashes {
		v.Parents = append(v.Parents, wire.Link{SHA: h.String(), URL: a.Base.API("/repos/%s/git/commits/%s", p, h), HTMLURL: a.Base.HTML("/%s/commit/%s", p, h)})
	}
	return v
}

func viewSignature(s object.Signature) wire.Signature {
	return wire.Signature{Name: s.Name, Email: s.Email, Date: wire.Time{Time: s.When}}
}

// nodeOf is wire.NodeID for what is named by a hash.
func nodeOf(kind, sha string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(kind + ":" + sha))
}
