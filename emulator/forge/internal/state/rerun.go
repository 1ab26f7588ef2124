package state

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/journal"
)

// Limits of re-runs.
// https://docs.github.com/en/actions/how-tos/manage-workflow-runs/re-run-workflows-and-jobs
const (
	maxReruns  = 50
	rerunnable = 30 * 24 * time.Hour
)

// What of a run is run again.
const (
	RerunAll    = "all"
	RerunFailed = "failed" // jobs, with those that need them
)

// Rerun begins the next attempt of a run that has ended, and asks whoever runs runs for it: the entry
// run.rerun says which jobs. what is one of the constants.
func (s *State) Rerun(who Identity, full string, id int64, what string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, x, err := s.run(who, full, WriteActions, id)
	if err != nil {
		return err
	}
	if what == RerunFailed && !slices.ContainsFunc(x.jobs, func(j *job) bool { return j.Attempt == x.Attempt && j.failed() }) {
		return wire.Forbidden("The workflow run has no failed jobs to re-run")
	}
	return s.rerun(who, x, what)
}

// RerunJob begins the next attempt of a run with one of its jobs and those that need it.
func (s *State) RerunJob(who Identity, full string, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, WriteActions)
	if err != nil {
		return err
	}
	j := s.jobs[id]
	if j == nil || j.run.repo != r {
		return wire.NotFound()
	}
	if j.Attempt != j.run.Attempt {
		return wire.Forbidden(fmt.Sprintf("Job %d belongs to attempt %d of its run, which is not the latest", id, j.Attempt))
	}
	return s.rerun(who, j.run, strconv.FormatInt(id, 10))
}

func (j *job) failed() bool { return j.Conclusion != "success" && j.Conclusion != "skipped" }

func (s *State) rerun(who Identity, x *run, what string) error {
	switch {
	case x.Status != completed:
		return wire.Forbidden("This workflow is already running")
	case x.Conclusion == "startup_failure":
		return wire.Forbidden("This workflow run cannot be retried")
	case s.now().Sub(x.Created) > rerunnable:
		return wire.Forbidden("Unable to retry this workflow run because it was created over a month ago")
	case len(x.past) >= maxReruns:
		return wire.Forbidden(fmt.Sprintf("This workflow run cannot be retried more than %d times", maxReruns))
	}
	origin := x.Cause
	if len(x.past) > 0 {
		origin = x.past[0].Cause
	}
	x.past = append(x.past, x.Run)
	x.Attempt++
	x.Status, x.Conclusion, x.Reason, x.Started, x.Completed = queued, "", "", time.Time{}, time.Time{}
	x.TriggeringActor, x.updated = who.Login, s.now()
	if what == RerunAll {
		x.fresh = x.Attempt
	}
	seq := s.jour.Append(journal.Entry{Time: s.now(), Kind: journal.Change, Type: "run.rerun", Cause: who.Cause, Actor: who.Login,
		Subject: fmt.Sprintf("run:%d", x.ID), Detail: map[string]string{
			"repo": x.Repo, "run": strconv.FormatInt(x.ID, 10), "attempt": strconv.Itoa(x.Attempt), "jobs": what,
			"workflow": x.Workflow, "event": x.Event, "head_sha": x.HeadSHA, "origin": origin,
		}})
	x.Cause = fmt.Sprintf("event:%d", seq)
	return nil
}

// Attempt returns a run as it was in one of its attempts.
func (s *State) Attempt(who Identity, full string, id int64, attempt int) (wire.Run, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, x, err := s.run(who, full, ReadActions, id)
	if err != nil {
		return wire.Run{}, err
	}
	switch {
	case attempt == x.Attempt:
		return s.viewRun(r, x), nil
	case attempt < 1 || attempt > x.Attempt:
		return wire.Run{}, wire.NotFound()
	}
	past := *x
	past.Run = x.past[attempt-1]
	past.updated = past.Completed
	return s.viewRun(r, &past), nil
}

// DeleteRun forgets a run that has ended, with its jobs and logs, and returns the ids of its artifacts, whose
// bytes are elsewhere.
func (s *State) DeleteRun(who Identity, full string, id int64) (artifacts []int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, err := s.ended(who, full, id)
	if err != nil {
		return nil, err
	}
	for _, j := range x.jobs {
		delete(s.jobs, j.ID)
	}
	for _, a := range x.arts {
		delete(s.arts, a.ID)
		artifacts = append(artifacts, a.ID)
	}
	for _, c := range x.repo.checks {
		if c.Suite == id {
			delete(s.checks, c.ID)
		}
	}
	x.repo.checks = slices.DeleteFunc(x.repo.checks, func(c *check) bool { return c.Suite == id })
	delete(s.runs, id)
	x.repo.runs = slices.DeleteFunc(x.repo.runs, func(y *run) bool { return y == x })
	s.led.Changed()
	return artifacts, nil
}

// DeleteLogs empties the logs of a run that has ended.
func (s *State) DeleteLogs(who Identity, full string, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	x, err := s.ended(who, full, id)
	if err != nil {
		return err
	}
	for _, j := range x.jobs {
		j.log, j.spans = nil, nil
	}
	s.led.Changed()
	return nil
}

// ended finds a run to be changed that is not under way.
func (s *State) ended(who Identity, full string, id int64) (*run, error) {
	_, x, err := s.run(who, full, WriteActions, id)
	if err != nil {
		return nil, err
	}
	if x.Status != completed {
		return nil, wire.Forbidden("Could not delete the workflow run")
	}
	return x, nil
}
