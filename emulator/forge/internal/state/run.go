package state

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/journal"
)

// Run is one workflow run.
type Run struct {
	ID              int64
	Number          int
	Repo            string
	Workflow        string
	Name            string
	Title           string
	Event           string
	Actor           string
	Cause           string
	HeadSHA         string
	HeadBranch      string
	Status          string
	Conclusion      string
	Reason          string
	Created         time.Time
	Started         time.Time
	Completed       time.Time
	Attempt         int
	TriggeringActor string
}

type run struct {
	Run
	workflow *workflow
	repo     *repo
	updated  time.Time
	jobs     []*job             // of all attempts
	arts     []*artifact        // of all attempts
	past     []Run              // the attempts before this one, as they ended
	head     *wire.SimpleCommit // nil: not read yet
	fresh    int                // the last attempt that ran everything anew: what earlier ones left is not its own
}

const (
	queued     = "queued"
	inProgress = "in_progress"
	completed  = "completed"
)

// progress says how far a status is; -1 is no status.
func progress(status string) int {
	return slices.Index([]string{queued, inProgress, completed}, status)
}

// SaveRun stores a run; with ID 0 it is new and gets ID, number and time of creation. What it has
// passed since the last save is journalled. A run never goes back.
func (s *State) SaveRun(in Run) (Run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if progress(in.Status) < 0 {
		return Run{}, fmt.Errorf("run status %q: want queued, in_progress or completed", in.Status)
	}
	before := -1
	x := s.runs[in.ID]
	switch {
	case in.ID == 0:
		r := s.repos[key(in.Repo)]
		if r == nil {
			return Run{}, fmt.Errorf("repository %s: %w", in.Repo, driver.ErrNotFound)
		}
		w := s.workflow(r, in.Workflow)
		w.runs++
		in.ID, in.Number, in.Repo = s.runID(in), w.runs, r.fullName()
		if in.Created.IsZero() {
			in.Created = s.now()
		}
		in.Attempt, in.TriggeringActor = 1, cmp.Or(in.TriggeringActor, in.Actor)
		x = &run{workflow: w, repo: r, fresh: 1}
		r.runs = append(r.runs, x)
		slices.SortFunc(r.runs, func(a, b *run) int { return cmp.Compare(cmp.Or(a.ID, in.ID), cmp.Or(b.ID, in.ID)) })
		s.runs[in.ID] = x
	case x == nil:
		return Run{}, fmt.Errorf("run %d: %w", in.ID, driver.ErrNotFound)
	default:
		before = progress(x.Status)
		if progress(in.Status) < before {
			return Run{}, fmt.Errorf("run %d is %s and cannot become %s", in.ID, x.Status, in.Status)
		}
		in.Number, in.Repo, in.Workflow, in.Created = x.Number, x.Repo, x.Workflow, x.Created
		in.Attempt, in.TriggeringActor = x.Attempt, x.TriggeringActor
	}
	s.stamp(in.Status, &in.Started, &in.Completed)
	x.Run, x.updated = in, s.now()
	s.passed("run", in.ID, before, in.Status, in.Cause, in.Actor, map[string]string{
		"conclusion": in.Conclusion, "workflow": in.Workflow, "event": in.Event, "repo": in.Repo, "reason": in.Reason, "name": in.Name, "attempt": laterAttempt(in.Attempt),
	}, func(action string) { s.announceRun(x, action) })
	return in, nil
}

// runID is the id of a new run: the one that was promised, or the next.
func (s *State) runID(in Run) int64 {
	id, ok := s.promised[in.Cause]
	if !ok || in.Event != "workflow_dispatch" {
		return s.nextID(nounRun)
	}
	delete(s.promised, in.Cause)
	return id
}

// laterAttempt is the number of an attempt after the first, as journal entries have it.
func laterAttempt(n int) string {
	if n < 2 {
		return ""
	}
	return strconv.Itoa(n)
}

// stamp sets the times that a status implies, where the caller gave none.
func (s *State) stamp(status string, started, ended *time.Time) {
	if progress(status) >= progress(inProgress) && started.IsZero() {
		*started = s.now()
	}
	if status == completed && ended.IsZero() {
		*ended = s.now()
	}
}

// announceRun is the webhook workflow_run. GitHub names the first of its actions "requested".
// https://docs.github.com/en/webhooks/webhook-events-and-payloads#workflow_run
func (s *State) announceRun(x *run, action string) {
	if action == queued {
		action = "requested"
	}
	who := Identity{Login: x.Actor, Cause: fmt.Sprintf("run:%d", x.ID)}
	v, w := s.viewRun(x.repo, x), s.viewWorkflow(x.repo, x.workflow)
	if action != completed {
		v.Status, v.Conclusion = action, nil
		if action == "requested" {
			v.Status = queued
		}
	}
	w.Name = cmp.Or(x.Name, w.Name)
	s.event(who, x.repo, "workflow_run", wire.Event{Action: action, WorkflowRun: &wire.EventRun{Run: v}, Workflow: &w}, fmt.Sprintf("run:%d", x.ID))
	if action == completed {
		s.announceRunSuite(x)
	}
}

// passed journals the statuses between before and status: created, started, completed. Each is
// announced under the name of the status.
func (s *State) passed(
	noun string, id int64, before int, status, cause, actor string, detail map[string]string, announce func(action string),
) {
	for p := before + 1; p <= progress(status); p++ {
		// What completes without having begun, such as a skipped job, has not started.
		if p == progress(inProgress) && status == completed && before < progress(queued) {
			continue
		}
		d := map[string]string{}
		for k, v := range detail {
			if v != "" && (p == progress(completed) || k != "conclusion" && k != "reason") {
				d[k] = v
			}
		}
		s.jour.Append(journal.Entry{
			Time: s.now(), Kind: journal.Change, Type: noun + []string{".created", ".started", ".completed"}[p],
			Cause: cause, Actor: actor, Subject: fmt.Sprintf("%s:%d", noun, id), Detail: d,
		})
		announce([]string{queued, inProgress, completed}[p])
	}
}

