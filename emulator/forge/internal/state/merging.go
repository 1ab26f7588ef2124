package state

import "github.com/understudy-dev/understudy/emulator/forge/internal/wire"

// merging is how pull requests of a repository can be merged; the zero value is what a new one allows.
type merging struct {
	noCommit, noSquash, noRebase bool
	updateBranch                 bool
	deleteBranch                 bool // of the head, once it is merged
}

func (m merging) view() *wire.MergeSettings {
	return &wire.MergeSettings{
		AllowMergeCommit: !m.noCommit, AllowSquashMerge: !m.noSquash, AllowRebaseMerge: !m.noRebase, AllowUpdateBranch: m.updateBranch,
		DeleteBranchOnMerge: m.deleteBranch, SquashTitleDefault: "COMMIT_OR_PR_TITLE", SquashTextDefault: "COMMIT_MESSAGES",
		MergeTitleDefault: "MERGE_MESSAGE", MergeTextDefault: "PR_TITLE",
	}
}

// MergingEdit changes what is not nil.
type MergingEdit struct {
	Commit       *bool
	Squash       *bool
	Rebase       *bool
	UpdateBranch *bool
	DeleteBranch *bool
}

func (e MergingEdit) apply(m merging) (merging, error) {
	for _, x := range []struct {
		to  *bool
		at  *bool
		not bool
	}{{e.Commit, &m.noCommit, true}, {e.Squash, &m.noSquash, true}, {e.Rebase, &m.noRebase, true}, {e.UpdateBranch, &m.updateBranch, false},
		{e.DeleteBranch, &m.deleteBranch, false}} {
		if x.to != nil {
			*x.at = *x.to != x.not
		}
	}
	if m.noCommit && m.noSquash && m.noRebase {
		return m, wire.Invalid(wire.FieldError{Resource: "Repository", Field: "merge_commit_allowed", Code: "invalid",
			Message: "Sorry, you need to allow at least one merge strategy."})
	}
	return m, nil
}
