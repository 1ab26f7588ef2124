package actions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/internal/jobwire"
	"github.com/understudy-dev/understudy/internal/mask"
)

const (
	maxLine   = 8 << 20  // bytes of one event: a line of 1 MiB, of which JSON makes six times as much at most
	maxLog    = 64 << 20 // bytes of one job's log
	logChunk  = 32 << 10
	maxStderr = 4 << 10
	maxSteps  = 1000
	lastLines = 3   // of a failed step, kept as the job's error
	maxWords  = 500 // bytes of each of them
)

// output takes the runner's standard output: one event a line. Each is applied before Write
// returns, so that once the process has been waited for nothing is left to do.
type output struct {
	c      *cell
	masks  mask.Masker
	stderr tail
	rest   []byte // an incomplete line
	log    bytes.Buffer
	logged int
	words  []string // the last lines of the step that runs now
	lines  int      // of its log
	done   *jobwire.Event
	err    error // the first mistake; everything after it is ignored
}

func newOutput(c *cell, g Grant, tokens ...string) *output {
	o := &output{c: c}
	for _, s := range append([]string{g.Token}, tokens...) {
		o.masks.Add(s)
	}
	for _, s := range g.Secrets {
		o.masks.Add(s)
	}
	return o
}

// Write never fails: a runner must not die of a broken pipe because of what it said before.
func (o *output) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0 && o.err == nil; {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		if len(o.rest)+len(line) > maxLine {
			o.err = fmt.Errorf("an event is longer than %d bytes", maxLine)
			break
		}
		o.rest = append(o.rest, line...)
		rest = after
		if whole {
			o.err = o.apply(o.rest)
			o.rest = o.rest[:0]
		}
	}
	return len(p), nil
}

func (o *output) apply(line []byte) error {
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	var ev jobwire.Event
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&ev); err != nil {
		return fmt.Errorf("event %.200q: %w", line, err)
	}
	if o.done != nil {
		return fmt.Errorf("event %s after %s", ev.Type, jobwire.JobCompleted)
	}
	switch ev.Type {
	case jobwire.JobStarted:
		return nil
	case jobwire.Log:
		o.line(ev.Line)
		return nil
	case jobwire.Annotated:
		return o.annotated(ev)
	case jobwire.Summarized:
		return o.summarized(ev)
	case jobwire.StepStarted, jobwire.StepCompleted:
		return o.step(ev)
	case jobwire.JobCompleted:
		if !slices.Contains([]string{success, failure, cancelled}, ev.Conclusion) {
			return fmt.Errorf("event %s has the conclusion %q", ev.Type, ev.Conclusion)
		}
		o.done = &ev
		return nil
	}
	return fmt.Errorf("unknown event %q", ev.Type)
}

// step notes a step's start or end. The log up to there is kept first.
func (o *output) step(ev jobwire.Event) error {
	o.flush()
	if o.err != nil {
		return o.err
	}
	rec := &o.c.rec
	if ev.Step < 1 || ev.Step > maxSteps {
		return fmt.Errorf("event %s of step %d", ev.Type, ev.Step)
	}
	now := o.c.node.r.e.o.Now()
	i := slices.IndexFunc(rec.Steps, func(s Step) bool { return s.Number >= ev.Step })
	if i < 0 {
		i = len(rec.Steps)
	}
	if i == len(rec.Steps) || rec.Steps[i].Number != ev.Step {
		rec.Steps = slices.Insert(slices.Clone(rec.Steps), i, Step{Number: ev.Step, Started: now})
	} else {
		rec.Steps = slices.Clone(rec.Steps) // the host may have kept the slice
	}
	s := &rec.Steps[i]
	if ev.Name != "" {
		s.Name = o.masks.Hide(ev.Name)
	}
	s.Status = inProgress
	if ev.Type == jobwire.StepCompleted {
		s.Status, s.Conclusion, s.Completed = completed, ev.Conclusion, now
		if ev.Conclusion == failure && rec.Error == "" {
			rec.Error = strings.Join(o.words, "\n")
		}
	}
	o.words, o.lines = nil, 0
	return o.c.save()
}

func (o *output) line(text string) {
	text = o.masks.Hide(text)
	o.lines++
	o.words = append(o.words, strings.ToValidUTF8(text[:min(len(text), maxWords)], ""))
	o.words = o.words[max(0, len(o.words)-lastLines):]
	line := logLine(o.c.node.r.e.o.Now(), text)
	before, most := o.logged, o.c.node.r.e.logSize
	o.logged += len(line)
	switch {
	case o.logged <= most:
		o.log.Write(line)
	case before <= most:
		o.log.Write(logLine(o.c.node.r.e.o.Now(), fmt.Sprintf("##[warning]the log ends here: it is larger than %d bytes", most)))
	}
	if o.log.Len() >= logChunk {
		o.flush()
	}
}

// flush gives the log to the host.
func (o *output) flush() {
	if o.log.Len() == 0 {
		return
	}
	chunk := bytes.Clone(o.log.Bytes())
	o.log.Reset()
	if err := o.c.node.r.e.o.Host.AppendLog(context.WithoutCancel(o.c.ctx), o.c.rec.ID, chunk); err != nil {
		o.err = errors.Join(o.err, fmt.Errorf("keep log of job %s: %w", o.c.rec.Name, err))
	}
}

// outputs are the job's, without those that hold a secret: GitHub drops them, too.
func (o *output) outputs() map[string]string {
	if o.done == nil {
		return nil
	}
	out := map[string]string{}
	for k, v := range o.done.Outputs {
		if o.masks.Hide(v) != v {
			o.line(fmt.Sprintf("##[warning]Skip output '%s' since it may contain secret.", k))
			continue
		}
		out[k] = v
	}
	o.flush()
	return out
}

func logLine(t time.Time, text string) []byte {
	return []byte(t.UTC().Format("2006-01-02T15:04:05.0000000Z") + " " + text + "\n")
}

// tail keeps the end of what is written to it.
type tail struct{ b []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if over := len(t.b) - maxStderr; over > 0 {
		t.b = append(t.b[:0], t.b[over:]...)
	}
	return len(p), nil
}

func (t *tail) describe() string {
	text := strings.TrimSpace(string(t.b))
	if text == "" {
		return "it wrote nothing to standard error"
	}
	return "the end of its standard error: " + text
}