// RunFilter selects runs; empty fields select all.
type RunFilter struct {
	Workflow string // id or file name
	Branch   string
	Event    string
	Status   string // a status or a conclusion
	Actor    string
	HeadSHA  string
}

// Runs lists the runs of a repository, newest first.
func (s *State) Runs(who Identity, full string, f RunFilter) ([]wire.Run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadActions)
	if err != nil {
		return nil, err
	}
	if f.Workflow != "" && r.findWorkflow(f.Workflow) == nil {
		return nil, wire.NotFound()
	}
	out := []wire.Run{}
	for _, x := range slices.Backward(r.runs) {
		if x.matches(f) {
			out = append(out, s.viewRun(r, x))
		}
	}
	return out, nil
}

func (x *run) matches(f RunFilter) bool {
	is := func(want, got string) bool { return want == "" || want == got }
	return (f.Workflow == "" || x.repo.findWorkflow(f.Workflow) == x.workflow) &&
		is(f.Branch, x.HeadBranch) && is(f.Event, x.Event) && is(key(f.Actor), key(x.Actor)) && is(f.HeadSHA, x.HeadSHA) &&
		(is(f.Status, x.Status) || is(f.Status, x.Conclusion))
}

// Run returns one run.
func (s *State) Run(who Identity, full string, id int64) (wire.Run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, x, err := s.run(who, full, ReadActions, id)
	if err != nil {
		return wire.Run{}, err
	}
	return s.viewRun(r, x), nil
}

// Usage tells how long the latest attempt of a run took, or has taken.
func (s *State) Usage(who Identity, full string, id int64) (wire.RunUsage, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, x, err := s.run(who, full, ReadActions, id)
	if err != nil || x.Started.IsZero() {
		return wire.RunUsage{}, err
	}
	return wire.RunUsage{Duration: cmpTime(x.Completed, s.now()).Sub(x.Started).Milliseconds()}, nil
}

func (s *State) run(who Identity, full string, need Need, id int64) (*repo, *run, error) {
	r, err := s.open(who, full, need)
	if err != nil {
		return nil, nil, err
	}
	x := s.runs[id]
	if x == nil || x.repo != r {
		return nil, nil, wire.NotFound()
	}
	return r, x, nil
}

func (s *State) viewRun(r *repo, x *run) wire.Run {
	full := wire.EscapePath(r.fullName())
	u := s.base.API("/repos/%s/actions/runs/%d", full, x.ID)
	repo := s.viewRepo(r).ShortRepository
	if x.head == nil {
		x.head = s.shortCommit(r, x.HeadSHA)
	}
	previous := ""
	if x.Attempt > 1 {
		previous = fmt.Sprintf("%s/attempts/%d", u, x.Attempt-1)
	}
	return wire.Run{
		ID: x.ID, Name: cmp.Or(x.Name, x.Workflow), NodeID: wire.NodeID("WorkflowRun", x.ID), HeadBranch: x.HeadBranch, HeadSHA: x.HeadSHA,
		Path: x.Workflow, DisplayTitle: cmp.Or(x.Title, x.Name, x.Workflow), RunNumber: x.Number, Event: x.Event,
		Status: x.Status, Conclusion: optional(x.Conclusion), WorkflowID: x.workflow.id,
		URL: u, HTMLURL: s.base.HTML("/%s/actions/runs/%d", full, x.ID), PullRequests: []struct{}{},
		CreatedAt: wire.Time{Time: x.Created}, UpdatedAt: wire.Time{Time: x.updated},
		RunStartedAt: wire.Time{Time: cmpTime(x.Started, x.Created)},
		Actor:        s.viewLogin(x.Actor), TriggeringActor: s.viewLogin(x.TriggeringActor), RunAttempt: x.Attempt, PreviousURL: optional(previous),
		JobsURL: u + "/jobs", LogsURL: u + "/logs", ArtifactsURL: u + "/artifacts", CancelURL: u + "/cancel", RerunURL: u + "/rerun",
		CheckSuiteID: x.ID, CheckSuiteNode: wire.NodeID("CheckSuite", x.ID), Referenced: []struct{}{},
		CheckSuiteURL: s.base.API("/repos/%s/check-suites/%d", full, x.ID),
		WorkflowURL:   s.base.API("/repos/%s/actions/workflows/%d", full, x.workflow.id),
		Repository:    &repo, HeadRepository: &repo, HeadCommit: x.head, Cause: x.Cause,
	}
}

// shortCommit is a commit in short, or nil when it cannot be read.
func (s *State) shortCommit(r *repo, sha string) *wire.SimpleCommit {
	if s.head == nil {
		return nil
	}
	return s.head(r.id, sha)
}

func cmpTime(a, b time.Time) time.Time {
	if a.IsZero() {
		return b
	}
	return a
}

// forgetRuns drops the runs of a repository with all that they left. The caller holds the lock.
func (s *State) forgetRuns(r *repo) {
	for _, x := range r.runs {
		delete(s.runs, x.ID)
		for _, j := range x.jobs {
			delete(s.jobs, j.ID)
		}
		for _, a := range x.arts {
			delete(s.arts, a.ID)
		}
	}
	for _, c := range r.checks {
		delete(s.checks, c.ID)
	}
	for _, x := range r.suites {
		delete(s.suites, x.ID)
	}
}

var errLogFull = errors.New("log is full")
