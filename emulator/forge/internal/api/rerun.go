package api

import (
	"errors"
	"net/http"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func (a *API) rerun(what string) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		return again(c, func(id int64) error { return a.State.Rerun(c.who, c.repo(), id, what) })
	}
}

func (a *API) rerunJob(c *call) (answer, error) {
	return again(c, func(id int64) error { return a.State.RerunJob(c.who, c.repo(), id) })
}

func again(c *call, do func(id int64) error) (answer, error) {
	id, err := c.number("id")
	if err != nil {
		return answer{}, err
	}
	var in struct {
		Debug bool `json:"enable_debug_logging"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	if in.Debug {
		return answer{}, wire.Unsupported("body field enable_debug_logging of " + c.route.method + " " + c.route.pattern)
	}
	if err := do(id); err != nil {
		return answer{}, err
	}
	return answer{status: http.StatusCreated, body: struct{}{}}, nil
}

// attempt reads the two numbers of a run's attempt.
func (c *call) attempt() (id int64, attempt int, err error) {
	id, err = c.number("id")
	n, err2 := c.number("attempt")
	if err = errors.Join(err, err2); err != nil || n < 1 || n > 1<<30 {
		return 0, 0, wire.NotFound()
	}
	return id, int(n), nil
}

func (a *API) getAttempt(c *call) (answer, error) {
	id, n, err := c.attempt()
	if err != nil {
		return answer{}, err
	}
	return answered(a.State.Attempt(c.who, c.repo(), id, n))
}

func (a *API) attemptJobs(c *call) (answer, error) {
	_, n, err := c.attempt()
	if err != nil {
		return answer{}, err
	}
	return a.listJobs(c, n)
}

func (a *API) deleteLogs(c *call) (answer, error) {
	id, err := c.number("id")
	if err != nil {
		return answer{}, err
	}
	return done(a.State.DeleteLogs(c.who, c.repo(), id))
}

func (a *API) deleteRun(c *call) (answer, error) {
	id, err := c.number("id")
	if err != nil {
		return answer{}, err
	}
	left, err := a.State.DeleteRun(c.who, c.repo(), id)
	for _, artifact := range left {
		err = errors.Join(err, a.DropArtifact(artifact))
	}
	return done(err)
}
