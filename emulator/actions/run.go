package actions

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/understudy-dev/understudy/emulator/actions/internal/expr"
	"github.com/understudy-dev/understudy/emulator/actions/internal/workflow"
	"github.com/understudy-dev/understudy/internal/ledger"
)

// Statuses and conclusions of runs, jobs and steps, as GitHub writes them.
const (
	queued     = "queued"
	inProgress = "in_progress"
	completed  = "completed"

	success        = "success"
	failure        = "failure"
	cancelled      = "cancelled"
	skipped        = "skipped"
	startupFailure = "startup_failure"
	actionRequired = "action_required"
)

// run is one workflow run. Everything but cancel is used by one goroutine: first the engine's
// reader, then the run's own.
type run struct {
	e      *Engine
	h      happening
	file   File
	wf     *workflow.Workflow
	vars   *expr.Object // nil when the host does not tell
	inputs any
	rec    Run
	ob     *ledger.Obligation
	rest   rest
	place  *ticket // in the workflow's concurrency group; nil without one
	group  string

	src   Source
	root  *graph      // nil until the run is prepared
	again *again      // nil in a run's first attempt
	told  chan func() // what others have for the run's goroutine to do

	cancelOnce sync.Once
	cancelling chan struct{} // closed by cancel
	forceOnce  sync.Once
	forcing    context.Context // ends with force
	kill       context.CancelFunc
}

func newRun(e *Engine, h happening, src Source, f File, wf *workflow.Workflow) *run {
	r := &run{
		e: e, h: h, file: f, wf: wf,
		src: src, told: make(chan func()), cancelling: make(chan struct{}),
	}
	r.forcing, r.kill = context.WithCancel(context.Background())
	if src.Variables != nil {
		r.vars = expr.Strings(src.Variables)
	}
	head, headSHA := shortRef(h.ref), h.sha
	if h.pull != nil {
		head = h.pull.head
		if h.name != "pull_request_target" && h.pull.headSHA != "" {
			headSHA = h.pull.headSHA
		}
	}
	r.rec = Run{
		Repo: h.repo, Workflow: f.Path, Name: wf.Name, Title: h.title(wf), Event: h.name, Actor: h.actor,
		Cause: "event:" + strconv.FormatUint(h.seq, 10), HeadSHA: headSHA, HeadBranch: head, Status: queued, Created: e.o.Now(),
		Attempt: 1, TriggeringActor: h.actor,
	}
	if !h.due.IsZero() {
		r.rec.Created, r.rec.Started = h.due, h.due
	}
	return r
}

// shortRef is a ref as people say it: "main", "v1", "7/merge".
func shortRef(ref string) string {
	for _, prefix := range []string{"refs/heads/", "refs/tags/", "refs/pull/"} {
		ref = strings.TrimPrefix(ref, prefix)
	}
	return ref
}

// save stores the run; the host's answer carries its id and number.
func (r *run) save() error {
	rec, err := r.e.o.Host.SaveRun(context.WithoutCancel(r.e.ctx), r.rec)
	if err != nil {
		return fmt.Errorf("save run of %s: %w", r.file.Path, err)
	}
	r.rec = rec
	return nil
}

// open creates the run and takes on its obligation. The caller's own keeps the ledger from being
// quiet until then.
func (r *run) open() error {
	if err := r.save(); err != nil {
		return err
	}
	r.ob = r.e.o.Ledger.OpenOf(fmt.Sprintf("run:%d", r.rec.ID), fmt.Sprintf("run %d %s", r.rec.ID, r.file.Path))
	r.rest.own(r.e, r.ob)
	r.e.lengthen("run:", r.rec.ID, r.h.chain)
	if r.h.depth > 0 {
		r.e.mu.Lock()
		r.e.depths[r.rec.ID] = r.h.depth
		r.e.mu.Unlock()
	}
	return nil
}

// refuse ends the run before any job.
func (r *run) refuse(reason string) error {
	if err := r.open(); err != nil {
		return err
	}
	defer r.ob.Close()
	return r.fail(reason)
}

// hold ends the run before any job until somebody approves it.
// https://docs.github.com/en/actions/how-tos/manage-workflow-runs/approve-runs-from-forks
func (r *run) hold() error {
	if err := r.open(); err != nil {
		return err
	}
	defer r.ob.Close()
	r.rec.Reason = "it waits for approval"
	return r.complete(actionRequired)
}

func (r *run) fail(reason string) error {
	r.rec.Reason = reason
	return r.complete(startupFailure)
}

func (r *run) complete(conclusion string) error {
	r.rec.Status, r.rec.Conclusion, r.rec.Completed = completed, conclusion, r.e.o.Now()
	if r.rec.Started.IsZero() {
		r.rec.Started = r.rec.Completed
	}
	return r.save()
}

