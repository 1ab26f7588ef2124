package driver

import "context"

// NewPull describes a pull request to open. Head is a branch, or "owner:branch" of a fork. HeadRepo names
// the fork where its owner has more than one repository of the network, such as an organisation's fork of
// its own repository.
type NewPull struct {
	Title, Body string
	Head, Base  string
	HeadRepo    string
	Draft       bool
}

// Pull is a pull request as read. Its labels, title, text and state can be changed through Issues, and it is
// commented there as well.
type Pull struct {
	Ref         Ref
	Title       string
	Body        string
	State       string // open, closed
	Author      string
	Labels      []string
	Head        string // owner:branch
	HeadRepo    Repo   // zero when it is gone
	HeadSHA     string
	Base        string // branch
	Draft       bool
	Merged      bool
	MergeCommit string // once it is merged
	Mergeable   string // clean, dirty, draft, behind, blocked, unstable, or unknown; "" in lists
}

// MergePull says how a pull request is merged. Zero fields leave the choice to the forge.
type MergePull struct {
	Method         string // merge, squash, rebase
	Title, Message string
	SHA            string // of the head that is meant; another is ErrConflict
}

// PullFilter selects pull requests; zero fields select the open ones.
type PullFilter struct {
	State string // open, closed, all
	Head  string // owner:branch
	Base  string // branch
}

// Pulls opens, reads and merges pull requests.
type Pulls interface {
	Open(ctx context.Context, r Repo, in NewPull) (Pull, error)
	Get(ctx context.Context, ref Ref) (Pull, error)
	List(ctx context.Context, r Repo, f PullFilter) ([]Pull, error)
	Files(ctx context.Context, ref Ref) (paths []string, err error)
	Merge(ctx context.Context, ref Ref, in MergePull) (sha string, err error)
}
