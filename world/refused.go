package world

import (
	"context"

	"github.com/understudy-dev/understudy/driver"
)

// refused returns a session whose every call returns err, so that steps need no check of their own.
func refused(err error) driver.Session {
	return driver.Session{
		Repos: repos{err}, Files: files{err}, Members: members{err},
		Config: config{err}, Labels: labels{err}, Issues: issues{err}, Reactions: reactions{err}, Pulls: pulls{err}, Reviews: reviews{err}, Runs: runs{err},
	}
}

type (
	repos     struct{ err error }
	files     struct{ err error }
	members   struct{ err error }
	config    struct{ err error }
	labels    struct{ err error }
	issues    struct{ err error }
	reactions struct{ err error }
	pulls     struct{ err error }
	reviews   struct{ err error }
	runs      struct{ err error }
)

func (r repos) Create(context.Context, driver.NewRepo) error { return r.err }

func (r repos) Fork(context.Context, driver.NewFork) (driver.Repo, error) {
	return driver.Repo{}, r.err
}

func (r repos) Get(context.Context, driver.Repo) (driver.RepoInfo, error) {
	return driver.RepoInfo{}, r.err
}

func (r repos) Delete(context.Context, driver.Repo) error { return r.err }

func (r repos) Branches(context.Context, driver.Repo) (map[string]string, error) { return nil, r.err }

func (f files) Commit(context.Context, driver.Repo, driver.NewCommit) (string, error) {
	return "", f.err
}

func (f files) Read(context.Context, driver.Repo, string, string) ([]byte, error) { return nil, f.err }

func (m members) Role(context.Context, driver.Repo, string) (string, error) { return "", m.err }

func (m members) SetRole(context.Context, driver.Repo, string, string) error { return m.err }

func (c config) SetVariable(context.Context, driver.Repo, string, string) error { return c.err }

func (c config) Variables(context.Context, driver.Repo) (map[string]string, error) { return nil, c.err }

func (c config) SetSecret(context.Context, driver.Repo, string, string) error { return c.err }

func (r reactions) List(context.Context, driver.Ref) ([]driver.Reaction, error) { return nil, r.err }

func (l labels) Set(context.Context, driver.Repo, driver.Label) error { return l.err }

func (i issues) Open(context.Context, driver.Repo, driver.NewIssue) (driver.Issue, error) {
	return driver.Issue{}, i.err
}

func (i issues) Get(context.Context, driver.Ref) (driver.Issue, error) { return driver.Issue{}, i.err }

func (i issues) Edit(context.Context, driver.Ref, driver.IssueEdit) error { return i.err }

func (i issues) Comment(context.Context, driver.Ref, string) (driver.Comment, error) {
	return driver.Comment{}, i.err
}

func (i issues) Comments(context.Context, driver.Ref) ([]driver.Comment, error) { return nil, i.err }

func (p pulls) Open(context.Context, driver.Repo, driver.NewPull) (driver.Pull, error) {
	return driver.Pull{}, p.err
}

func (p pulls) Get(context.Context, driver.Ref) (driver.Pull, error) { return driver.Pull{}, p.err }

func (p pulls) List(context.Context, driver.Repo, driver.PullFilter) ([]driver.Pull, error) {
	return nil, p.err
}

func (p pulls) Files(context.Context, driver.Ref) ([]string, error) { return nil, p.err }

func (p pulls) Merge(context.Context, driver.Ref, driver.MergePull) (string, error) {
	return "", p.err
}

func (r runs) List(context.Context, driver.Repo, driver.RunFilter) ([]driver.Run, error) {
	return nil, r.err
}

func (r runs) Jobs(context.Context, driver.Repo, int64) ([]driver.Job, error) { return nil, r.err }

func (r runs) Log(context.Context, driver.Repo, int64) ([]byte, error) { return nil, r.err }

func (r runs) Artifacts(context.Context, driver.Repo, int64) ([]driver.Artifact, error) {
	return nil, r.err
}

func (r runs) Open(context.Context, driver.Repo, int64) ([]byte, error) { return nil, r.err }

func (r reviews) Submit(context.Context, driver.Ref, driver.NewReview) (driver.Review, error) {
	return driver.Review{}, r.err
}

func (r reviews) List(context.Context, driver.Ref) ([]driver.Review, error) { return nil, r.err }
