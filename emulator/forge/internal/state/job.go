package state

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/journal"
)

// Job is one job of a run, or one cell of its matrix.
type Job struct {
	ID          int64
	RunID       int64
	Repo        string
	Key         string
	Name        string
	Status      string
	Conclusion  string
	TimedOut    bool
	Error       string
	Permissions map[string]string
	Steps       []Step
	Created     time.Time
	Started     time.Time
	Completed   time.Time
	Attempt     int
	Kept        int64
	Annotations []Annotation
}

// Step is one step of a job.
type Step struct {
	Number     int
	Name       string
	Status     string
	Conclusion string
	Started    time.Time
	Completed  time.Time
	Summary    string // Markdown that it left in $GITHUB_STEP_SUMMARY
}

type job struct {
	Job
	run   *run
	log   []byte
	spans []Span // of the steps, by number as they came
}

// Span is where a step's part of its job's log begins and ends.
type Span struct{ Number, From, To int }

// take makes in the job's record, and notes where the log stands as steps begin and end. It is called when the log up to there is in.
func (j *job) take(in Job) {
	j.Job = in.clone()
	for _, st := range j.Steps {
		i := slices.IndexFunc(j.spans, func(s Span) bool { return s.Number == st.Number })
		if i < 0 {
			i, j.spans = len(j.spans), append(j.spans, Span{Number: st.Number, From: len(j.log), To: -1})
		}
		if st.Status == completed && j.spans[i].To < 0 {
			j.spans[i].To = len(j.log)
		}
	}
}

// maxLog bounds what one job can keep in memory.
const maxLog = 64 << 20

// SaveJob stores a job; with ID 0 it is new. What it has passed since the last save is journalled.
func (s *State) SaveJob(in Job) (Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if progress(in.Status) < 0 {
		return Job{}, fmt.Errorf("job status %q: want queued, in_progress or completed", in.Status)
	}
	before := -1
	x := s.jobs[in.ID]
	switch {
	case in.ID == 0:
		parent := s.runs[in.RunID]
		if parent == nil {
			return Job{}, fmt.Errorf("run %d: %w", in.RunID, driver.ErrNotFound)
		}
		in.ID, in.Attempt = s.nextID(nounJob), parent.Attempt
		if in.Created.IsZero() {
			in.Created = s.now()
		}
		x = &job{run: parent}
		if from := s.jobs[in.Kept]; from != nil {
			x.log, x.spans = slices.Clip(from.log), slices.Clone(from.spans)
		}
		parent.jobs = append(parent.jobs, x)
		s.jobs[in.ID] = x
	case x == nil:
		return Job{}, fmt.Errorf("job %d: %w", in.ID, driver.ErrNotFound)
	default:
		before = progress(x.Status)
		if progress(in.Status) < before {
			return Job{}, fmt.Errorf("job %d is %s and cannot become %s", in.ID, x.Status, in.Status)
		}
		in.RunID, in.Created, in.Attempt, in.Kept = x.RunID, x.Created, x.Attempt, x.Kept
	}
	in.Repo = x.run.Repo
	s.stamp(in.Status, &in.Started, &in.Completed)
	x.take(in)
	if in.Kept != 0 {
		s.noteKept(x)
		return in, nil
	}
	failed := ""
	for _, st := range in.Steps {
		if st.Conclusion == "failure" && failed == "" {
			failed = st.Name
		}
	}
	detail := map[string]string{"name": in.Name, "repo": in.Repo, "conclusion": in.Conclusion}
	if in.Status == completed && failed != "" {
		detail["failed_step"] = failed
	}
	if in.Status == completed && in.TimedOut {
		detail["timed_out"] = "true"
	}
	if in.Status == completed && in.Error != "" {
		detail["error"] = in.Error
	}
	s.passed("job", in.ID, before, in.Status, fmt.Sprintf("run:%d", in.RunID), x.run.Actor, detail, func(action string) {
		s.announceJob(x, action)
	})
	return in, nil
}

// noteKept journals a job that stands for one of an earlier attempt.
func (s *State) noteKept(x *job) {
	s.jour.Append(journal.Entry{Time: s.now(), Kind: journal.Change, Type: "job.kept", Cause: fmt.Sprintf("run:%d", x.RunID),
		Actor: x.run.Actor, Subject: fmt.Sprintf("job:%d", x.ID),
		Detail: map[string]string{"name": x.Name, "repo": x.Repo, "conclusion": x.Conclusion, "job": strconv.FormatInt(x.Kept, 10)}})
}

