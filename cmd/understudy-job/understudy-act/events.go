package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

	"github.com/sirupsen/logrus"

	"github.com/understudy-dev/understudy/cmd/understudy-job/step"
	"github.com/understudy-dev/understudy/internal/clock"
	"github.com/understudy-dev/understudy/internal/jobwire"
	"github.com/understudy-dev/understudy/internal/mask"
)

// reporter turns act's log records into events. act logs through it only: it is the logrus
// formatter of the job's logger, because act wraps a formatter in its own masking.
type reporter struct {
	clock    *clock.Clock
	mu       sync.Mutex
	out      *json.Encoder
	outErr   error
	masks    *mask.Masker
	shown    int // bytes of the log so far
	steps    []*stepState
	byID     map[string]*stepState
	onMark   func(text string) bool // reports whether the record is a mark of the step wrapper
	dir      string                 // of the job
	onEnded  func()                 // a step has ended; what it started and was not waited for is still there
	onUnread func()                 // act took an empty text for an expression of the step that comes, since it could not be evaluated
}

type stepState struct {
	number     int
	name       string
	started    bool
	concluded  bool
	unnamed    bool
	failedSoft bool // it failed, and continue-on-error forgives it
	cancelled  bool // it was running when the job was cancelled
}

// rename sets the name that people see: the first line of what act calls the step.
func (s *stepState) rename(name string) {
	s.name, _, _ = strings.Cut(strings.TrimSpace(name), "\n")
	if s.unnamed {
		s.name = "Run " + s.name
	}
}

// WithJobLogger makes the reporter a runner.JobLoggerFactory.
func (r *reporter) WithJobLogger() *logrus.Logger {
	l := logrus.New()
	l.SetOutput(io.Discard)
	l.SetLevel(logrus.InfoLevel)
	l.SetFormatter(r)
	return l
}

