package forge

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
)

// Run is one workflow run.
type Run struct {
	ID              int64
	Number          int // per workflow, from 1
	Repo            string
	Workflow        string // path of the file
	Name            string
	Title           string
	Event           string
	Actor           string // login
	Cause           string // "event:41"
	HeadSHA         string
	HeadBranch      string
	Status          string // queued, in_progress, completed
	Conclusion      string // success, failure, cancelled, skipped, startup_failure, timed_out, action_required
	Reason          string // why it failed before any job ran
	Created         time.Time
	Started         time.Time
	Completed       time.Time
	Attempt         int    // from 1; each re-run is one more
	TriggeringActor string // login of who asked for this attempt; Actor is who caused the first
}

// Job is one job of a run, or one cell of its matrix.
type Job struct {
	ID          int64
	RunID       int64
	Repo        string
	Key         string // id in the file
	Name        string // as shown
	Status      string // queued, in_progress, completed
	Conclusion  string
	TimedOut    bool   // it was ended at timeout-minutes
	Error       string // the last words of the log of the step that failed first
	Permissions map[string]string
	Steps       []Step
	Created     time.Time
	Started     time.Time
	Completed   time.Time
	Attempt     int   // of the run; the host gives it
	Kept        int64 // job of an earlier attempt that was not run again: this one has its result and log; 0 is none
	Annotations []Annotation
}

// Annotation is what a job says about lines of a file, by a workflow command or because a step failed.
type Annotation struct {
	Level       string // notice, warning, failure
	Path        string
	StartLine   int
	EndLine     int
	StartColumn int // 0 is none
	EndColumn   int
	Title       string
	Message     string
	RawDetails  string
	Step        int // that said it; 0 is the job itself
}

// Step is one step of a job.
type Step struct {
	Number     int
	Name       string
	Status     string
	Conclusion string // success, failure, skipped, cancelled
	Started    time.Time
	Completed  time.Time
	Summary    string // Markdown that it left in $GITHUB_STEP_SUMMARY
}

// Artifact is a bundle of files that a run left.
type Artifact struct {
	ID      int64
	RunID   int64
	JobID   int64
	Repo    string
	Name    string
	Size    int64
	Digest  string // "sha256:…" of the zip
	Expires time.Time
	Created time.Time
	Attempt int // of the run; the host gives it
}

// SaveRun stores a run. With ID 0 it is created and gets ID, number and time. It journals
// run.created, run.started and run.completed as the run first reaches them; a run never goes back.
func (a *Admin) SaveRun(r Run) (Run, error) {
	out, err := a.state.SaveRun(state.Run(r))
	return Run(out), wrap("save run", err)
}

// SaveJob stores a job of a run that exists, likewise. A run shows its jobs in the order they were
// created.
func (a *Admin) SaveJob(j Job) (Job, error) {
	in := state.Job{ID: j.ID, RunID: j.RunID, Key: j.Key, Name: j.Name, Status: j.Status, Conclusion: j.Conclusion,
		TimedOut: j.TimedOut, Error: j.Error, Permissions: j.Permissions, Created: j.Created, Started: j.Started, Completed: j.Completed, Kept: j.Kept}
	for _, s := range j.Steps {
		in.Steps = append(in.Steps, state.Step(s))
	}
	for _, n := range j.Annotations {
		in.Annotations = append(in.Annotations, state.Annotation(n))
	}
	out, err := a.state.SaveJob(in)
	if err != nil {
		return Job{}, wrap("save job", err)
	}
	j.ID, j.RunID, j.Repo, j.Attempt = out.ID, out.RunID, out.Repo, out.Attempt
	j.Created, j.Started, j.Completed = out.Created, out.Started, out.Completed
	return j, nil
}

// CancelRuns ends all runs and jobs that are under way as cancelled, for reason: those who ran them are
// gone. It is for a forge that started from what another left.
func (a *Admin) CancelRuns(reason string) error {
	return wrap("cancel runs", a.state.CancelRuns(reason))
}

// AppendLog adds to a job's log.
func (a *Admin) AppendLog(job int64, chunk []byte) error {
	return wrap("append log", a.state.AppendLog(job, chunk))
}

// PutArtifact stores the zip of an artifact of a run, and returns it with ID, size and digest. A
// digest that is given must be right; a run has one artifact of a name.
func (a *Admin) PutArtifact(in Artifact, zip io.Reader) (Artifact, error) {
	out, err := a.putArtifact(in, zip)
	return out, wrap(fmt.Sprintf("put artifact %q", in.Name), err)
}

func (a *Admin) putArtifact(in Artifact, zip io.Reader) (Artifact, error) {
	id, err := a.state.ClaimArtifact(state.Artifact(in))
	if err != nil {
		return Artifact{}, err
	}
	size, digest, err := store(a.artifactPath(id), zip)
	if err == nil && in.Digest != "" && in.Digest != digest {
		err = fmt.Errorf("digest is %s, not %s", digest, in.Digest)
	}
	var out state.Artifact
	if err == nil {
		in.ID, in.Size, in.Digest = id, size, digest
		out, err = a.state.AddArtifact(state.Artifact(in))
	}
	if err != nil {
		os.Remove(a.artifactPath(id))
		return Artifact{}, err
	}
	return Artifact(out), nil
}

func store(path string, from io.Reader) (size int64, digest string, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, "", err
	}
	h := sha256.New()
	size, err = io.Copy(io.MultiWriter(f, h), from)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return size, "sha256:" + hex.EncodeToString(h.Sum(nil)), err
}

func (a *Admin) artifactPath(id int64) string { return artifactPath(a.dir, id) }

func artifactPath(dir string, id int64) string {
	return filepath.Join(dir, "artifacts", strconv.FormatInt(id, 10)+".zip")
}

// Artifacts lists the artifacts of a run, oldest first; none for a run that is not there.
func (a *Admin) Artifacts(run int64) []Artifact {
	var out []Artifact
	for _, x := range a.state.RunArtifacts(run) {
		out = append(out, Artifact(x))
	}
	return out
}

// OpenArtifact returns the zip of an artifact. The caller closes it.
func (a *Admin) OpenArtifact(id int64) (io.ReadCloser, error) {
	f, err := openStored(a.artifactPath(id))
	return f, wrap(fmt.Sprintf("open artifact %d", id), err)
}

// openStored opens what store has stored.
func openStored(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, driver.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// DeleteArtifact removes an artifact.
func (a *Admin) DeleteArtifact(id int64) error {
	err := a.state.DropArtifact(id)
	if err == nil {
		err = a.removeArtifact(id)
	}
	return wrap("delete artifact", err)
}

func (a *Admin) removeArtifact(id int64) error { return os.Remove(a.artifactPath(id)) }