// announceJob is the webhook workflow_job.
// https://docs.github.com/en/webhooks/webhook-events-and-payloads#workflow_job
func (s *State) announceJob(x *job, action string) {
	r := x.run.repo
	v := s.viewJob(r, x)
	if action != completed {
		v.Status, v.Conclusion = action, nil
	}
	who := Identity{Login: x.run.Actor, Cause: fmt.Sprintf("job:%d", x.ID)}
	s.event(who, r, "workflow_job", wire.Event{Action: action, WorkflowJob: &v}, fmt.Sprintf("job:%d", x.ID))
	if action != inProgress { // the check run that the job is has no such event
		s.announceJobCheck(x, action)
	}
}

func (j Job) clone() Job {
	j.Steps, j.Permissions, j.Annotations = slices.Clone(j.Steps), maps.Clone(j.Permissions), slices.Clone(j.Annotations)
	return j
}

// AppendLog adds to a job's log.
func (s *State) AppendLog(id int64, chunk []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.jobs[id]
	if x == nil {
		return fmt.Errorf("job %d: %w", id, driver.ErrNotFound)
	}
	if len(x.log)+len(chunk) > maxLog {
		return fmt.Errorf("job %d: %w: %d bytes is the most", id, errLogFull, maxLog)
	}
	x.log = append(x.log, chunk...)
	return nil
}

// Jobs lists the jobs of one attempt of a run in the order they were created; attempt 0 is the latest,
// -1 are all.
func (s *State) Jobs(who Identity, full string, runID int64, attempt int) ([]wire.Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, x, err := s.run(who, full, ReadActions, runID)
	if err != nil {
		return nil, err
	}
	out := []wire.Job{}
	if attempt == 0 {
		attempt = x.Attempt
	}
	if attempt > x.Attempt || attempt < -1 {
		return nil, wire.NotFound()
	}
	for _, j := range x.jobs {
		if attempt == -1 || j.Attempt == attempt {
			out = append(out, s.viewJob(r, j))
		}
	}
	return out, nil
}

// Job returns one job.
func (s *State) Job(who Identity, full string, id int64) (wire.Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, j, err := s.job(who, full, id)
	if err != nil {
		return wire.Job{}, err
	}
	return s.viewJob(r, j), nil
}

func (s *State) job(who Identity, full string, id int64) (*repo, *job, error) {
	r, err := s.open(who, full, ReadActions)
	if err != nil {
		return nil, nil, err
	}
	j := s.jobs[id]
	if j == nil || j.run.repo != r {
		return nil, nil, wire.NotFound()
	}
	return r, j, nil
}

// SeeLog answers nil when who may read the log of a job. Logs are for those who are signed in.
func (s *State) SeeLog(who Identity, full string, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, _, err := s.job(who, full, id); err != nil {
		return err
	}
	if who.Anonymous() {
		return wire.NeedsAdmin()
	}
	return nil
}

// Log returns the log of a job as far as it is written.
func (s *State) Log(id int64) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.jobs[id]
	if j == nil {
		return nil, wire.NotFound()
	}
	return slices.Clone(j.log), nil
}

func (s *State) viewJob(r *repo, j *job) wire.Job {
	full := wire.EscapePath(r.fullName())
	steps := []wire.Step{}
	for _, st := range j.Steps {
		steps = append(steps, wire.Step{Name: st.Name, Status: st.Status, Conclusion: optional(st.Conclusion), Number: st.Number,
			StartedAt: wire.Time{Time: st.Started}, CompletedAt: wire.Time{Time: st.Completed}})
	}
	return wire.Job{
		ID: j.ID, RunID: j.RunID, RunURL: s.base.API("/repos/%s/actions/runs/%d", full, j.RunID), RunAttempt: j.Attempt,
		NodeID: wire.NodeID("CheckRun", j.ID), HeadSHA: j.run.HeadSHA, HeadBranch: j.run.HeadBranch,
		URL:     s.base.API("/repos/%s/actions/jobs/%d", full, j.ID),
		HTMLURL: s.base.HTML("/%s/actions/runs/%d/job/%d", full, j.RunID, j.ID),
		Status:  j.Status, Conclusion: optional(j.Conclusion), CreatedAt: wire.Time{Time: j.Created},
		StartedAt: wire.Time{Time: cmpTime(j.Started, j.Created)}, CompletedAt: wire.Time{Time: j.Completed}, Name: j.Name, Steps: steps,
		CheckRunURL: s.base.API("/repos/%s/check-runs/%d", full, j.ID), Labels: []string{}, WorkflowName: j.run.Name,
	}
}
