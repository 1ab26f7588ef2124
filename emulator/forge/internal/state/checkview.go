package state

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// CheckFilter selects check runs; zero fields select all.
type CheckFilter struct {
	App    int64
	Name   string
	Status string
	All    bool // also those that a later one of their name in the suite stands for
}

// SuiteChecks lists the check runs of a suite, newest first.
func (s *State) SuiteChecks(who Identity, full string, id int64, f CheckFilter) ([]wire.CheckRun, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadChecks)
	if err != nil {
		return nil, err
	}
	if own, run := s.findSuite(r, id); own == nil && run == nil {
		return nil, wire.NotFound()
	}
	return f.of(s.checksOf(r, id)), nil
}

// CommitChecks lists the check runs of a commit, newest first.
func (s *State) CommitChecks(who Identity, full, sha string, f CheckFilter) ([]wire.CheckRun, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadChecks)
	if err != nil {
		return nil, err
	}
	var all []wire.CheckRun
	for _, x := range r.runs {
		if x.HeadSHA == sha {
			for _, j := range x.jobs {
				all = append(all, s.viewJobCheck(r, j))
			}
		}
	}
	for _, c := range r.checks {
		if c.HeadSHA == sha {
			all = append(all, s.viewCheck(c))
		}
	}
	return f.of(all), nil
}

// of picks what the filter selects, newest first.
func (f CheckFilter) of(all []wire.CheckRun) []wire.CheckRun {
	if !f.All {
		all = latestChecks(all)
	}
	all = slices.DeleteFunc(all, func(c wire.CheckRun) bool {
		return f.App != 0 && c.App.ID != f.App || f.Name != "" && c.Name != f.Name || f.Status != "" && c.Status != f.Status
	})
	slices.SortFunc(all, func(a, b wire.CheckRun) int { return cmp.Compare(b.ID, a.ID) })
	if all == nil {
		all = []wire.CheckRun{}
	}
	return all
}

// latestChecks drops those whose name came again later in their suite, as with another attempt of a run.
func latestChecks(all []wire.CheckRun) []wire.CheckRun {
	type of struct {
		suite any
		app   int64
		name  string
	}
	last := map[of]int64{}
	for _, c := range all {
		k := of{c.CheckSuite, c.App.ID, c.Name}
		last[k] = max(last[k], c.ID)
	}
	return slices.DeleteFunc(slices.Clone(all), func(c wire.CheckRun) bool { return last[of{c.CheckSuite, c.App.ID, c.Name}] != c.ID })
}

