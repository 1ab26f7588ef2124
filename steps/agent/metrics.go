package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/world"
)

// figures are the metrics of one run of an agent.
type figures struct {
	key string // names the run, for people
	doc any
}

// field is a figure, "" where there is none.
func (f figures) field(keys string) (string, error) {
	if keys == "" {
		return "", errors.New("the platform file does not say, in metrics, where this figure is")
	}
	switch v, _ := follow(f.doc, keys); v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	default:
		return fmt.Sprint(v), nil
	}
}

// measured waits for the metrics of each run of the agent named last, and holds check to each.
func measured(ctx context.Context, check func(ctx context.Context, w *world.World, f figures) error) error {
	w := world.From(ctx)
	name := w.Drivers().Platform.Metrics.File
	if name == "" {
		return errors.New("the platform file names no metrics.file, where a run's figures are")
	}
	return w.Until(ctx, func(ctx context.Context) error {
		all, hint, err := leftBy(ctx, w)
		if err != nil {
			return err
		}
		var found []figures
		seen := []string{}
		for _, r := range all {
			for _, p := range slices.Sorted(maps.Keys(r.files)) {
				seen = append(seen, base(p))
				if base(p) != name {
					continue
				}
				f := figures{key: fmt.Sprintf("run:%d %s %s", r.run, r.artifact, p)}
				if err := json.Unmarshal(r.files[p], &f.doc); err != nil {
					return fmt.Errorf("%s: %w", f.key, err)
				}
				found = append(found, f)
			}
		}
		if len(found) == 0 {
			return match.Hint(w.Expect(ctx, "run.files", seen, match.Contains(name)), hint)
		}
		for _, f := range found {
			if err := check(ctx, w, f); err != nil {
				return err
			}
		}
		return nil
	})
}

// leftBy reads the artifacts of the agent named last after the last stimulus, or of all.
func leftBy(ctx context.Context, w *world.World) (found []runResult, hint string, err error) {
	stimulus, err := world.Shared[driver.Cause](ctx, world.TheStimulus)
	if err != nil {
		return nil, "", err
	}
	found, others, err := artifacts(ctx, w, stimulus, world.AgentOf(ctx, stimulus))
	if err == nil && len(found) == 0 {
		hint = "the last stimulus led to no artifact of the agent"
		if len(others) > 0 {
			hint += "; it led to " + strings.Join(others, "; ")
		}
	}
	return found, hint, err
}

// expect holds a figure to what it should be.
func expect(ctx context.Context, w *world.World, f figures, subject, keys string, want match.Matcher) error {
	got, err := f.field(keys)
	if err != nil {
		return fmt.Errorf("%s: %w", subject, err)
	}
	return w.ExpectKey(ctx, subject, f.key, got, want)
}

func selected(ctx context.Context, runtime, source string) error {
	m := world.From(ctx).Drivers().Platform.Metrics
	return measured(ctx, func(ctx context.Context, w *world.World, f figures) error {
		if err := expect(ctx, w, f, "run.runtime", m.Runtime, match.Equal(runtime)); err != nil || source == "" {
			return err
		}
		return expectEnd(ctx, w, f, "run.runtime-source", m.RuntimeSource, source)
	})
}

// expectEnd holds the end of a figure to a text.
func expectEnd(ctx context.Context, w *world.World, f figures, subject, keys, end string) error {
	return expect(ctx, w, f, subject, keys, match.Regexp(regexp.MustCompile(`(?s).*`+regexp.QuoteMeta(end))))
}

func modelled(ctx context.Context, model, source, reported string) error {
	m := world.From(ctx).Drivers().Platform.Metrics
	return measured(ctx, func(ctx context.Context, w *world.World, f figures) error {
		if err := expect(ctx, w, f, "run.requested-model", m.RequestedModel, match.Equal(model)); err != nil {
			return err
		}
		if err := expectEnd(ctx, w, f, "run.model-source", m.ModelSource, source); err != nil {
			return err
		}
		if err := expect(ctx, w, f, "run.model", m.Model, match.Contains(reported)); err != nil {
			return err
		}
		return positive(ctx, w, f, "run.turns", m.Turns)
	})
}

