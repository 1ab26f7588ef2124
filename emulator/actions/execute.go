package actions

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/actions/internal/expr"
	"github.com/understudy-dev/understudy/internal/jobwire"
)

// stopGrace is how long a cancelled job may go on: its steps with `if: always()` run in it.
const stopGrace = 10 * time.Second

// execute runs the cell in a process of its own. It returns the conclusion, and why when the
// runner did not give it.
func (c *cell) execute() (conclusion, why string) {
	e, ctx := c.node.r.e, context.WithoutCancel(c.ctx)
	grant, err := e.o.Host.Grant(ctx, c.rec)
	if err != nil {
		return failure, fmt.Sprintf("grant: %v", err)
	}
	defer func() {
		if err := e.o.Host.Revoke(ctx, grant.Token); err != nil {
			e.broken(fmt.Errorf("revoke the token of job %s: %w", c.rec.Name, err))
		}
	}()
	dir, err := os.MkdirTemp(e.o.Dir, fmt.Sprintf("job-%d-", c.rec.ID))
	if err != nil {
		return failure, err.Error()
	}
	defer func() {
		if err := remove(dir); err != nil {
			e.o.Log.Warn("job directory not removed", "job", c.rec.ID, "error", err)
		}
	}()
	if grant.Secrets, err = c.node.g.secretsOf(grant.Secrets); err != nil {
		return failure, fmt.Sprintf("job %s: %v", c.node.job.Key, err)
	}
	if grant.Secrets == nil {
		grant.Secrets = map[string]string{}
	}
	maps.Copy(grant.Secrets, grant.EnvironmentSecrets)
	spec, err := c.spec(grant, dir)
	if err != nil {
		return failure, err.Error()
	}
	c.rec.Status, c.rec.Started = inProgress, e.o.Now()
	if err := c.save(); err != nil {
		e.broken(err)
		return cancelled, ""
	}
	e.lengthen("job:", c.rec.ID, c.node.r.h.chain)
	e.mu.Lock()
	e.cells[c.rec.ID] = c
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		delete(e.cells, c.rec.ID)
		e.mu.Unlock()
	}()
	out := newOutput(c, grant, spec.RuntimeToken, spec.IDToken)
	exit, err := c.process(ctx, spec, dir, out)
	out.flush()
	if err != nil {
		return failure, out.masks.Hide(fmt.Sprintf("start the runner: %v", err))
	}
	c.outputs = out.outputs()
	return c.judge(out, exit)
}

// judge makes a conclusion of what the runner said and how it ended.
func (c *cell) judge(out *output, exit driver.Exit) (conclusion, why string) {
	done := out.done
	switch {
	case exit.Kind == driver.TimedOut:
		c.rec.TimedOut = true
		return cancelled, fmt.Sprintf("The job has exceeded the maximum execution time of %s minutes.", expr.String(c.minutes))
	case out.err != nil && !c.gone():
		return failure, out.masks.Hide(fmt.Sprintf("runner: %v", out.err))
	case done == nil && c.gone():
		return cancelled, "The operation was canceled."
	case done == nil:
		return failure, out.masks.Hide(fmt.Sprintf("runner ended: %s, without a result; %s", exit, out.stderr.describe()))
	case done.Error != "":
		return failure, out.masks.Hide("runner: " + done.Error)
	case c.gone() && done.Conclusion == failure:
		return cancelled, "The operation was canceled."
	}
	return done.Conclusion, ""
}

func (c *cell) gone() bool { return c.ctx.Err() != nil }

