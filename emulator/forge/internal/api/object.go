package api

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// maxTree is how many entries a tree answer lists at most, as at GitHub.
const maxTree = 100_000

func (a *API) objectRoutes() []route {
	const git = "/repos/{owner}/{repo}/git"
	return []route{
		{method: http.MethodGet, pattern: git + "/commits/{sha}", do: a.getGitCommit},
		{method: http.MethodPost, pattern: git + "/commits", do: a.createGitCommit},
		{method: http.MethodGet, pattern: git + "/trees/{sha...}", query: []string{"recursive"}, do: a.getTree},
		{method: http.MethodPost, pattern: git + "/trees", do: a.createTree},
		{method: http.MethodGet, pattern: git + "/blobs/{sha}", media: []string{"raw"}, do: a.getBlob},
		{method: http.MethodPost, pattern: git + "/blobs", do: a.createBlob},
		{method: http.MethodGet, pattern: git + "/tags/{sha}", do: a.getTag},
		{method: http.MethodPost, pattern: git + "/tags", do: a.createTag},
	}
}

func (a *API) reader(c *call) (state.Repo, *gitstore.Repo, error) {
	repo, err := a.State.Authorize(c.who, c.repo(), state.ReadContents)
	if err != nil {
		return repo, nil, err
	}
	return repo, a.Git.Open(repo.ID), nil
}

func (a *API) getGitCommit(c *call) (answer, error) {
	repo, g, err := a.reader(c)
	if err != nil {
		return answer{}, err
	}
	commit, err := g.Commit(c.param["sha"])
	if err != nil {
		return answer{}, err
	}
	return ok(a.viewGitCommit(repo.FullName, commit))
}

