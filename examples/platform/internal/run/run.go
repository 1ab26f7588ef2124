// Package run runs one agent in its place and judges what it left.
//
// The place is a directory of its own, an environment built from nothing, and the policy proxy as
// the way out. That keeps an honest agent in; it is no security boundary.
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"example.com/crew/internal/config"
	"example.com/crew/internal/current"
	"example.com/crew/internal/defect"
	"example.com/crew/internal/harness"
	"example.com/crew/internal/playlist"
	"example.com/crew/internal/policy"
	"example.com/crew/internal/schema"
	"example.com/crew/internal/selection"
)

// Options say what to run and where. All but the selection's layers, the payload, the proxies and
// the defect must be given.
type Options struct {
	Agent       string
	Issue       int
	Repo        string                                                // owner/name
	Round       int                                                   // of the recorded results that this run replays; 0 is that none was taken
	Payload     string                                                // what the agent is told of the event: a JSON text; "" is nothing
	Flags       selection.Values                                      // what the command line says of runtime, model and effort
	Environment selection.Values                                      // what the job's environment says of them
	Checkout    string                                                // of the repository the agent works for
	Output      string                                                // what is uploaded afterwards; replaced
	Temp        string                                                // the agent's place is made in here and removed again
	Path        string                                                // the agent's PATH
	Fetch       func(ctx context.Context, url string) ([]byte, error) // files of harnesses that live elsewhere; nil has none
	HTTP        *url.URL
	HTTPS       *url.URL
	Defect      defect.Name
	Log         io.Writer
}

const limit = 10 * time.Minute // of one iteration

// task is one run.
type task struct {
	Options
	config   config.Config
	harness  harness.Harness
	selected selection.Selection
	check    *schema.Schema // nil: the result is not judged
	place    string
	hosts    []string // that the agent may reach
	proxy    string
	event    *event // nil: the agent is told of none
	metrics  Metrics
}

// Run runs the agent until its result is valid, at most as often as its harness says. The record is
// written to the output directory whatever happens, and returned; the error is nil, or why the status
// is Broken.
func Run(ctx context.Context, c config.Config, o Options) (Record, error) {
	rec := Record{Agent: o.Agent, Issue: o.Issue, Status: Broken, Runtime: c.Runtime}
	// What a checkout brings along under this name is not ours.
	if err := os.RemoveAll(o.Output); err != nil {
		return rec, err
	}
	if err := os.MkdirAll(o.Output, 0o755); err != nil {
		return rec, err
	}
	err := run(ctx, c, o, &rec)
	if err != nil {
		rec.Status, rec.Message = Broken, err.Error()
	}
	return rec, errors.Join(err, writeJSON(o.Output, RecordFile, rec))
}

func run(ctx context.Context, c config.Config, o Options, rec *Record) error {
	t := &task{Options: o, config: c}
	var err error
	if rec.Config, err = current.Hashes(c.Dir); err != nil {
		return err
	}
	if err := t.prepare(ctx); err != nil {
		return err
	}
	rec.Runtime = t.selected.Runtime.Value
	if t.place, err = os.MkdirTemp(o.Temp, "crew-"+o.Agent+"-"); err != nil {
		return err
	}
	defer os.RemoveAll(t.place)
	proxy, err := policy.Start(policy.Options{Hosts: t.hosts, HTTP: o.HTTP, HTTPS: o.HTTPS, Defect: o.Defect})
	if err != nil {
		return fmt.Errorf("start the policy proxy: %w", err)
	}
	t.proxy = proxy.URL()
	err = t.iterate(ctx, rec)
	// Closed first, so that the record is final.
	err = errors.Join(err, proxy.Close(), writeJSON(o.Output, PolicyFile, proxy.Record()))
	if t.metrics.Iterations == 0 {
		return err // nothing ran
	}
	return errors.Join(err, writeJSON(o.Output, MetricsFile, t.metrics))
}

