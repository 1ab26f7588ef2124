package gitstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/utils/merkletrie"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

const zero = "0000000000000000000000000000000000000000"

// maxPushCommits is how many commits a push event lists at most, as at GitHub.
const maxPushCommits = 2048

// run runs git in the repository and returns its output.
func (r *Repo) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, r.store.git, args...)
	cmd.Dir, cmd.Env = r.store.path(r.id), r.store.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(errs.String()))
	}
	return out.String(), nil
}

// IsAncestor reports whether commit a is b or one of its ancestors.
func (r *Repo) IsAncestor(a, b string) (bool, error) {
	if a == b {
		return true, nil
	}
	cb, err := r.Commit(b)
	if err != nil {
		return false, err
	}
	for _, p := range cb.ParentHashes {
		if p.String() == a {
			return true, nil
		}
	}
	ca, err := r.Commit(a)
	if err != nil {
		return false, err
	}
	return ca.IsAncestor(cb)
}

// Pushed describes the move of a ref from before to after (zero hashes for none): the commits that
// came, oldest first, which are distinct if no ref had them, the head, and whether history was rewritten. known are the hashes that the
// refs named before the move.
func (r *Repo) Pushed(ctx context.Context, before, after string, known map[string]string) (commits []wire.PushCommit, head *wire.PushCommit, forced bool, err error) {
	if after == zero {
		return nil, nil, false, nil
	}
	tip, err := r.peel(after)
	if errors.Is(err, ErrNotFound) {
		return nil, nil, false, nil // a tag of a tree or a blob carries no commits
	}
	if err != nil {
		return nil, nil, false, err
	}
	if before != zero {
		ok, err := r.IsAncestor(before, tip)
		if err != nil {
			ok = false // what before named may not be a commit; then it cannot be an ancestor
		}
		forced = !ok
	}
	fresh, err := r.between(ctx, before, tip, known)
	if err != nil {
		return nil, nil, false, err
	}
	list := fresh
	if before != zero && !forced { // also those that another branch has
		if list, err = r.between(ctx, before, tip, map[string]string{"": before}); err != nil {
			return nil, nil, false, err
		}
	}
	for _, sha := range list {
		pc, err := r.pushCommit(sha)
		if err != nil {
			return nil, nil, false, err
		}
		pc.Distinct = slices.Contains(fresh, sha)
		commits = append(commits, pc)
	}
	h, err := r.pushCommit(tip)
	if err != nil {
		return nil, nil, false, err
	}
	return commits, &h, forced, nil
}

func (r *Repo) between(ctx context.Context, before, tip string, known map[string]string) ([]string, error) {
	for ref, sha := range known {
		if sha == tip && !OfPulls(ref) {
			return nil, nil
		}
	}
	c, err := r.Commit(tip)
	if err != nil {
		return nil, err
	}
	// The usual case, one commit on top, needs no walk and no process.
	onTop := before != zero && len(c.ParentHashes) == 1 && c.ParentHashes[0].String() == before
	if onTop || len(c.ParentHashes) == 0 && len(known) == 0 {
		return []string{tip}, nil
	}
	args := []string{"rev-list", "--reverse", "--topo-order", fmt.Sprintf("--max-count=%d", maxPushCommits), tip, "--not"}
	seen := map[string]bool{}
	for ref, sha := range known {
		if !seen[sha] && !OfPulls(ref) {
			seen[sha] = true
			args = append(args, sha)
		}
	}
	out, err := r.run(ctx, args...)
	return strings.Fields(out), err
}

func (r *Repo) pushCommit(sha string) (wire.PushCommit, error) {
	c, err := r.Commit(sha)
	if err != nil {
		return wire.PushCommit{}, err
	}
	pc := wire.PushCommit{
		ID: sha, TreeID: c.TreeHash.String(), Message: strings.TrimRight(c.Message, "\n"), Timestamp: c.Committer.When.Format(time.RFC3339),
		Author:    wire.PushAuthor{Name: c.Author.Name, Email: c.Author.Email},
		Committer: wire.PushAuthor{Name: c.Committer.Name, Email: c.Committer.Email},
	}
	changes, err := r.Changes(c)
	if err != nil {
		return pc, err
	}
	for _, ch := range changes {
		switch ch.Status {
		case "added":
			pc.Added = append(pc.Added, ch.Path)
		case "removed":
			pc.Removed = append(pc.Removed, ch.Path)
		default:
			pc.Modified = append(pc.Modified, ch.Path)
		}
	}
	return pc, nil
}

// SimpleCommit reads a commit of a repository; nil is one that is not there.
func (s *Store) SimpleCommit(repo int64, sha string) *wire.SimpleCommit {
	c, err := s.Open(repo).Commit(sha)
	if err != nil {
		return nil
	}
	return &wire.SimpleCommit{
		ID: sha, TreeID: c.TreeHash.String(), Message: strings.TrimRight(c.Message, "\n"), Timestamp: wire.Time{Time: c.Committer.When.UTC()},
		Author:    wire.Person{Name: c.Author.Name, Email: c.Author.Email},
		Committer: wire.Person{Name: c.Committer.Name, Email: c.Committer.Email},
	}
}

// PathChange is one path that a commit changed against its first parent.
type PathChange struct {
	Path   string
	Status string // added, removed, modified
	SHA    string // of the new content; "" when removed
}

// Changes lists what a commit changed against its first parent.
func (r *Repo) Changes(c *object.Commit) ([]PathChange, error) {
	to, err := c.Tree()
	if err != nil {
		return nil, absent(err)
	}
	var from *object.Tree
	if c.NumParents() > 0 {
		p, err := c.Parent(0)
		if err != nil {
			return nil, absent(err)
		}
		if from, err = p.Tree(); err != nil {
			return nil, absent(err)
		}
	}
	// Without rename detection, as in push events.
	diff, err := object.DiffTree(from, to)
	if err != nil {
		return nil, err
	}
	out := make([]PathChange, 0, len(diff))
	for _, d := range diff {
		action, err := d.Action()
		if err != nil {
			return nil, err
		}
		switch action {
		case merkletrie.Insert:
			out = append(out, PathChange{d.To.Name, "added", d.To.TreeEntry.Hash.String()})
		case merkletrie.Delete:
			out = append(out, PathChange{d.From.Name, "removed", ""})
		default:
			out = append(out, PathChange{d.To.Name, "modified", d.To.TreeEntry.Hash.String()})
		}
	}
	return out, nil
}

// Log lists commits reachable from tip, newest first, that pass keep (nil keeps all); a path keeps
// only commits that changed it or something below it. At most limit are returned.
func (r *Repo) Log(tip, path string, limit int, keep func(*object.Commit) bool) ([]*object.Commit, error) {
	c, err := r.Commit(tip)
	if err != nil {
		return nil, err
	}
	it := object.NewCommitIterCTime(c, nil, nil)
	defer it.Close()
	var out []*object.Commit
	for len(out) < limit {
		c, err := it.Next()
		if err != nil {
			break // io.EOF: history ends
		}
		if keep != nil && !keep(c) {
			continue
		}
		if path != "" {
			touched, err := r.touches(c, path)
			if err != nil {
				return nil, err
			}
			if !touched {
				continue
			}
		}
		out = append(out, c)
	}
	return out, nil
}

func (r *Repo) touches(c *object.Commit, path string) (bool, error) {
	changes, err := r.Changes(c)
	for _, ch := range changes {
		if ch.Path == path || strings.HasPrefix(ch.Path, path+"/") {
			return true, nil
		}
	}
	return false, err
}
