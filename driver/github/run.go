package github

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path"

	"github.com/understudy-dev/understudy/driver"
)

type runs struct{ c *client }

type wireRun struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	Path       string `json:"path"`
	Event      string `json:"event"`
	Status     string `json:"status"`
	Conclusion string `json:"conclusion"`
	HeadSHA    string `json:"head_sha"`
	HTMLURL    string `json:"html_url"`
	Actor      struct {
		Login string `json:"login"`
	} `json:"actor"`
	// Cause is ours: only the local forge gives it.
	Cause *string `json:"understudy_cause"`
}

// List selects by workflow, event and actor at the forge. A Cause filter needs the local forge's
// own field; where a run lacks it the answer is ErrUnsupported.
func (s runs) List(ctx context.Context, r driver.Repo, f driver.RunFilter) ([]driver.Run, error) {
	target := repoPath(r, "/actions/runs")
	if f.Workflow != "" {
		target = repoPath(r, "/actions/workflows/%s/runs", f.Workflow)
	}
	q := url.Values{}
	if f.Event != "" {
		q.Set("event", f.Event)
	}
	if f.Actor != "" {
		q.Set("actor", f.Actor)
	}
	if len(q) > 0 {
		target += "?" + q.Encode()
	}
	out := []driver.Run{}
	err := s.c.pages(ctx, target, func(raw []byte) error {
		var page struct {
			Runs []wireRun `json:"workflow_runs"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return err
		}
		for _, w := range page.Runs {
			if f.Cause != "" && w.Cause == nil {
				return fmt.Errorf("select runs by cause: %w", driver.ErrUnsupported)
			}
			run := w.run()
			if f.Cause == "" || run.Cause == f.Cause {
				out = append(out, run)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list runs of %s: %w", r, err)
	}
	return out, nil
}

func (w wireRun) run() driver.Run {
	out := driver.Run{
		ID: w.ID, Workflow: path.Base(w.Path), Name: w.Name, Event: w.Event, Actor: w.Actor.Login,
		Status: w.Status, Conclusion: w.Conclusion, HeadSHA: w.HeadSHA, URL: w.HTMLURL,
	}
	if w.Cause != nil {
		out.Cause = driver.Cause(*w.Cause)
	}
	return out
}

func (s runs) Jobs(ctx context.Context, r driver.Repo, run int64) ([]driver.Job, error) {
	out := []driver.Job{}
	err := s.c.pages(ctx, repoPath(r, "/actions/runs/%d/jobs", run), func(raw []byte) error {
		var page struct {
			Jobs []struct {
				ID         int64  `json:"id"`
				Name       string `json:"name"`
				Status     string `json:"status"`
				Conclusion string `json:"conclusion"`
				Steps      []struct {
					Number     int    `json:"number"`
					Name       string `json:"name"`
					Status     string `json:"status"`
					Conclusion string `json:"conclusion"`
				} `json:"steps"`
			} `json:"jobs"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return err
		}
		for _, w := range page.Jobs {
			j := driver.Job{ID: w.ID, Name: w.Name, Status: w.Status, Conclusion: w.Conclusion}
			for _, st := range w.Steps {
				j.Steps = append(j.Steps, driver.JobStep(st))
			}
			out = append(out, j)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list jobs of run %d of %s: %w", run, r, err)
	}
	return out, nil
}

func (s runs) Log(ctx context.Context, r driver.Repo, job int64) ([]byte, error) {
	var out []byte
	if _, err := s.c.do(ctx, http.MethodGet, repoPath(r, "/actions/jobs/%d/logs", job), nil, &out); err != nil {
		return nil, fmt.Errorf("read log of job %d of %s: %w", job, r, err)
	}
	return out, nil
}

func (s runs) Artifacts(ctx context.Context, r driver.Repo, run int64) ([]driver.Artifact, error) {
	out := []driver.Artifact{}
	err := s.c.pages(ctx, repoPath(r, "/actions/runs/%d/artifacts", run), func(raw []byte) error {
		var page struct {
			Artifacts []struct {
				ID     int64  `json:"id"`
				Name   string `json:"name"`
				Size   int64  `json:"size_in_bytes"`
				Digest string `json:"digest"`
			} `json:"artifacts"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return err
		}
		for _, w := range page.Artifacts {
			out = append(out, driver.Artifact{ID: w.ID, Name: w.Name, Run: run, Size: w.Size, Digest: w.Digest})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list artifacts of run %d of %s: %w", run, r, err)
	}
	return out, nil
}

func (s runs) Open(ctx context.Context, r driver.Repo, artifact int64) ([]byte, error) {
	var out []byte
	if _, err := s.c.do(ctx, http.MethodGet, repoPath(r, "/actions/artifacts/%d/zip", artifact), nil, &out); err != nil {
		return nil, fmt.Errorf("read artifact %d of %s: %w", artifact, r, err)
	}
	return out, nil
}
