package state

import (
	"bytes"
	"fmt"
	"slices"
)

func (r reader) readArtifacts(im Image) error {
	for _, in := range im.Artifacts {
		x := &artifact{Artifact: in.Artifact}
		if err := put(r, nounArtifact, r.arts, in.ID, x); err != nil {
			return err
		}
	}
	return nil
}

func (r reader) readRuns(im Image) error {
	for _, in := range im.Runs {
		of, w := r.s.repos[key(in.Repo)], r.workflows[in.WorkflowID]
		if of == nil || w == nil || of.findPath(in.Workflow) != w {
			return fmt.Errorf("run %d is of workflow %d (%s) of %s, which is not there", in.ID, in.WorkflowID, in.Workflow, in.Repo)
		}
		if progress(in.Status) < 0 {
			return fmt.Errorf("run %d has status %q", in.ID, in.Status)
		}
		if len(in.Past) != in.Attempt-1 || in.Fresh < 1 || in.Fresh > in.Attempt {
			return fmt.Errorf("run %d has attempt %d after %d others, the last fresh one %d", in.ID, in.Attempt, len(in.Past), in.Fresh)
		}
		x := &run{Run: in.Run, workflow: w, repo: of, updated: in.Updated, past: slices.Clone(in.Past), fresh: in.Fresh}
		if err := put(r, nounRun, r.s.runs, in.ID, x); err != nil {
			return err
		}
		of.runs = append(of.runs, x)
		for _, id := range in.Arts {
			a := r.arts[id]
			if a == nil || a.RunID != in.ID || a.run != nil {
				return fmt.Errorf("run %d has artifact %d, which is not its own", in.ID, id)
			}
			a.run = x
			x.arts = append(x.arts, a)
			r.s.arts[id] = a
		}
	}
	return nil
}

// findPath finds a known workflow by its path.
func (r *repo) findPath(path string) *workflow {
	for _, w := range r.workflows {
		if w.path == path {
			return w
		}
	}
	return nil
}

func (r reader) readJobs(im Image) error {
	for _, in := range im.Jobs {
		of := r.s.runs[in.RunID]
		if of == nil || in.Repo != of.Repo || progress(in.Status) < 0 || in.Attempt < 1 || in.Attempt > of.Attempt {
			return fmt.Errorf("job %d is %q, of run %d of %s", in.ID, in.Status, in.RunID, in.Repo)
		}
		x := &job{Job: in.clone(), run: of, log: bytes.Clone(in.Log), spans: slices.Clone(in.Spans)}
		if err := put(r, nounJob, r.s.jobs, in.ID, x); err != nil {
			return err
		}
		of.jobs = append(of.jobs, x)
	}
	return nil
}

// whole looks for what no other record names.
func (r reader) whole(Image) error {
	for id, a := range r.arts {
		if a.run == nil {
			return fmt.Errorf("artifact %d belongs to no run", id)
		}
	}
	return nil
}
