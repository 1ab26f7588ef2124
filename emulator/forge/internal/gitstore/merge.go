package gitstore

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// Relation says how two commits stand to each other.
type Relation struct {
	Common string   // a best common ancestor; "" when they share no history
	Ahead  []string // commits of the second that the first lacks, oldest first
	Behind int      // commits of the first that the second lacks
	Linear bool     // no commit of Ahead is a merge
}

// nearHistory bounds how far back a relation is looked for without asking git.
const nearHistory = 64

// Relate compares two commits.
func (r *Repo) Relate(ctx context.Context, base, head string) (Relation, error) {
	if rel, found, err := r.relateNear(base, head); err != nil || found {
		return rel, err
	}
	out, err := r.run(ctx, "rev-list", "--topo-order", "--left-right", "--boundary", "--parents", base+"..."+head, "--")
	if err != nil {
		return Relation{}, err
	}
	rel := Relation{Linear: true}
	var boundary []string
	for line := range strings.Lines(out) {
		words := strings.Fields(line)
		switch sha := words[0][1:]; words[0][0] {
		case '<':
			rel.Behind++
		case '>':
			rel.Ahead = append(rel.Ahead, sha)
			rel.Linear = rel.Linear && len(words) <= 2
		case '-':
			boundary = append(boundary, sha)
		}
	}
	slices.Reverse(rel.Ahead)
	switch len(boundary) {
	case 0:
		return rel, nil
	case 1: // every best common ancestor is a boundary
		rel.Common = boundary[0]
		return rel, nil
	}
	out, err = r.run(ctx, "merge-base", base, head)
	rel.Common = strings.TrimSpace(out)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return rel, nil
	}
	return rel, err
}

// relateNear answers the usual case, two short lines of commits that begin at one, without a process.
func (r *Repo) relateNear(base, head string) (rel Relation, found bool, err error) {
	ofBase, err := r.line(base)
	if err != nil {
		return rel, false, err
	}
	ofHead, err := r.line(head)
	if err != nil {
		return rel, false, err
	}
	for n, sha := range ofHead {
		if at := slices.Index(ofBase, sha); at >= 0 {
			ahead := append([]string(nil), ofHead[:n]...)
			slices.Reverse(ahead)
			return Relation{Common: sha, Ahead: ahead, Behind: at, Linear: true}, true, nil
		}
	}
	return rel, false, nil
}

// line lists a commit and its ancestors up to a merge, the root, or nearHistory.
func (r *Repo) line(sha string) ([]string, error) {
	var out []string
	for len(out) < nearHistory {
		c, err := r.Commit(sha)
		if err != nil {
			return nil, err
		}
		out = append(out, sha)
		if len(c.ParentHashes) != 1 {
			break
		}
		sha = c.ParentHashes[0].String()
	}
	return out, nil
}

// Picked applies what one commit changed against its parent to the tree of another commit, and returns the
// tree that comes of it; clean is false when they conflict.
func (r *Repo) Picked(ctx context.Context, onto, commit string) (tree string, clean bool, err error) {
	c, err := r.Commit(commit)
	if err != nil {
		return "", false, err
	}
	if len(c.ParentHashes) != 1 {
		return "", false, fmt.Errorf("commit %s has %d parents: only one with one can be moved", commit, len(c.ParentHashes))
	}
	parent := c.ParentHashes[0].String()
	trees := map[string]string{parent: "", onto: "", commit: ""}
	for sha := range trees {
		t, err := r.treeOf(sha)
		if err != nil {
			return "", false, err
		}
		trees[sha] = t.Hash.String()
	}
	if trees[parent] == trees[onto] {
		return trees[commit], true, nil
	}
	// Commits that nobody sees, so that git takes the parent's tree for the common ancestor.
	nobody := Person{Name: "understudy", Email: "understudy@localhost", When: c.Committer.When}
	root, err := r.WriteCommit(NewCommit{Tree: trees[parent], Author: nobody, Committer: nobody})
	if err != nil {
		return "", false, err
	}
	var sides [2]string
	for i, tree := range []string{trees[onto], trees[commit]} {
		if sides[i], err = r.WriteCommit(NewCommit{Tree: tree, Parents: []string{root}, Message: strconv.Itoa(i), Author: nobody, Committer: nobody}); err != nil {
			return "", false, err
		}
	}
	return r.Merged(ctx, sides[0], sides[1])
}

// Counted is how much a file changed.
type Counted struct {
	Path      string
	Additions int
	Deletions int
}

// Count lists the files that differ between two commits, with renames found.
func (r *Repo) Count(ctx context.Context, from, to string) ([]Counted, error) {
	out, err := r.run(ctx, "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames", "--numstat", "-z", from, to, "--")
	if err != nil {
		return nil, err
	}
	var files []Counted
	for out != "" {
		var f Counted
		if f, out, err = cutCounted(out); err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// cutCounted reads one file of git's counts, "1 TAB 2 TAB path NUL". A rename has both names after it.
func cutCounted(out string) (f Counted, rest string, err error) {
	line, rest, _ := strings.Cut(out, "\x00")
	words := strings.SplitN(line, "\t", 3)
	if len(words) != 3 {
		return f, rest, fmt.Errorf("count of lines %q", line)
	}
	// Binary content has "-" in both places.
	f.Additions, _ = strconv.Atoi(words[0])
	f.Deletions, _ = strconv.Atoi(words[1])
	if f.Path = words[2]; f.Path == "" {
		_, rest, _ = strings.Cut(rest, "\x00")
		f.Path, rest, _ = strings.Cut(rest, "\x00")
	}
	return f, rest, nil
}

// Reached lists the commits that lead to tip and not to one of known, and tip itself.
func (r *Repo) Reached(ctx context.Context, tip string, known ...string) (map[string]bool, error) {
	out := map[string]bool{tip: true}
	c, err := r.Commit(tip)
	if err != nil {
		return nil, err
	}
	if len(c.ParentHashes) == 1 && slices.Contains(known, c.ParentHashes[0].String()) {
		return out, nil
	}
	text, err := r.run(ctx, append([]string{"rev-list", tip, "--not"}, known...)...)
	for sha := range strings.FieldsSeq(text) {
		out[sha] = true
	}
	return out, err
}

// Borrow makes a commit of another repository, which a ref of it names, readable in this one with all that
// it needs.
func (r *Repo) Borrow(from int64, sha string) error {
	if _, err := r.Commit(sha); err == nil {
		return nil
	}
	if err := r.store.Share(from, r.id); err != nil {
		return err
	}
	r.objs = r.store.Open(r.id).objs // the storage remembers which packs there were
	return nil
}