// Format receives every record of the job.
func (r *reporter) Format(e *logrus.Entry) ([]byte, error) {
	for _, key := range []string{"command", "raw"} {
		if text, ok := e.Data[key].(string); ok && r.onMark(text) {
			return nil, nil
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.record(e)
	return nil, nil
}

func (r *reporter) record(e *logrus.Entry) {
	step, nested := r.stepOf(e)
	if command, ok := e.Data["command"].(string); ok {
		r.command(step, command, e)
		return
	}
	if e.Data["raw_output"] == true {
		r.log(step, e.Message)
		return
	}
	if e.Level <= logrus.ErrorLevel {
		// act repeats the exit of a composite action's step for the action.
		if !nested || !exitStatus.MatchString(strings.TrimSpace(e.Message)) {
			r.failure(step, readable(e.Message))
		}
		switch {
		case strings.HasPrefix(e.Message, "Unable to interpolate expression"):
			if step != nil && !step.concluded {
				r.onUnread()
			}
		case step != nil && !nested && !step.concluded:
			r.conclude(step, "failure")
		}
		return
	}
	if step == nil || nested || e.Data["stage"] != "Main" {
		return
	}
	if name, ok := e.Data["step"].(string); ok && !step.started {
		step.rename(name) // with its expressions evaluated
	}
	r.start(step)
	if e.Message == "Failed but continue next step" {
		step.failedSoft = true
	}
	if outcome, ok := e.Data["stepResult"]; ok {
		r.onEnded()
		conclusion := "success"
		if text, ok := outcome.(interface{ String() string }); ok && text.String() == "failure" && !step.failedSoft {
			conclusion = "failure"
			if step.cancelled {
				conclusion = "cancelled"
			}
		}
		r.conclude(step, conclusion)
	}
}

// command is what a line of a step asks for, or a file that it wrote for the runner.
func (r *reporter) command(step *stepState, command string, e *logrus.Entry) {
	raw, _ := e.Data["raw"].(string)
	switch {
	case command == "add-mask" && strings.TrimSpace(dataOf(raw)) == "":
		r.log(step, "##[warning]Can't add secret mask for empty string in ##[add-mask] command.")
		return
	case command == "add-mask":
		r.masks.Add(dataOf(raw))
		return
	case command == "summary":
		content, _ := e.Data["content"].(string)
		r.summarize(step, content)
		return
	}
	if line, shown := commandLine(command, e.Message); shown {
		r.log(step, line)
		if n, ok := annotationOf(command, raw); ok {
			r.annotate(step, n)
		}
	} else if e.Level <= logrus.ErrorLevel { // set-env and add-path, which are disabled
		r.failure(step, readable(e.Message))
	}
}

// interrupt notes that the job is cancelled now.
func (r *reporter) interrupt() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.steps {
		s.cancelled = s.started && !s.concluded
	}
}

// stepOf finds the step of the file that a record belongs to; nested says that it comes from a step
// inside a composite action.
func (r *reporter) stepOf(e *logrus.Entry) (st *stepState, nested bool) {
	ids, _ := e.Data["stepID"].([]string)
	if len(ids) == 0 {
		return nil, false
	}
	return r.byID[ids[0]], len(ids) > 1
}

func (r *reporter) start(s *stepState) {
	if s.started {
		return
	}
	r.skipBefore(s.number)
	s.started = true
	r.emit(jobwire.Event{Type: jobwire.StepStarted, Step: s.number, Name: s.name})
}

func (r *reporter) conclude(s *stepState, conclusion string) {
	if s.concluded {
		return
	}
	r.start(s)
	s.concluded = true
	r.emit(jobwire.Event{Type: jobwire.StepCompleted, Step: s.number, Name: s.name, Conclusion: conclusion})
}

// skipBefore reports the steps before number that act passed over in silence.
func (r *reporter) skipBefore(number int) {
	for _, s := range r.steps {
		if s.number < number && !s.started {
			s.started, s.concluded = true, true
			r.emit(jobwire.Event{Type: jobwire.StepCompleted, Step: s.number, Name: s.name, Conclusion: "skipped"})
		}
	}
}

// finish closes what is open and reports the job's end.
func (r *reporter) finish(done jobwire.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.skipBefore(len(r.steps) + 1)
	for _, s := range r.steps {
		if !s.concluded {
			r.conclude(s, "cancelled")
		}
	}
	done.Type = jobwire.JobCompleted
	for name, value := range done.Outputs {
		if r.hide(value) != value {
			delete(done.Outputs, name) // a secret must not travel to other jobs
			r.log(nil, "##[warning]Skip output '"+name+"' since it may contain secret.")
		}
	}
	done.Error = r.hide(done.Error)
	r.emit(done)
	return r.outErr
}

func (r *reporter) log(s *stepState, line string) {
	number := 0
	if s != nil {
		r.start(s)
		number = s.number
	}
	for line := range strings.Lines(line) {
		line = strings.TrimRight(line, "\r\n")
		cut := len(line) >= step.MaxLine
		line = r.hide(line)
		if cut { // at its end may stand the beginning of a secret
			line = line[:max(0, len(line)-maxSecret)] + " (the line goes on)"
		}
		for first := true; first || line != ""; first = false {
			n := min(len(line), maxEvent)
			r.show(number, strings.ToValidUTF8(line[:n], "\uFFFD"))
			line = line[n:]
		}
	}
}

const (
	maxSecret = 64 << 10 // bytes; GitHub takes 48 KB
	maxEvent  = 1 << 20  // bytes of a line that the engine takes at once
	maxLog    = 60 << 20 // bytes of a job's log; the engine's bound is a little higher
)

// show emits a line of the log, until there is too much of it.
func (r *reporter) show(number int, line string) {
	before := r.shown
	r.shown += len(line) + step.LineCost
	switch {
	case r.shown <= maxLog:
		r.emit(jobwire.Event{Type: jobwire.Log, Step: number, Line: line})
	case before <= maxLog:
		r.emit(jobwire.Event{Type: jobwire.Log, Step: number, Line: fmt.Sprintf("##[warning]The log ends here: it is larger than %d MiB.", maxLog>>20)})
	}
}

func (r *reporter) emit(e jobwire.Event) {
	e.Time = r.clock.Now()
	e.Name = r.hide(e.Name)
	if err := r.out.Encode(e); err != nil && r.outErr == nil {
		r.outErr = err
	}
}

// quietCommands change the job's state and leave no line in GitHub's log either.
var quietCommands = map[string]bool{
	"set-output": true, "set-env": true, "add-path": true, "save-state": true,
	"summary": true, "debug": true, "add-matcher": true, "remove-matcher": true,
}

var annotation = regexp.MustCompile(`^::(error|warning|notice|group|endgroup)(?: [^:]*(?::[^:]+)*?)?::(.*)$`)

// commandLine returns how a workflow command is shown. act puts a sign in front of the line.
func commandLine(command, message string) (string, bool) {
	if quietCommands[command] {
		return "", false
	}
	line := strings.TrimRight(message, "\r\n")
	if i := strings.Index(line, "::"); i >= 0 {
		line = line[i:]
	} else if i := strings.Index(line, "##["); i >= 0 {
		line = line[i:]
	}
	if command == "ignored" { // stop-commands made it text
		return line, true
	}
	if m := annotation.FindStringSubmatch(line); m != nil {
		return "##[" + m[1] + "]" + m[2], true
	}
	return line, true
}

var exitStatus = regexp.MustCompile(`^exit status (\d+)$`)

func readable(message string) string {
	message = strings.TrimSpace(message)
	if m := exitStatus.FindStringSubmatch(message); m != nil {
		return "Process completed with exit code " + m[1] + "."
	}
	if strings.Contains(message, "/no-containers") { // see step.Control.NoContainers
		return "This action runs in a container, and containers are not supported."
	}
	if m := noAction.FindStringSubmatch(message); m != nil {
		return "There is no action.yml in '" + m[1] + "'. Did the job forget to run actions/checkout?"
	}
	return message
}

// noAction is what act says, once for each name that the file could have.
var noAction = regexp.MustCompile(`^failed to read 'action\.yml' from action '([^']*)'`)

// newMasker knows secrets, and the form in which git sends each of them as a token, which at GitHub
// actions/checkout registers.
func newMasker(secrets []string) *mask.Masker {
	m := &mask.Masker{}
	for _, s := range secrets {
		m.Add(s)
		if s != "" {
			m.Add(base64.StdEncoding.EncodeToString([]byte("x-access-token:" + strings.TrimSpace(s))))
		}
	}
	return m
}

// hide takes the secrets out of what act has no expressions in any more.
func (r *reporter) hide(s string) string { return r.masks.Hide(step.Revive(s)) }

// dataOf is what a workflow command carries. act unescapes it in no certain order.
func dataOf(raw string) string {
	raw = strings.TrimRight(raw, "\r\n")
	if _, data, ok := strings.Cut(strings.TrimPrefix(raw, "::"), "::"); ok {
		raw = data
	} else if _, data, ok := strings.Cut(raw, "]"); ok {
		raw = data
	}
	return strings.NewReplacer("%25", "%", "%0D", "\r", "%0A", "\n").Replace(raw)
}
