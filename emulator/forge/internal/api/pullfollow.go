package api

import (
	"errors"
	"net/http"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// update runs fn while nobody else can move refs of a repository, and brings the pull requests that lead
// to or from the branches which it moved up to them.
func (a *API) update(r *http.Request, who state.Identity, repo state.Repo, fn func(*gitstore.Repo) error) error {
	err := a.Git.Update(repo.ID, func(g *gitstore.Repo) error {
		if err := fn(g); err != nil {
			return err
		}
		return a.settle(r, who, g, repo.FullName)
	})
	if err != nil {
		return err
	}
	// Others' locks are taken one at a time, and none is held meanwhile.
	for _, base := range a.State.PullBases(repo.FullName) {
		if err := a.settleNow(r, who, base); err != nil {
			return err
		}
	}
	return nil
}

// settleNow is settle for a repository whose lock nobody here holds.
func (a *API) settleNow(r *http.Request, who state.Identity, base state.Repo) error {
	return a.Git.Update(base.ID, func(g *gitstore.Repo) error { return a.settle(r, who, g, base.FullName) })
}

// settle brings the open pull requests of a repository, which is held, up to what their branches name now.
func (a *API) settle(r *http.Request, who state.Identity, g *gitstore.Repo, full string) error {
	return untilStill(func() error {
		reached := map[[2]string]map[string]bool{} // by what each base branch named before and now
		for _, p := range a.State.PullsBehind(full) {
			in := state.Settling{Pull: p}
			if p.BaseSHA != "" && p.HeadSHA != "" {
				move := [2]string{p.Seen, p.BaseSHA}
				if reached[move] == nil && p.Seen != p.BaseSHA {
					var err error
					if reached[move], err = g.Reached(lasting(r), p.BaseSHA, p.Seen); err != nil {
						return err
					}
				}
				in.Inside = reached[move][p.Known]
				if p.HeadSHA != p.Known && !in.Inside {
					var err error
					if in.Now, err = a.compare(r, g, p); err != nil {
						return err
					}
					if in.Now.Commits > 0 {
						if err = setPullRefs(g, p, in.Now); err == nil {
							err = a.followComments(r, g, p, in.Now.Head, in.Now.Common)
						}
					}
					if err != nil {
						return err
					}
				}
			}
			if err := a.State.SettlePull(who, in); err != nil {
				return err
			}
		}
		return nil
	})
}

// freshen finds out whether a pull request can be merged, if its base has moved since somebody asked last.
// What is no pull request needs nothing.
func (a *API) freshen(c *call, full string, number int) error {
	p, found := a.State.PullNow(full, number)
	if !found || !p.Stale() {
		return nil
	}
	return a.Git.Update(p.Repo.ID, func(g *gitstore.Repo) error {
		return untilStill(func() error {
			p, found := a.State.PullNow(full, number)
			if !found || !p.Stale() || p.HeadSHA != p.Known {
				return nil
			}
			in := state.Settling{Pull: p}
			var err error
			if in.Now, err = a.compare(c.Request, g, p); err != nil {
				return err
			}
			if err := setPullRefs(g, p, in.Now); err != nil {
				return err
			}
			return a.State.SettlePull(c.who, in)
		})
	})
}

// mayReopen refuses to open a closed pull request again whose head has been rewritten meanwhile. What else
// stands against it the state says.
func (a *API) mayReopen(full string, number int, to *string) error {
	p, found := a.State.PullNow(full, number)
	if to == nil || *to != "open" || !found || p.Open || p.HeadSHA == "" || p.HeadSHA == p.Known {
		return nil
	}
	follows, err := a.Git.Open(p.HeadRepo).IsAncestor(p.Known, p.HeadSHA)
	if err == nil && !follows || errors.Is(err, gitstore.ErrNotFound) {
		err = wire.Invalid(wire.FieldError{Resource: "PullRequest", Field: "state", Code: "invalid",
			Message: "state cannot be changed. The " + p.Head + " branch was force-pushed or recreated."})
	}
	return err
}

// compare asks git how the branches of a pull request stand to each other, and makes its test merge.
func (a *API) compare(r *http.Request, g *gitstore.Repo, p state.Pull) (state.PullFacts, error) {
	f := state.PullFacts{Base: p.BaseSHA, Head: p.HeadSHA}
	if p.HeadRepo != p.Repo.ID {
		err := g.Borrow(p.HeadRepo, p.HeadSHA)
		if errors.Is(err, gitstore.ErrNotFound) {
			return f, state.ErrMoved // the fork is being deleted
		}
		if err != nil {
			return f, err
		}
	}
	rel, err := g.Relate(lasting(r), f.Base, f.Head)
	if err != nil || rel.Common == "" || len(rel.Ahead) == 0 {
		f.Common = rel.Common
		return f, err
	}
	f.Common, f.Linear, f.Commits = rel.Common, rel.Linear, len(rel.Ahead)
	f.Shas = rel.Ahead[:min(len(rel.Ahead), state.MaxPullCommits)]
	files, err := g.Count(lasting(r), f.Common, f.Head)
	if err != nil {
		return f, err
	}
	head, err := g.Commit(f.Head)
	if err != nil {
		return f, err
	}
	f.Message, f.Files = strings.TrimSpace(head.Message), len(files)
	for _, file := range files {
		f.Additions, f.Deletions = f.Additions+file.Additions, f.Deletions+file.Deletions
		if len(f.Paths) < state.MaxPullPaths {
			f.Paths = append(f.Paths, file.Path)
		}
	}
	f.Merge, err = a.testMerge(r, g, f)
	return f, err
}

// testMerge makes the commit that refs/pull/N/merge names, or returns "" when there are conflicts.
func (a *API) testMerge(r *http.Request, g *gitstore.Repo, f state.PullFacts) (string, error) {
	tree := ""
	if f.Common == f.Base {
		head, err := g.Commit(f.Head)
		if err != nil {
			return "", err
		}
		tree = head.TreeHash.String()
	} else {
		var clean bool
		var err error
		if tree, clean, err = g.Merged(lasting(r), f.Base, f.Head); err != nil || !clean {
			return "", err
		}
	}
	return g.WriteCommit(gitstore.NewCommit{Tree: tree, Parents: []string{f.Base, f.Head}, Author: a.webFlow(), Committer: a.webFlow(),
		Message: "Merge " + f.Head + " into " + f.Base})
}

func setPullRefs(g *gitstore.Repo, p state.Pull, f state.PullFacts) error {
	if err := g.SetRef(p.HeadRef(), f.Head); err != nil {
		return err
	}
	if f.Merge == "" {
		return g.RemoveRef(p.MergeRef())
	}
	return g.SetRef(p.MergeRef(), f.Merge)
}
