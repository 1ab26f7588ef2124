package state

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// Suite is the check runs of one app at a commit. Each run of a workflow is a suite, too, under its own id.
type Suite struct {
	ID         int64
	App        string
	HeadSHA    string
	HeadBranch string
	Created    time.Time
	Requested  bool // to be made again, and its app has not begun
}

type suite struct {
	Suite
	repo *repo
}

// actionsAppID is what GitHub Actions is known by as an app.
const actionsAppID = 15368

func appID(a *account) int64 {
	if a.login == ActionsLogin {
		return actionsAppID
	}
	return a.id
}

// viewActor is the app that acts as an account; a program that nobody made an app of is shown as one.
func (s *State) viewActor(login string) wire.App {
	a := s.accounts[key(login)]
	if a == nil { // it may have no account any more
		a = &account{login: login, kind: kindBot}
	}
	if x := s.apps[a.id]; x != nil {
		return s.viewApp(x)
	}
	slug := strings.TrimSuffix(a.login, "[bot]")
	description := ""
	v := wire.App{ID: appID(a), Slug: slug, Description: &description, Owner: s.viewLogin(a.login), Name: cmp.Or(a.name, slug),
		CreatedAt: wire.Time{Time: a.created}, UpdatedAt: wire.Time{Time: a.created}, Permissions: map[string]string{}, Events: []string{}}
	if a.login == ActionsLogin {
		v.Name = "GitHub Actions"
	}
	wire.LinkApp(s.base, &v)
	return v
}

// suiteFor returns the suite that a new check run of an app belongs to. One of GitHub Actions goes into the
// first of its suites at the commit, whichever job makes it.
func (s *State) suiteFor(r *repo, app *account, sha string) int64 {
	if app.login == ActionsLogin {
		for _, x := range r.runs {
			if x.HeadSHA == sha {
				return x.ID
			}
		}
	}
	for _, x := range r.suites {
		if x.App == app.login && x.HeadSHA == sha {
			return x.ID
		}
	}
	x := &suite{repo: r, Suite: Suite{ID: s.nextID(nounRun), App: app.login, HeadSHA: sha, HeadBranch: r.branchAt(sha), Created: s.now()}}
	s.suites[x.ID] = x
	r.suites = append(r.suites, x)
	return x.ID
}

// branchAt names a branch whose head a commit is; "" is none. The default branch comes first.
func (r *repo) branchAt(sha string) string {
	if r.refs["refs/heads/"+r.defaultBranch] == sha {
		return r.defaultBranch
	}
	for _, ref := range slices.Sorted(maps.Keys(r.refs)) {
		if name, ok := strings.CutPrefix(ref, "refs/heads/"); ok && r.refs[ref] == sha {
			return name
		}
	}
	return ""
}

// findSuite returns a suite of a repository: its own record, or the run that it is.
func (s *State) findSuite(r *repo, id int64) (*suite, *run) {
	if x := s.runs[id]; x != nil && x.repo == r {
		return nil, x
	}
	if x := s.suites[id]; x != nil && x.repo == r {
		return x, nil
	}
	return nil, nil
}

// CheckSuite returns one check suite, without its commit.
func (s *State) CheckSuite(who Identity, full string, id int64) (wire.CheckSuite, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadChecks)
	if err != nil {
		return wire.CheckSuite{}, err
	}
	v, ok := s.viewSuite(r, id)
	if !ok {
		return wire.CheckSuite{}, wire.NotFound()
	}
	v.Repository = s.eventRepo(r)
	return v, nil
}

// SuiteFilter selects check suites of a commit; zero fields select all.
type SuiteFilter struct {
	App  int64
	Name string // of a check run in it
}

// CheckSuites lists the suites of a commit, oldest first, without their commit.
func (s *State) CheckSuites(who Identity, full, sha string, f SuiteFilter) ([]wire.CheckSuite, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadChecks)
	if err != nil {
		return nil, err
	}
	var ids []int64
	for _, x := range r.runs {
		if x.HeadSHA == sha {
			ids = append(ids, x.ID)
		}
	}
	for _, x := range r.suites {
		if x.HeadSHA == sha {
			ids = append(ids, x.ID)
		}
	}
	slices.Sort(ids)
	out := []wire.CheckSuite{}
	for _, id := range ids {
		v, _ := s.viewSuite(r, id)
		v.Repository = s.eventRepo(r)
		named := func(c wire.CheckRun) bool { return c.Name == f.Name }
		if (f.App == 0 || v.App.ID == f.App) && (f.Name == "" || slices.ContainsFunc(s.checksOf(r, id), named)) {
			out = append(out, v)
		}
	}
	return out, nil
}

func (s *State) viewSuite(r *repo, id int64) (wire.CheckSuite, bool) {
	own, run := s.findSuite(r, id)
	u := s.base.API("/repos/%s/check-suites/%d", wire.EscapePath(r.fullName()), id)
	v := wire.CheckSuite{ID: id, NodeID: wire.NodeID("CheckSuite", id), URL: u, CheckRunsURL: u + "/check-runs", PullRequests: []struct{}{}}
	latest := latestChecks(s.checksOf(r, id))
	v.LatestCheckRunsCount = len(latest)
	switch {
	case run != nil:
		v.HeadBranch, v.HeadSHA, v.Status, v.Conclusion = optional(run.HeadBranch), run.HeadSHA, run.Status, optional(run.Conclusion)
		v.App, v.CreatedAt, v.UpdatedAt = s.viewActor(ActionsLogin), wire.Time{Time: run.Created}, wire.Time{Time: run.updated}
	case own != nil:
		v.HeadBranch, v.HeadSHA, v.App = optional(own.HeadBranch), own.HeadSHA, s.viewActor(own.App)
		v.CreatedAt, v.UpdatedAt = wire.Time{Time: own.Created}, wire.Time{Time: own.Created}
		if v.Status, v.Conclusion = sum(latest); own.Requested {
			v.Status, v.Conclusion = queued, nil
		}
		for _, c := range latest {
			if c.CompletedAt.After(v.UpdatedAt.Time) {
				v.UpdatedAt = c.CompletedAt
			}
		}
	default:
		return v, false
	}
	v.After = optional(v.HeadSHA)
	return v, true
}

// sum is what check runs come to: completed when all are, with the worst of their conclusions.
// https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/collaborating-on-repositories-with-code-quality-features/about-status-checks#check-statuses-and-conclusions
func sum(all []wire.CheckRun) (status string, conclusion *string) {
	order := []string{"skipped", "neutral", "success", "stale", "cancelled", "timed_out", "failure", "startup_failure", "action_required"}
	worst, going := -1, false
	for _, c := range all {
		if c.Status == inProgress {
			return inProgress, nil
		}
		going = going || c.Status != completed
		if c.Conclusion != nil {
			worst = max(worst, slices.Index(order, *c.Conclusion))
		}
	}
	switch {
	case worst < 0:
		return queued, nil
	case going:
		return inProgress, nil
	}
	return completed, &order[worst]
}

// suiteEnded announces that the last check run of an app's suite has completed.
func (s *State) suiteEnded(who Identity, x *check) {
	if v, ok := s.viewSuite(x.repo, x.Suite); ok && v.Status == completed && s.suites[x.Suite] != nil {
		v.HeadCommit = s.shortCommit(x.repo, v.HeadSHA)
		s.event(s.checking(who, x.repo, x.App, x.HeadSHA), x.repo, "check_suite", wire.Event{Action: completed, CheckSuite: &v}, fmt.Sprintf("check-suite:%d", x.Suite))
	}
}