// checksOf are the check runs of a suite, by id.
func (s *State) checksOf(r *repo, suite int64) []wire.CheckRun {
	var all []wire.CheckRun
	if x := s.runs[suite]; x != nil {
		for _, j := range x.jobs {
			all = append(all, s.viewJobCheck(r, j))
		}
	}
	for _, c := range r.checks {
		if c.Suite == suite {
			all = append(all, s.viewCheck(c))
		}
	}
	slices.SortFunc(all, func(a, b wire.CheckRun) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// CheckRun returns one check run.
func (s *State) CheckRun(who Identity, full string, id int64) (wire.CheckRun, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, _, err := s.checkRun(who, full, id)
	return v, err
}

// Annotations lists what a check run says about files.
func (s *State) Annotations(who Identity, full string, id int64) ([]wire.Annotation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, all, err := s.checkRun(who, full, id)
	if err != nil {
		return nil, err
	}
	out := []wire.Annotation{}
	for _, a := range all {
		out = append(out, wire.Annotation{Path: a.Path, BlobHref: s.base.HTML("/%s/blob/%s/%s", wire.EscapePath(s.repos[key(full)].fullName()), v.HeadSHA, wire.EscapePath(a.Path)),
			StartLine: a.StartLine, EndLine: a.EndLine, StartColumn: positive(a.StartColumn), EndColumn: positive(a.EndColumn),
			Level: a.Level, Title: &a.Title, Message: a.Message, RawDetails: &a.RawDetails})
	}
	return out, nil
}

func positive(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

func (s *State) checkRun(who Identity, full string, id int64) (wire.CheckRun, []Annotation, error) {
	r, err := s.open(who, full, ReadChecks)
	if err != nil {
		return wire.CheckRun{}, nil, err
	}
	if j := s.jobCheck(r, id); j != nil {
		return s.viewJobCheck(r, j), j.Annotations, nil
	}
	if c := s.checks[id]; c != nil && c.repo == r {
		return s.viewCheck(c), c.Annotations, nil
	}
	return wire.CheckRun{}, nil, wire.NotFound()
}

func (s *State) viewCheck(c *check) wire.CheckRun {
	v := s.newCheck(c.repo, c.ID, c.Suite, c.App)
	v.HeadSHA, v.ExternalID, v.Name = c.HeadSHA, c.ExternalID, c.Name
	v.HTMLURL = s.base.HTML("/%s/runs/%d", wire.EscapePath(c.repo.fullName()), c.ID)
	v.DetailsURL = cmp.Or(c.DetailsURL, v.App.ExternalURL)
	v.Status, v.Conclusion = c.Status, optional(c.Conclusion)
	v.StartedAt, v.CompletedAt = wire.Time{Time: c.Started}, wire.Time{Time: c.Completed}
	v.Output.Title, v.Output.Summary, v.Output.Text = optional(c.Title), optional(c.Summary), optional(c.Text)
	v.Output.AnnotationsCount = len(c.Annotations)
	return v
}

// viewJobCheck is a job as the check run that it is. It says nothing of its own: a job's summary is no
// part of it, as at GitHub.
func (s *State) viewJobCheck(r *repo, j *job) wire.CheckRun {
	v := s.newCheck(r, j.ID, j.RunID, ActionsLogin)
	v.HeadSHA, v.Name = j.run.HeadSHA, j.Name
	v.HTMLURL = s.base.HTML("/%s/actions/runs/%d/job/%d", wire.EscapePath(r.fullName()), j.RunID, j.ID)
	v.DetailsURL = v.HTMLURL
	v.Status, v.Conclusion = j.Status, optional(j.Conclusion)
	v.StartedAt, v.CompletedAt = wire.Time{Time: cmpTime(j.Started, j.Created)}, wire.Time{Time: j.Completed}
	v.Output.AnnotationsCount = len(j.Annotations)
	return v
}

func (s *State) newCheck(r *repo, id, suite int64, app string) wire.CheckRun {
	u := s.base.API("/repos/%s/check-runs/%d", wire.EscapePath(r.fullName()), id)
	return wire.CheckRun{ID: id, NodeID: wire.NodeID("CheckRun", id), URL: u, App: s.viewActor(app), PullRequests: []struct{}{},
		CheckSuite: wire.CheckSuiteID{ID: suite}, Output: wire.CheckOutput{AnnotationsURL: u + "/annotations"}}
}

// checking is who as the one behind an event about checks. They start no workflows where GitHub Actions has a
// part in the commit.
// https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows#check_run
func (s *State) checking(who Identity, r *repo, app, sha string) Identity {
	quiet := app == ActionsLogin || slices.ContainsFunc(r.runs, func(x *run) bool { return x.HeadSHA == sha })
	if quiet && (who.tok == nil || !who.tok.noRuns) {
		who.tok = &token{noRuns: true}
	}
	return who
}

// checkEvent is the webhook check_run of an app's.
// https://docs.github.com/en/webhooks/webhook-events-and-payloads#check_run
func (s *State) checkEvent(who Identity, x *check, action string) {
	s.announceCheck(s.checking(who, x.repo, x.App, x.HeadSHA), x.repo, s.viewCheck(x), x.Suite, action)
}

// announceJobCheck is the same of a job.
func (s *State) announceJobCheck(j *job, action string) {
	who := s.checking(Identity{Login: j.run.Actor, Cause: fmt.Sprintf("job:%d", j.ID)}, j.run.repo, ActionsLogin, "")
	v := s.viewJobCheck(j.run.repo, j)
	if action != completed {
		v.Status, v.Conclusion, v.CompletedAt = queued, nil, wire.Time{}
	}
	s.announceCheck(who, j.run.repo, v, j.RunID, cmp.Or(map[string]string{queued: "created"}[action], action))
}

// announceRunSuite is the webhook check_suite of a run that has ended.
// https://docs.github.com/en/webhooks/webhook-events-and-payloads#check_suite
func (s *State) announceRunSuite(x *run) {
	who := s.checking(Identity{Login: x.Actor, Cause: fmt.Sprintf("run:%d", x.ID)}, x.repo, ActionsLogin, "")
	v, _ := s.viewSuite(x.repo, x.ID)
	v.HeadCommit = s.shortCommit(x.repo, v.HeadSHA)
	s.event(who, x.repo, "check_suite", wire.Event{Action: completed, CheckSuite: &v}, fmt.Sprintf("check-suite:%d", x.ID))
}

func (s *State) announceCheck(who Identity, r *repo, v wire.CheckRun, suite int64, action string) {
	if in, ok := s.viewSuite(r, suite); ok {
		v.CheckSuite = wire.CheckRunSuite{CheckSuite: in}
	}
	s.event(who, r, "check_run", wire.Event{Action: action, CheckRun: &v}, fmt.Sprintf("check-run:%d", v.ID))
}
