package forge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
)

// Seed makes the repository "owner/name" on behalf of login, with all of files in one commit on the
// default branch, and returns the commit. The owner is login or an organisation that login is a member
// of. It journals what a person's own creation and push would; their cause is "seed".
//
// files may be os.DirFS, an embed.FS, a testing/fstest.MapFS, or a txtar archive's file system.
// Executable files stay executable; what is neither a file nor a directory is an error, as is a
// repository that exists and a file system without files: nothing is made then.
func (a *Admin) Seed(repo, login string, files fs.FS) (sha string, err error) {
	ob := a.ledger.Open("seed " + repo)
	defer ob.Close()
	sha, err = a.seed(repo, login, files)
	return sha, wrap("seed "+repo, err)
}

// seeded is one file to come into the first commit.
type seeded struct {
	path, mode string
	data       []byte
}

func (a *Admin) seed(repo, login string, files fs.FS) (sha string, err error) {
	owner, name, ok := strings.Cut(repo, "/")
	if !ok {
		return "", errors.New(`the form is "owner/name"`)
	}
	if strings.EqualFold(owner, login) {
		owner = ""
	}
	content, err := readSeed(files)
	if err != nil {
		return "", err
	}
	token, err := a.state.MintToken(state.TokenSpec{Login: login, Cause: "seed", Name: "seed"})
	if err != nil {
		return "", err
	}
	defer a.state.RevokeToken(token)
	who, err := a.state.Identify(token)
	if err != nil {
		return "", err
	}
	made, err := a.state.CreateRepo(who, owner, state.NewRepo{Name: name}, func(id int64) error {
		return a.git.Create(id, state.DefaultBranch)
	})
	if err != nil {
		return "", err
	}
	r, err := a.state.Find(made.FullName)
	if err != nil {
		return "", err
	}
	err = a.git.Update(r.ID, func(g *gitstore.Repo) error {
		sha, err = a.firstCommit(g, who, r, content)
		return err
	})
	return sha, err
}

func readSeed(files fs.FS) ([]seeded, error) {
	var out []seeded
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s is no regular file", path)
		}
		if !gitstore.CleanPath(path) {
			return fmt.Errorf("%s: git allows no such path", path)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := fs.ReadFile(files, path)
		mode := "100644"
		if info.Mode()&0o111 != 0 {
			mode = "100755"
		}
		out = append(out, seeded{path: path, mode: mode, data: data})
		return err
	})
	if err == nil && len(out) == 0 {
		err = errors.New("there are no files")
	}
	return out, err
}

// firstCommit is called while nobody else can move refs of the repository.
func (a *Admin) firstCommit(g *gitstore.Repo, who state.Identity, r state.Repo, content []seeded) (string, error) {
	var edits []gitstore.Edit
	for _, f := range content {
		blob, err := g.WriteBlob(f.data)
		if err != nil {
			return "", err
		}
		edits = append(edits, gitstore.Edit{Path: f.path, Mode: f.mode, SHA: blob})
	}
	tree, err := g.WriteTree("", edits)
	if err != nil {
		return "", err
	}
	author := gitstore.Person{Name: who.Login, Email: a.state.Email(who.Login), When: a.now()}
	sha, err := g.WriteCommit(gitstore.NewCommit{Tree: tree, Message: "Seed", Author: author, Committer: author})
	if err != nil {
		return "", err
	}
	ref := "refs/heads/" + r.DefaultBranch
	if err := g.SetRef(ref, sha); err != nil {
		return "", err
	}
	rc := state.RefChange{Ref: ref, Before: state.Zero, After: sha}
	if rc.Commits, rc.Head, rc.Forced, err = g.Pushed(context.Background(), state.Zero, sha, r.Refs); err != nil {
		return "", err
	}
	return sha, a.state.MoveRefs(who, r.FullName, []state.RefChange{rc})
}