// start creates the run, takes its place in the concurrency group and lets it go.
func (r *run) start() error {
	if err := r.open(); err != nil {
		return err
	}
	if reason := r.prepare(); reason != "" {
		defer r.ob.Close()
		return r.fail(reason)
	}
	r.e.mu.Lock()
	r.e.runs[r.rec.ID] = r
	r.e.mu.Unlock()
	r.e.wg.Go(r.drive)
	return nil
}

// prepare evaluates what belongs to the run as a whole, and returns why it cannot start.
func (r *run) prepare() string {
	var err error
	if r.inputs, err = r.h.inputs(r.wf); err != nil {
		return fmt.Sprintf("%s:1: %v", r.file.Path, err)
	}
	v := &resolver{r: r, found: map[string]bool{}}
	file, err := v.resolve(r.src, r.rec.Repo, r.file, r.wf, r.src.permissions(), []string{strings.ToLower(r.rec.Repo) + "/" + r.file.Path + "@" + r.src.SHA})
	if err != nil {
		return err.Error()
	}
	scope := r.scope(nil)
	if r.wf.RunName != nil {
		v, err := r.wf.RunName.Eval(scope)
		if err != nil {
			return fmt.Sprintf("%s:1: run-name: %v", r.file.Path, err)
		}
		if title := strings.TrimSpace(expr.String(v)); title != "" {
			r.rec.Title = title
		}
	}
	if c := r.wf.Concurrency; c != nil {
		name, cancelRunning, err := r.groupOf(c, scope)
		if err != nil {
			return fmt.Sprintf("%s:%d: %v", r.file.Path, c.Line, err)
		}
		r.group = name
		r.place = r.e.groups.enter(name, cancelRunning, r.cancel, &r.rest)
	}
	r.root = r.newGraph(file, r.inputs, nil)
	return ""
}

// groupOf evaluates a concurrency group. Its name is without regard to case and belongs to the
// repository.
func (r *run) groupOf(c *workflow.Concurrency, s expr.Scope) (name string, cancelRunning bool, err error) {
	group, err := c.Group.Eval(s)
	if err != nil {
		return "", false, fmt.Errorf("concurrency group: %w", err)
	}
	stop, err := c.Cancel.Eval(s)
	if err != nil {
		return "", false, fmt.Errorf("cancel-in-progress: %w", err)
	}
	if expr.String(group) == "" {
		return "", false, fmt.Errorf("concurrency group is empty")
	}
	return r.rec.Repo + "\n" + strings.ToLower(expr.String(group)), truth(stop), nil
}

// cancel asks the run to end. It may be called from anywhere, more than once.
func (r *run) cancel() {
	r.cancelOnce.Do(func() {
		r.rest.signal()
		close(r.cancelling)
	})
}

// force asks the run to end at once: jobs with `if: always()` do not run either, and those that run get
// no time.
func (r *run) force() {
	r.forceOnce.Do(func() {
		r.rest.signal()
		r.kill()
	})
	r.cancel()
}

// drive takes the run to its end.
func (r *run) drive() {
	defer r.ob.Close()
	defer r.e.groups.leave(r.place)
	defer func() {
		r.e.mu.Lock()
		delete(r.e.runs, r.rec.ID)
		r.e.mu.Unlock()
	}()
	if !r.wait() {
		r.remember()
		r.end(cancelled)
		return
	}
	r.rec.Status = inProgress
	if r.h.due.IsZero() || r.again != nil {
		r.rec.Started = r.e.o.Now()
	}
	if err := r.save(); err != nil {
		r.e.broken(err)
		return
	}
	r.loop()
	r.remember()
	r.end(r.root.conclusion())
}

func (r *run) end(conclusion string) {
	if err := r.complete(conclusion); err != nil {
		r.e.broken(err)
	}
}

// wait returns when it is the run's turn in its concurrency group; false when it was cancelled.
func (r *run) wait() bool {
	if r.place == nil {
		return true
	}
	r.rest.sleep()
	defer r.rest.awake()
	select {
	case <-r.place.ready:
		r.rest.taken()
		return true
	case <-r.cancelling:
	case <-r.e.ctx.Done():
	}
	return false
}

// loop begins jobs as their needs end, until none is left.
func (r *run) loop() {
	cancelling, forcing, closing := r.cancelling, r.forcing.Done(), r.e.ctx.Done()
	for {
		r.root.advance()
		if !r.root.busy() {
			return
		}
		r.rest.sleep()
		select {
		case do := <-r.told:
			r.rest.awake()
			do()
		case <-cancelling:
			r.rest.awake()
			r.rest.taken()
			cancelling = nil
			r.root.stop()
		case <-forcing:
			r.rest.awake()
			r.rest.taken()
			forcing = nil
			r.root.stop()
		case <-closing:
			r.rest.awake()
			closing = nil
			r.root.stop()
		}
	}
}
