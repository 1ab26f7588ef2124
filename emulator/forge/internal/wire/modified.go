package wire

import "time"

// LastModified returns when an issue changed last.
func (i Issue) LastModified() time.Time { return i.UpdatedAt.Time }

// LastModified returns when a comment changed last.
func (c Comment) LastModified() time.Time { return c.UpdatedAt.Time }

// LastModified returns when a repository's settings or refs changed last.
func (r Repository) LastModified() time.Time {
	if r.PushedAt.After(r.UpdatedAt.Time) {
		return r.PushedAt.Time
	}
	return r.UpdatedAt.Time
}

// LastModified returns when an account changed last.
func (p Profile) LastModified() time.Time { return p.UpdatedAt.Time }

// LastModified returns when a commit was made.
func (c Commit) LastModified() time.Time { return c.Commit.Committer.Date.Time }

// LastModified returns when a commit was made.
func (c GitCommit) LastModified() time.Time { return c.Committer.Date.Time }

// LastModified returns when an organisation changed last.
func (o OrganizationProfile) LastModified() time.Time { return o.UpdatedAt.Time }