// prepare reads everything before the agent can touch it, so that what is wrong is said before it
// starts.
func (t *task) prepare(ctx context.Context) error {
	entry, ok := t.config.Agents[t.Agent]
	if !ok {
		return fmt.Errorf("agent %q is not configured; %s has: %s", t.Agent, t.config.Source,
			strings.Join(slices.Sorted(maps.Keys(t.config.Agents)), ", "))
	}
	loader := harness.Loader{Dir: t.config.Dir, Fetch: t.Fetch, Defect: t.Defect}
	var err error
	if t.harness, err = loader.Load(ctx, t.Agent, entry.Source); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(t.harness.Env)) {
		if reserved(name) {
			return fmt.Errorf("%s: env %s is crew's own to set", t.harness.Source, name)
		}
	}
	if t.check, err = compile(ctx, loader, t.harness); err != nil {
		return err
	}
	if t.hosts, err = t.reachable(ctx, loader); err != nil {
		return err
	}
	t.selected, err = selection.Select(ctx, selection.Options{
		Agent: t.Agent, Flags: t.Flags, Environment: t.Environment, Config: t.config,
		Harness: t.harness, Loader: loader, Defect: t.Defect,
	})
	if err != nil {
		return err
	}
	if t.event, err = readEvent(t.Payload); err != nil {
		return err
	}
	if t.selected.Runtime.Value == playlist.Runtime {
		if err := t.cue(); err != nil {
			return err
		}
	}
	t.metrics = newMetrics(t.selected)
	if t.Defect == defect.MetricsMissingSource {
		t.metrics.RuntimeSource = ""
	}
	return nil
}

// reachable returns the hosts that the agent may reach: those of the configuration, or what the harness's policy
// leaves of them.
func (t *task) reachable(ctx context.Context, l harness.Loader) ([]string, error) {
	if t.harness.Policy.Path == "" || t.Defect == defect.PolicyFileIgnored {
		return t.config.AllowedHosts, nil
	}
	data, err := l.Read(ctx, t.harness.Policy)
	if err != nil {
		return nil, fmt.Errorf("read the policy: %w", err)
	}
	f, err := policy.Parse(t.harness.Policy.Path, data)
	if err != nil {
		return nil, err
	}
	if t.Defect == defect.PolicyFileWidens {
		return f.Wide(t.config.AllowedHosts), nil
	}
	return f.Narrow(t.config.AllowedHosts)
}

// cue looks whether there is a recorded result for this round, so that the end of a playlist is told as
// what it is.
func (t *task) cue() error {
	if t.Defect == defect.PlaybackRoundRepeated {
		t.Round = min(t.Round, 1)
	}
	_, err := playlist.Load(t.config.Dir, t.Agent, t.Round)
	if ended, ok := errors.AsType[playlist.Ended](err); ok && t.Defect == defect.PlaybackEndIgnored {
		t.Round = ended.Has
		return nil
	}
	return err
}

// compile returns the schema of an agent's result, nil when it has none.
func compile(ctx context.Context, l harness.Loader, h harness.Harness) (*schema.Schema, error) {
	if h.Schema.Path == "" {
		return nil, nil
	}
	data, err := l.Read(ctx, h.Schema)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	return schema.Compile(h.Schema.Path, data)
}

// iterate lets the agent work until its result is valid or it was asked often enough. The record
// speaks of the last iteration: none before it left a valid result.
func (t *task) iterate(ctx context.Context, rec *Record) error {
	most := t.harness.MaxIterations
	if t.Defect == defect.SecondIterationSkipped {
		most = 1
	}
	feedback := ""
	for n := 1; n <= most; n++ {
		code, err := t.start(ctx, n, feedback)
		if err != nil {
			return err
		}
		rec.Iteration, rec.AgentExit = n, code
		if code != 0 {
			fmt.Fprintf(t.Log, "::warning::the agent ended with exit code %d\n", code)
		}
		failure, err := t.judge(n)
		if err != nil {
			return err
		}
		t.metrics.Iterations = n
		if failure == nil || t.Defect == defect.SchemaCheckKilled {
			rec.Status, rec.Message = Succeeded, ""
			if t.Defect == defect.IterationResultsMixed {
				rec.Iteration = 1
			}
			return nil
		}
		feedback = failure.Error()
		rec.Status, rec.Message = Invalid, "Validation failed: "+feedback
		if n < most {
			fmt.Fprintf(t.Log, "::warning::iteration %d: %s\n", n, oneLine(rec.Message))
		}
	}
	return nil
}

// judge collects what the n-th iteration left. The first result says what is wrong with it; the
// error means that it could not be looked at.
func (t *task) judge(n int) (failure, err error) {
	dir := IterationDir(t.Output, n)
	if failure, err = collect(workspace(t.place), dir, t.Defect); err != nil {
		return nil, err
	}
	if err := t.measure(dir); err != nil {
		return nil, err
	}
	if failure != nil || t.check == nil {
		return failure, nil
	}
	failure = t.check.Check(dir) // what is uploaded is what was judged, whatever an agent left running
	if _, ok := errors.AsType[schema.Failure](failure); !ok && failure != nil {
		return nil, fmt.Errorf("validate the result: %w", failure)
	}
	return failure, nil
}
