package main

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"regexp"
	"sort"
	"strings"
	"sync"

	"github.com/sirupsen/logrus"

	"github.com/understudy-dev/understudy/cmd/understudy-job/step"
	"github.com/understudy-dev/understudy/internal/clock"
	"github.com/understudy-dev/understudy/internal/jobwire"
)

// reporter turns act's log records into events. act logs through it only: it is the logrus
// formatter of the job's logger, because act wraps a formatter in its own masking.
type reporter struct {
	clock   *clock.Clock
	mu      sync.Mutex
	out     *json.Encoder
	outErr  error
	masks   *masker
	steps   []*stepState
	byID    map[string]*stepState
	onMark  func(text string) bool // reports whether the record is a mark of the step wrapper
	onEnded func()                 // a step has ended; what it started and was not waited for is still there
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
		if line, shown := commandLine(command, e.Message); shown {
			r.log(step, line)
		} else if e.Level <= logrus.ErrorLevel { // set-env and add-path, which are disabled
			r.log(step, "##[error]"+readable(e.Message))
		}
		return
	}
	if e.Data["raw_output"] == true {
		r.log(step, e.Message)
		return
	}
	if e.Level <= logrus.ErrorLevel {
		// act repeats the exit of a composite action's step for the action.
		if !nested || !exitStatus.MatchString(strings.TrimSpace(e.Message)) {
			r.log(step, "##[error]"+readable(e.Message))
		}
		if step != nil && !nested && !step.concluded {
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
		if r.masks.hide(value) != value {
			delete(done.Outputs, name) // a secret must not travel to other jobs
			r.log(nil, "##[warning]Skip output '"+name+"' since it may contain secret.")
		}
	}
	done.Error = r.masks.hide(done.Error)
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
		r.emit(jobwire.Event{Type: jobwire.Log, Step: number, Line: r.masks.hide(strings.TrimRight(line, "\r\n"))})
	}
}

func (r *reporter) emit(e jobwire.Event) {
	e.Time = r.clock.Now()
	e.Name = r.masks.hide(e.Name)
	if err := r.out.Encode(e); err != nil && r.outErr == nil {
		r.outErr = err
	}
}

// quietCommands change the job's state and leave no line in GitHub's log either.
var quietCommands = map[string]bool{
	"set-output": true, "set-env": true, "add-path": true, "add-mask": true, "save-state": true,
	"summary": true, "debug": true, "stop-commands": true, "add-matcher": true, "remove-matcher": true,
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
	if strings.Contains(message, "docker API") {
		return "This action runs in a container, and containers are not supported."
	}
	if m := noAction.FindStringSubmatch(message); m != nil {
		return "There is no action.yml in '" + m[1] + "'. Did the job forget to run actions/checkout?"
	}
	return message
}

// noAction is what act says, once for each name that the file could have.
var noAction = regexp.MustCompile(`^failed to read 'action\.yml' from action '([^']*)'`)

// masker hides secrets in what is shown: the values, each line of those with several, and the form
// in which git sends a token.
type masker struct{ pairs *strings.Replacer }

func newMasker(secrets []string) *masker {
	seen := map[string]bool{}
	for _, s := range secrets {
		for line := range strings.Lines(s) {
			if line = strings.TrimSpace(line); line != "" {
				seen[line] = true
				seen[base64.StdEncoding.EncodeToString([]byte("x-access-token:"+line))] = true
			}
		}
	}
	values := make([]string, 0, len(seen))
	for v := range seen {
		values = append(values, v)
	}
	// The longest first: a secret inside another one must not leave the rest of it readable.
	sort.Slice(values, func(i, j int) bool { return len(values[i]) > len(values[j]) })
	var pairs []string
	for _, v := range values {
		pairs = append(pairs, v, "***")
	}
	return &masker{pairs: strings.NewReplacer(pairs...)}
}

func (m *masker) hide(s string) string { return m.pairs.Replace(step.Revive(s)) }
