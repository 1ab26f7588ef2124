// Package run runs one agent in its place and judges what it left.
//
// The place is a directory of its own, an environment built from nothing, and the policy proxy as
// the way out. That keeps an honest agent in; it is no security boundary.
package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.com/crew/internal/config"
	"example.com/crew/internal/defect"
	"example.com/crew/internal/harness"
	"example.com/crew/internal/policy"
	"example.com/crew/internal/schema"
)

// Options say what to run and where. All but the proxies and the defect must be given.
type Options struct {
	Agent    string
	Issue    int
	Checkout string                                                // of the repository the agent works for
	Output   string                                                // what is uploaded afterwards; replaced
	Temp     string                                                // the agent's place is made in here and removed again
	Path     string                                                // the agent's PATH
	Fetch    func(ctx context.Context, url string) ([]byte, error) // files of harnesses that live elsewhere; nil has none
	HTTP     *url.URL
	HTTPS    *url.URL
	Defect   defect.Name
	Log      io.Writer
}

const (
	limit      = 10 * time.Minute
	iterations = 1
)

// Run runs the agent once. The record is written to the output directory whatever happens, and
// returned; the error is nil, or why the status is Broken.
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
	entry, ok := c.Agents[o.Agent]
	if !ok {
		return fmt.Errorf("agent %q is not configured; %s has: %s", o.Agent, c.Source,
			strings.Join(slices.Sorted(maps.Keys(c.Agents)), ", "))
	}
	// Read before the agent can touch them.
	loader := harness.Loader{Dir: c.Dir, Fetch: o.Fetch, Defect: o.Defect}
	h, err := loader.Load(ctx, o.Agent, entry.Source)
	if err != nil {
		return err
	}
	check, err := compile(ctx, loader, h)
	if err != nil {
		return err
	}
	place, err := os.MkdirTemp(o.Temp, "crew-"+o.Agent+"-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(place)
	if err := iterate(ctx, c, o, place, rec); err != nil {
		return err
	}
	if err := writeMetrics(c, o, place); err != nil {
		return err
	}
	if check == nil {
		rec.Status = Succeeded
		return nil
	}
	failure := check.Check(workspace(place))
	if _, ok := errors.AsType[schema.Failure](failure); !ok && failure != nil {
		return fmt.Errorf("validate the result: %w", failure)
	}
	rec.Status = Succeeded
	if failure != nil && o.Defect != defect.SchemaCheckKilled {
		rec.Status, rec.Message = Invalid, "Validation failed: "+failure.Error()
	}
	return nil
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

// iterate lets the agent work once, behind the proxy, and collects what it left.
func iterate(ctx context.Context, c config.Config, o Options, place string, rec *Record) error {
	proxy, err := policy.Start(policy.Options{Hosts: c.AllowedHosts, HTTP: o.HTTP, HTTPS: o.HTTPS})
	if err != nil {
		return fmt.Errorf("start the policy proxy: %w", err)
	}
	dir := IterationDir(o.Output, iterations)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return errors.Join(err, proxy.Close())
	}
	code, err := start(ctx, c, o, place, proxy.URL())
	// Closed first, so that the record is final.
	err = errors.Join(err, proxy.Close(), writeJSON(o.Output, PolicyFile, proxy.Record()))
	if err != nil {
		return err
	}
	rec.Iteration, rec.AgentExit = iterations, code
	if code != 0 {
		fmt.Fprintf(o.Log, "::warning::the agent ended with exit code %d\n", code)
	}
	return collect(workspace(place), dir, o.Log)
}

func workspace(place string) string { return filepath.Join(place, "workspace") }

func writeMetrics(c config.Config, o Options, place string) error {
	m := Metrics{Runtime: c.Runtime, RequestedRuntime: c.Runtime, RuntimeSource: c.From("runtime"), Iterations: iterations}
	var results struct {
		Operations []json.RawMessage `json:"operations"`
	}
	// An agent that leaves no such file, or another, made no tool calls that we know of.
	if data, err := os.ReadFile(filepath.Join(IterationDir(o.Output, iterations), resultsFile)); err == nil {
		if json.Unmarshal(data, &results) == nil {
			m.ToolCalls = len(results.Operations)
		}
	}
	return writeJSON(o.Output, MetricsFile, m)
}