// process starts the runner and returns when it has ended and its output was applied.
func (c *cell) process(ctx context.Context, spec jobwire.Spec, dir string, out *output) (driver.Exit, error) {
	input, err := json.Marshal(spec)
	if err != nil {
		return driver.Exit{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.limit())
	defer cancel()
	e := c.node.r.e
	p, err := e.o.Launcher.Start(ctx, driver.Spec{
		Argv: []string{e.o.Runner, "run"}, Dir: dir, Env: list(spec.Env),
		Stdin: bytes.NewReader(input), Stdout: out, Stderr: &out.stderr,
	})
	if err != nil {
		return driver.Exit{}, err
	}
	stopped := make(chan struct{})
	watch := context.AfterFunc(c.ctx, func() {
		defer close(stopped)
		grace, cancel := context.WithTimeout(ctx, stopGrace)
		defer context.AfterFunc(c.node.r.forcing, cancel)()
		if e.ctx.Err() != nil {
			cancel() // the engine closes: nobody will look at what `if: always()` steps still do
		}
		defer cancel()
		if err := p.Stop(grace); err != nil {
			e.o.Log.Info("job stopped by force", "job", c.rec.ID, "error", err)
		}
	})
	exit, err := p.Wait(ctx)
	if !watch() {
		<-stopped
	}
	return exit, err
}

// spec tells the runner everything it may know.
func (c *cell) spec(g Grant, dir string) (jobwire.Spec, error) {
	r := c.node.r
	work, home := filepath.Join(dir, "work"), filepath.Join(dir, "home")
	for _, d := range []string{work, home} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return jobwire.Spec{}, err
		}
	}
	env := maps.Clone(r.e.o.Env)
	if env == nil {
		env = map[string]string{}
	}
	env["HOME"] = home
	spec := jobwire.Spec{
		Workflow: c.node.g.file.Data, WorkflowPath: c.node.g.file.Path, WorkflowName: r.wf.Name, Job: c.node.job.Key, Needs: c.node.needs(),
		Event: r.h.name, Payload: r.h.raw, Repo: r.rec.Repo, Ref: r.h.ref, SHA: r.h.sha, Actor: r.rec.Actor,
		RunID: r.rec.ID, RunNumber: r.rec.Number, RunAttempt: r.rec.Attempt, TriggeringActor: r.rec.TriggeringActor, JobID: c.rec.ID,
		ServerURL: r.e.o.ServerURL, APIURL: r.e.o.APIURL, ResultsURL: r.e.o.ServerURL + "/",
		Token: g.Token, Secrets: g.Secrets, Variables: g.Variables, Env: env, Dir: work,
	}
	if r.e.minute != time.Minute {
		spec.Minute = r.e.minute
	}
	if c.matrix != nil {
		spec.Cell = expr.Plain(c.matrix).(map[string]any) // an object always becomes a map
	}
	spec.Contexts = map[string]json.RawMessage{"inputs": json.RawMessage(expr.ToJSON(c.node.g.inputs))}
	if c.strategy != nil {
		spec.Contexts["strategy"] = json.RawMessage(expr.ToJSON(c.strategy))
	}
	return spec, c.tokens(&spec)
}

// tokens gives the job what it talks to the kit's own services with.
func (c *cell) tokens(spec *jobwire.Spec) (err error) {
	e := c.node.r.e
	claims := runtimeClaims{
		Run: c.node.r.rec.ID, Job: c.rec.ID, Repo: c.node.r.rec.Repo, Issued: e.o.Now(), Expires: e.o.Now().Add(c.limit() + time.Hour),
		Caches: c.node.r.cacheScopes(),
	}
	if spec.RuntimeToken, err = e.mint(e.tokenKey, claims, "ACTIONS_RUNTIME_TOKEN"); err != nil {
		return err
	}
	if c.rec.Permissions["id-token"] == "write" {
		spec.IDTokenURL = fmt.Sprintf("%s%s/token?job=%d", e.o.ServerURL, identityPrefix, c.rec.ID) // clients add &audience=
		spec.IDToken, err = e.mint(e.idKey, claims, "ACTIONS_ID_TOKEN_REQUEST_TOKEN")
	}
	return err
}

func (e *Engine) mint(key []byte, claims runtimeClaims, name string) (string, error) {
	token, err := signToken(key, claims)
	if err == nil && e.o.Secret != nil {
		err = e.o.Secret(token, name)
	}
	return token, err
}

func list(env map[string]string) []string {
	out := make([]string, 0, len(env))
	for _, k := range slices.Sorted(maps.Keys(env)) {
		out = append(out, k+"="+env[k])
	}
	return out
}

// remove deletes a job's directory, also where the job has left directories that cannot be written
// (Go's module cache is one).
func remove(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(path, 0o700) // before it is listed
		}
		return err
	})
	if err != nil {
		return err
	}
	return os.RemoveAll(dir)
}
