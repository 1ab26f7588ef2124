package api

import (
	"slices"

	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func (a *API) getTag(c *call) (answer, error) {
	repo, g, err := a.reader(c)
	if err != nil {
		return answer{}, err
	}
	t, err := g.Tag(c.param["sha"])
	if err != nil {
		return answer{}, err
	}
	return ok(a.viewTag(repo.FullName, t))
}

func (a *API) viewTag(full string, t *object.Tag) wire.Tag {
	p, sha := wire.EscapePath(full), t.Hash.String()
	return wire.Tag{
		NodeID: nodeOf("Tag", sha), Tag: t.Name, SHA: sha, URL: a.Base.API("/repos/%s/git/tags/%s", p, sha),
		Message: t.Message, Tagger: viewSignature(t.Tagger), Verification: wire.Verification{Reason: "unsigned"},
		Object: wire.GitObject{Type: t.TargetType.String(), SHA: t.Target.String(), URL: a.Base.API("/repos/%s/git/%ss/%s", p, t.TargetType, t.Target)},
	}
}

// createTag makes an annotated tag object. As at GitHub no ref names it until one is made.
func (a *API) createTag(c *call) (answer, error) {
	var in struct {
		Tag     string  `json:"tag"`
		Message string  `json:"message"`
		Object  string  `json:"object"`
		Type    string  `json:"type"`
		Tagger  *person `json:"tagger"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	for _, f := range [][2]string{{"tag", in.Tag}, {"message", in.Message}, {"object", in.Object}, {"type", in.Type}} {
		if f[1] == "" {
			return answer{}, missing(f[0])
		}
	}
	if !gitstore.RefName("refs/tags/" + in.Tag) {
		return answer{}, wire.Unprocessable("tag is not a valid name of a tag")
	}
	if !slices.Contains([]string{"commit", "tree", "blob"}, in.Type) {
		return answer{}, wire.Unprocessable("type: want commit, tree or blob")
	}
	var ans answer
	err := a.updateRepo(c, func(repo state.Repo, g *gitstore.Repo) error {
		if typ, err := g.Type(in.Object); err != nil || typ != in.Type {
			return wire.Unprocessable("object " + in.Object + " is not a valid " + in.Type)
		}
		sha, err := g.WriteTag(gitstore.NewTag{Name: in.Tag, Message: in.Message, Target: in.Object, Type: in.Type, Tagger: a.orActor(c, in.Tagger)})
		if err != nil {
			return err
		}
		t, err := g.Tag(sha)
		if err != nil {
			return err
		}
		ans, err = created(a.viewTag(repo.FullName, t))
		return err
	})
	return ans, err
}

// listTags lists the tags that name a commit, latest name first, as GitHub does.
func (a *API) listTags(c *call) (answer, error) {
	repo, err := a.State.Authorize(c.who, c.repo(), state.ReadMetadata) // the names of tags are no contents to GitHub
	if err != nil {
		return answer{}, err
	}
	g := a.Git.Open(repo.ID)
	p := wire.EscapePath(repo.FullName)
	out := []wire.RepositoryTag{}
	for _, short := range slices.Backward(shortNames(repo.Refs, "refs/tags/")) {
		sha, err := g.Resolve(nil, repo.Refs["refs/tags/"+short])
		if err != nil {
			continue // it names a tree or a blob
		}
		name := wire.EscapePath("refs/tags/" + short)
		out = append(out, wire.RepositoryTag{
			Name: short, NodeID: nodeOf("Ref", repo.FullName+":refs/tags/"+short),
			ZipballURL: a.Base.API("/repos/%s/zipball/%s", p, name), TarballURL: a.Base.API("/repos/%s/tarball/%s", p, name),
			Commit: wire.Link{SHA: sha, URL: a.Base.API("/repos/%s/commits/%s", p, sha)},
		})
	}
	return list(c, a.Base, out, nil)
}