func tokens(ctx context.Context) error {
	m := world.From(ctx).Drivers().Platform.Metrics
	if len(m.Tokens) == 0 {
		return errors.New("the platform file does not say, in metrics.tokens, where the counts of tokens are")
	}
	return measured(ctx, func(ctx context.Context, w *world.World, f figures) error {
		return positive(ctx, w, f, "run.tokens", m.Tokens...)
	})
}

// positive holds the sum of figures to be more than nothing.
func positive(ctx context.Context, w *world.World, f figures, subject string, keys ...string) error {
	sum := 0.0
	for _, k := range keys {
		if k == "" {
			return fmt.Errorf("%s: the platform file does not say, in metrics, where this figure is", subject)
		}
		if n, ok := number(f.doc, k).(float64); ok {
			sum += n
		}
	}
	err := w.ExpectKey(ctx, subject, f.key, sum > 0, match.Equal(true))
	return match.Hint(err, fmt.Sprintf("%s is %v", strings.Join(keys, " + "), sum))
}

func number(doc any, keys string) any {
	v, _ := follow(doc, keys)
	return v
}

// linesOf is where the platform file says that a runtime leaves something.
func linesOf(p driver.Platform, runtime, what string) (driver.Lines, error) {
	r, err := knownRuntime(p, runtime)
	if err != nil {
		return driver.Lines{}, err
	}
	l, key := r.Transcript, "transcript"
	if what == "output stream" {
		l, key = r.Stream, "stream"
	}
	if l.File == "" {
		return l, fmt.Errorf("the platform file of %s names no runtimes.%s.%s, where its tool calls are", p.Name, runtime, key)
	}
	return l, nil
}

func calls(ctx context.Context, runtime, what string) error {
	w := world.From(ctx)
	l, err := linesOf(w.Drivers().Platform, runtime, what)
	if err != nil {
		return err
	}
	return w.Until(ctx, func(ctx context.Context) error {
		all, hint, err := leftBy(ctx, w)
		if err != nil {
			return err
		}
		seen, files := []string{}, []string{}
		for _, r := range all {
			for _, p := range slices.Sorted(maps.Keys(r.files)) {
				if !endsWith(p, l.File) {
					continue
				}
				files = append(files, p)
				found, err := toolCalls(r.files[p], l)
				if err != nil {
					return fmt.Errorf("run:%d %s: %w", r.run, p, err)
				}
				seen = append(seen, found...)
			}
		}
		if len(files) == 0 {
			hint = strings.TrimPrefix(hint+"; there is no file "+l.File, "; ")
		} else {
			hint = "read from " + strings.Join(files, ", ")
		}
		return match.Hint(w.Expect(ctx, "agent.tool-calls", seen, match.NotEmpty()), hint)
	})
}

// endsWith reports whether the last parts of a path match a pattern of as many.
func endsWith(file, pattern string) bool {
	parts := strings.Split(file, "/")
	n := strings.Count(pattern, "/") + 1
	if len(parts) < n {
		return false
	}
	ok, err := path.Match(pattern, strings.Join(parts[len(parts)-n:], "/"))
	return ok && err == nil
}

// toolCalls is what each line that records one says of it.
func toolCalls(data []byte, l driver.Lines) (found []string, err error) {
	for i, line := range bytes.Split(data, []byte("\n")) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var doc any
		if err := json.Unmarshal(line, &doc); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		for _, text := range texts(doc, strings.Split(l.Path, ".")) {
			if slices.Contains(l.Is, text) {
				found = append(found, fmt.Sprintf("line %d: %s", i+1, text))
			}
		}
	}
	return found, nil
}

// texts are those at the end of a way of keys; of a list on the way each entry counts.
func texts(v any, keys []string) (found []string) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			found = append(found, texts(e, keys)...)
		}
	case map[string]any:
		if len(keys) > 0 {
			found = texts(v[keys[0]], keys[1:])
		}
	case string:
		if len(keys) == 0 {
			found = []string{v}
		}
	}
	return found
}
