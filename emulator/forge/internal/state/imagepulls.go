package state

import (
	"fmt"
	"slices"
	"time"
)

// PullImage is what makes an issue a pull request.
type PullImage struct {
	ID          int64
	Head        HeadImage
	Base        BaseImage
	Draft       bool `json:",omitempty"`
	Seen        string
	Facts       PullFacts
	Merged      time.Time       `json:",omitzero"`
	MergedBy    string          `json:",omitempty"`
	Merge       string          `json:",omitempty"`
	Maintainers bool            `json:",omitempty"`
	Reviews     []Review        `json:",omitempty"` // as they were begun
	Comments    []ReviewComment `json:",omitempty"` // as they were made
	Requested   []string        `json:",omitempty"` // logins
	Teams       []int64         `json:",omitempty"` // whose review is asked for
}

// HeadImage is the branch that a pull request leads from, at one commit.
type HeadImage struct {
	Repo  int64 `json:",omitempty"` // 0 is none any more
	Owner string
	Ref   string
	SHA   string
}

// BaseImage is the branch of the issue's repository that a pull request leads to, at one commit.
type BaseImage struct{ Ref, SHA string }

// MergingImage is how pull requests of a repository can be merged.
type MergingImage struct {
	NoCommit     bool `json:",omitempty"`
	NoSquash     bool `json:",omitempty"`
	NoRebase     bool `json:",omitempty"`
	UpdateBranch bool `json:",omitempty"`
	DeleteBranch bool `json:",omitempty"`
}

func imageOfPull(p *pull) *PullImage {
	out := &PullImage{ID: p.id, Head: HeadImage{Owner: p.head.owner, Ref: p.head.ref, SHA: p.head.sha}, Base: BaseImage{Ref: p.base.ref, SHA: p.base.sha},
		Draft: p.draft, Seen: p.seen, Facts: p.facts, Merged: p.merged, MergedBy: p.mergedBy, Merge: p.merge, Maintainers: p.maintainers}
	out.Facts.Paths, out.Facts.Shas = slices.Clone(p.facts.Paths), slices.Clone(p.facts.Shas)
	if p.head.repo != nil {
		out.Head.Repo = p.head.repo.id
	}
	out.addReviews(p)
	return out
}

func imageOfMerging(m merging) MergingImage {
	return MergingImage{NoCommit: m.noCommit, NoSquash: m.noSquash, NoRebase: m.noRebase, UpdateBranch: m.updateBranch, DeleteBranch: m.deleteBranch}
}

func (m MergingImage) read() merging {
	return merging{noCommit: m.NoCommit, noSquash: m.NoSquash, noRebase: m.NoRebase, updateBranch: m.UpdateBranch, deleteBranch: m.DeleteBranch}
}

// readPulls comes after all repositories and issues: a head may be in any of them.
func (r reader) readPulls(im Image) error {
	seen := map[int64]*pull{}
	read := reviewsRead{map[int64]*Review{}, map[int64]*ReviewComment{}}
	for _, in := range im.Issues {
		if in.Pull == nil {
			continue
		}
		of, p := r.repos[in.Repo], in.Pull
		x := &pull{id: p.ID, in: of, head: headEnd{repo: r.repos[p.Head.Repo], owner: p.Head.Owner, ref: p.Head.Ref, sha: p.Head.SHA},
			base: baseEnd{ref: p.Base.Ref, sha: p.Base.SHA}, draft: p.Draft, seen: p.Seen, facts: p.Facts, merged: p.Merged, mergedBy: p.MergedBy,
			merge: p.Merge, maintainers: p.Maintainers}
		if p.Head.Repo != 0 && x.head.repo == nil {
			return fmt.Errorf("issue %d leads from repository %d, which is not there", in.ID, p.Head.Repo)
		}
		if err := put(r, nounPull, seen, p.ID, x); err != nil {
			return err
		}
		if err := r.readReviews(x, p, read); err != nil {
			return err
		}
		i := r.issues[in.ID]
		i.pull = x
		of.addPull(i)
	}
	return nil
}