func (a *API) createGitCommit(c *call) (answer, error) {
	var in struct {
		Message   string   `json:"message"`
		Tree      string   `json:"tree"`
		Parents   []string `json:"parents"`
		Author    *person  `json:"author"`
		Committer *person  `json:"committer"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	if in.Tree == "" {
		return answer{}, missing("tree")
	}
	var ans answer
	err := a.updateRepo(c, func(repo state.Repo, g *gitstore.Repo) error {
		if typ, err := g.Type(in.Tree); err != nil || typ != "tree" {
			return wire.Unprocessable("Tree SHA does not exist")
		}
		for _, p := range in.Parents {
			if typ, err := g.Type(p); err != nil || typ != "commit" {
				return wire.Unprocessable("Parent SHA does not exist or is not a commit object")
			}
		}
		nc := gitstore.NewCommit{Tree: in.Tree, Parents: in.Parents, Message: in.Message, Author: a.orActor(c, in.Author), Committer: a.orActor(c, in.Committer)}
		if in.Committer == nil {
			nc.Committer = nc.Author
		}
		sha, err := g.WriteCommit(nc)
		if err != nil {
			return err
		}
		made, err := g.Commit(sha)
		if err != nil {
			return err
		}
		ans, err = created(a.viewGitCommit(repo.FullName, made))
		return err
	})
	return ans, err
}

func (a *API) getTree(c *call) (answer, error) {
	repo, g, err := a.reader(c)
	if err != nil {
		return answer{}, err
	}
	rev := c.param["sha"]
	if typ, err := g.Type(rev); err != nil || typ != "tree" {
		if rev, err = g.Resolve(repo.Refs, rev); err != nil {
			return answer{}, err
		}
	}
	// Any value asks for depth, even "0" or "false", as at GitHub.
	sha, entries, truncated, err := g.Tree(rev, c.URL.Query().Has("recursive"), maxTree)
	if err != nil {
		return answer{}, err
	}
	return ok(a.viewTree(repo.FullName, sha, entries, truncated))
}

func (a *API) viewTree(full, sha string, entries []gitstore.Entry, truncated bool) wire.Tree {
	p := wire.EscapePath(full)
	t := wire.Tree{SHA: sha, URL: a.Base.API("/repos/%s/git/trees/%s", p, sha), Entries: []wire.TreeEntry{}, Truncated: truncated}
	for _, e := range entries {
		v := wire.TreeEntry{Path: e.Path, Mode: e.Mode, Type: e.Type, SHA: e.SHA}
		switch e.Type {
		case "blob":
			v.Size, v.URL = &e.Size, a.Base.API("/repos/%s/git/blobs/%s", p, e.SHA)
		case "tree":
			v.URL = a.Base.API("/repos/%s/git/trees/%s", p, e.SHA)
		}
		t.Entries = append(t.Entries, v)
	}
	return t
}

// treeEdit is one entry of a tree to make. SHA is kept raw: null deletes, absent does not.
type treeEdit struct {
	Path    string   `json:"path"`
	Mode    string   `json:"mode"`
	Type    string   `json:"type"`
	SHA     nullable `json:"sha"`
	Content *string  `json:"content"`
}

func (a *API) createTree(c *call) (answer, error) {
	var in struct {
		BaseTree string     `json:"base_tree"`
		Tree     []treeEdit `json:"tree"`
	}
	if err := c.decode(largeBody, &in); err != nil {
		return answer{}, err
	}
	if len(in.Tree) == 0 {
		return answer{}, wire.Unprocessable("Invalid tree info")
	}
	var ans answer
	err := a.updateRepo(c, func(repo state.Repo, g *gitstore.Repo) error {
		edits := make([]gitstore.Edit, len(in.Tree))
		for i, e := range in.Tree {
			var err error
			if edits[i], err = e.edit(g); err != nil {
				return err
			}
		}
		if in.BaseTree != "" {
			if _, err := g.Type(in.BaseTree); err != nil {
				return wire.Unprocessable("base_tree is not a valid tree oid")
			}
		}
		sha, err := g.WriteTree(in.BaseTree, edits)
		if err != nil {
			return wire.Unprocessable("GitRPC::BadObjectState: " + err.Error())
		}
		_, entries, _, err := g.Tree(sha, false, maxTree)
		if err != nil {
			return err
		}
		ans, err = created(a.viewTree(repo.FullName, sha, entries, false))
		return err
	})
	return ans, err
}

func (e treeEdit) edit(g *gitstore.Repo) (gitstore.Edit, error) {
	out := gitstore.Edit{Path: e.Path, Mode: e.Mode}
	if !gitstore.CleanPath(e.Path) {
		return out, wire.Unprocessable("tree.path contains a malformed path component")
	}
	if e.SHA.null {
		return out, nil
	}
	want := map[string]string{"100644": "blob", "100755": "blob", "120000": "blob", "040000": "tree", "160000": "commit"}[e.Mode]
	if want == "" {
		return out, wire.Unprocessable("Must supply a valid tree.mode")
	}
	if (e.SHA.value == "") == (e.Content == nil) {
		return out, wire.Unprocessable("Must supply either tree.sha or tree.content")
	}
	if e.Content != nil {
		var err error
		out.SHA, err = g.WriteBlob([]byte(*e.Content))
		return out, err
	}
	if typ, err := g.Type(e.SHA.value); want != "commit" && (err != nil || typ != want) {
		return out, wire.Unprocessable("tree.sha " + e.SHA.value + " is not a valid " + want)
	}
	out.SHA = e.SHA.value
	return out, nil
}

func (a *API) getBlob(c *call) (answer, error) {
	repo, g, err := a.reader(c)
	if err != nil {
		return answer{}, err
	}
	sha := c.param["sha"]
	data, err := g.Blob(sha, largeBody)
	if err != nil {
		return answer{}, err
	}
	if c.media.param == "raw" {
		return answer{status: http.StatusOK, raw: data, kind: "application/vnd.github.raw; charset=utf-8"}, nil
	}
	return ok(wire.Blob{SHA: sha, NodeID: nodeOf("Blob", sha), Size: int64(len(data)),
		URL:     a.Base.API("/repos/%s/git/blobs/%s", wire.EscapePath(repo.FullName), sha),
		Content: lines(base64.StdEncoding.EncodeToString(data)), Encoding: "base64"})
}

func (a *API) createBlob(c *call) (answer, error) {
	var in struct {
		Content  *string `json:"content"`
		Encoding string  `json:"encoding"`
	}
	if err := c.decode(largeBody, &in); err != nil {
		return answer{}, err
	}
	if in.Content == nil {
		return answer{}, missing("content")
	}
	if !slices.Contains([]string{"", "utf-8", "base64"}, in.Encoding) {
		return answer{}, wire.Unprocessable("encoding: want utf-8 or base64")
	}
	data := []byte(*in.Content)
	if in.Encoding == "base64" {
		var err error
		if data, err = base64.StdEncoding.DecodeString(strings.TrimSpace(*in.Content)); err != nil {
			return answer{}, wire.Unprocessable("content is not valid Base64")
		}
	}
	var ans answer
	err := a.updateRepo(c, func(repo state.Repo, g *gitstore.Repo) error {
		sha, err := g.WriteBlob(data)
		if err != nil {
			return err
		}
		ans, err = created(wire.Link{SHA: sha, URL: a.Base.API("/repos/%s/git/blobs/%s", wire.EscapePath(repo.FullName), sha)})
		return err
	})
	return ans, err
}
