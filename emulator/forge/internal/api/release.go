package api

import (
	"errors"
	"net/http"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func (a *API) releaseRoutes() []route {
	const releases = "/repos/{owner}/{repo}/releases"
	const one = releases + "/{release}"
	return []route{
		{method: http.MethodGet, pattern: releases, list: true, do: func(c *call) (answer, error) {
			all, err := a.State.Releases(c.who, c.repo())
			return list(c, a.Base, all, err)
		}},
		{method: http.MethodPost, pattern: releases, do: func(c *call) (answer, error) { return a.putRelease(c, 0) }},
		{method: http.MethodGet, pattern: releases + "/latest", do: func(c *call) (answer, error) {
			return answered(a.State.Release(c.who, c.repo(), 0, ""))
		}},
		{method: http.MethodGet, pattern: releases + "/tags/{tag...}", do: func(c *call) (answer, error) {
			if c.param["tag"] == "" {
				return answer{}, wire.NotFound()
			}
			return answered(a.State.Release(c.who, c.repo(), 0, c.param["tag"]))
		}},
		{method: http.MethodGet, pattern: one, do: func(c *call) (answer, error) {
			id, err := c.release()
			if err != nil {
				return answer{}, err
			}
			return answered(a.State.Release(c.who, c.repo(), id, ""))
		}},
		{method: http.MethodPatch, pattern: one, do: func(c *call) (answer, error) {
			id, err := c.release()
			if err != nil {
				return answer{}, err
			}
			return a.putRelease(c, id)
		}},
		{method: http.MethodDelete, pattern: one, do: a.deleteRelease},
	}
}

// release reads the id of a release; 0 is none.
func (c *call) release() (int64, error) {
	id, err := c.number("release")
	if err != nil || id < 1 {
		return 0, wire.NotFound()
	}
	return id, nil
}

// releaseEdit reads a request that makes or changes a release.
func releaseEdit(c *call, isNew bool) (state.ReleaseEdit, error) {
	var in struct {
		Tag        *string       `json:"tag_name"`
		Target     *string       `json:"target_commitish"`
		Name       given[string] `json:"name"`
		Body       given[string] `json:"body"`
		Draft      *bool         `json:"draft"`
		Prerelease *bool         `json:"prerelease"`
		Latest     *string       `json:"make_latest"`
		Notes      bool          `json:"generate_release_notes"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return state.ReleaseEdit{}, err
	}
	if in.Notes {
		return state.ReleaseEdit{}, wire.Unsupported("generate_release_notes of " + c.route.method + " " + c.route.pattern + ": send the words of the release in body")
	}
	out := state.ReleaseEdit{Tag: in.Tag, Target: in.Target, Draft: in.Draft, Prerelease: in.Prerelease}
	if in.Name.set {
		out.Name = &in.Name.value
	}
	if in.Body.set {
		out.Body = &in.Body.value
	}
	if in.Latest != nil {
		yes := *in.Latest == "true"
		switch *in.Latest {
		case "true", "false":
			out.Latest = &yes
		case "legacy":
			return out, wire.Unsupported("make_latest legacy of " + c.route.method + " " + c.route.pattern + ": want true or false")
		default:
			return out, wire.Invalid(wire.FieldError{Resource: "Release", Field: "make_latest", Code: "invalid"})
		}
	}
	if isNew && in.Tag == nil {
		return out, wire.Invalid(wire.FieldError{Resource: "Release", Field: "tag_name", Code: "missing_field"})
	}
	return out, nil
}

// putRelease makes a release, or changes the one of that id. A tag that is not there is made, unless it is a draft.
func (a *API) putRelease(c *call, id int64) (answer, error) {
	repo, err := a.State.Authorize(c.who, c.repo(), state.WriteContents)
	if err != nil {
		return answer{}, err
	}
	in, err := releaseEdit(c, id == 0)
	if err != nil {
		return answer{}, err
	}
	var v wire.Release
	err = a.update(c.Request, c.who, repo, func(g *gitstore.Repo) error {
		plan, err := a.State.PlanRelease(c.who, repo.FullName, id, in)
		if err != nil {
			return err
		}
		at, err := a.tagRelease(c, g, repo.FullName, plan)
		if err != nil {
			return err
		}
		v, err = a.State.PutRelease(c.who, repo.FullName, id, in, at)
		return err
	})
	if err != nil {
		return answer{}, err
	}
	if id == 0 {
		c.header.Set("Location", v.URL)
		return created(v)
	}
	return ok(v)
}

// tagRelease finds the commit of a release and, unless it is a draft, makes its tag. It is called while nobody else
// can move refs.
func (a *API) tagRelease(c *call, g *gitstore.Repo, full string, plan state.ReleasePlan) (at state.ReleaseCommit, err error) {
	repo, err := a.State.Find(full)
	if err != nil {
		return at, wire.NotFound()
	}
	refuse := func(field, code, message string) (state.ReleaseCommit, error) {
		return at, wire.Invalid(wire.FieldError{Resource: "Release", Field: field, Code: code, Message: message})
	}
	ref := "refs/tags/" + plan.Tag
	if !gitstore.RefName(ref) {
		return refuse("tag_name", "custom", "tag_name is not well-formed")
	}
	if len(repo.Refs) == 0 {
		return refuse("", "custom", "Repository is empty.")
	}
	tagged, found := repo.Refs[ref]
	rev := plan.Target
	if found {
		rev = tagged
	} else if sha, branch := repo.Refs["refs/heads/"+plan.Target]; branch {
		rev = sha
	}
	at.SHA, err = g.Resolve(nil, rev)
	if errors.Is(err, gitstore.ErrNotFound) {
		return refuse("target_commitish", "invalid", "")
	}
	if err != nil {
		return at, err
	}
	commit, err := g.Commit(at.SHA)
	if err != nil {
		return at, err
	}
	at.Date = commit.Committer.When
	if found || plan.Draft {
		return at, nil
	}
	return at, a.move(c, g, repo, ref, state.Zero, at.SHA)
}

func (a *API) deleteRelease(c *call) (answer, error) {
	id, err := c.release()
	if err != nil {
		return answer{}, err
	}
	assets, err := a.State.DeleteRelease(c.who, c.repo(), id)
	if err != nil {
		return answer{}, err
	}
	for _, x := range assets {
		err = errors.Join(err, a.DropAsset(x))
	}
	return done(err)
}
