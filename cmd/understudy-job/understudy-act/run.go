package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/nektos/act/pkg/common"
	"github.com/nektos/act/pkg/model"
	"github.com/nektos/act/pkg/runner"
	"golang.org/x/sys/unix"
	"gopkg.in/yaml.v3"

	"github.com/understudy-dev/understudy/cmd/understudy-job/step"
	"github.com/understudy-dev/understudy/internal/clock"
	"github.com/understudy-dev/understudy/internal/jobwire"
)

// platform is the one runner label; the engine has checked the real one.
const platform = "understudy"

// runCommand runs the job on standard input. It exits with 0 when the job ran to its end, whatever
// its conclusion, and with 1 when the runner itself could not go on; the last event says why.
func runCommand(job string, stdin io.Reader, stderr io.Writer) int {
	events, err := takeStdout()
	if err != nil {
		fmt.Fprintln(stderr, "understudy-job: error:", err)
		return 1
	}
	defer events.Close()
	out := json.NewEncoder(events)
	out.SetEscapeHTML(false)
	spec, err := readSpec(stdin)
	if err != nil {
		_ = out.Encode(jobwire.Event{Type: jobwire.JobCompleted, Time: clock.New(nil).Now(), Conclusion: "failure", Error: err.Error()})
		return 1
	}
	j := &jobRun{spec: spec, self: job, report: &reporter{
		clock: clock.New(nil), out: out, masks: newMasker(secretsOf(spec)), byID: map[string]*stepState{},
	}}
	done := j.run()
	if err := j.report.finish(done); err != nil || done.Error != "" {
		return 1
	}
	return 0
}

// takeStdout keeps standard output for the events. Whatever act or a library prints goes to
// standard error from here on.
func takeStdout() (*os.File, error) {
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("keep standard output: %w", err)
	}
	if err := unix.Dup2(2, 1); err != nil {
		return nil, fmt.Errorf("turn standard output away: %w", err)
	}
	return os.NewFile(uintptr(fd), "events"), nil
}

func readSpec(r io.Reader) (jobwire.Spec, error) {
	var spec jobwire.Spec
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(&spec); err != nil {
		return spec, fmt.Errorf("read the job: %w", err)
	}
	if !filepath.IsAbs(spec.Dir) {
		return spec, fmt.Errorf("read the job: dir %q is not absolute", spec.Dir)
	}
	return spec, nil
}

func secretsOf(spec jobwire.Spec) []string {
	secrets := []string{spec.Token, spec.RuntimeToken, spec.IDToken}
	for _, v := range spec.Secrets {
		secrets = append(secrets, v)
	}
	return secrets
}

type jobRun struct {
	spec   jobwire.Spec
	report *reporter
	self   string
	ctl    step.Control
	ack    *os.File
	hold   *os.File // keeps the steps' FIFO open
	word   string

	unreadErr error // a step ran all the same
}

func (j *jobRun) run() jobwire.Event {
	if err := j.openControl(); err != nil {
		return broken(err)
	}
	defer j.ack.Close()
	defer j.hold.Close()
	var decodeErr error
	model.OnDecodeNodeError = func(_ yaml.Node, _ any, err error) { // act would exit here
		decodeErr = errors.Join(decodeErr, fmt.Errorf("%s: %w", j.spec.WorkflowPath, err))
	}
	text, err := reduce(j.spec)
	if err != nil {
		return broken(fmt.Errorf("read %s: %w", j.spec.WorkflowPath, err))
	}
	p, job, err := plan(j.spec, text, wrapShell(j.self, j.ctl.Dir))
	if err := errors.Join(err, decodeErr); err != nil {
		return broken(err)
	}
	j.prepareReporter(job)
	config, err := j.config(p, text)
	if err != nil {
		return broken(err)
	}
	r, err := runner.New(config)
	if err != nil {
		return broken(err)
	}
	told, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	cancelled, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer context.AfterFunc(told, func() {
		j.report.interrupt() // before act ends the step: the report must know why it fails
		cancel()
	})()
	ctx := common.WithJobCancelContext(context.Background(), cancelled)
	ctx = runner.WithJobLoggerFactory(ctx, j.report)
	j.report.emit(jobwire.Event{Type: jobwire.JobStarted, Name: j.spec.Job})
	runErr := r.NewPlanExecutor(p)(ctx)
	if err := errors.Join(decodeErr, j.unreadErr); err != nil {
		return broken(err)
	}
	return conclusion(job, runErr, cancelled.Err() != nil)
}

func conclusion(job *model.Job, runErr error, cancelled bool) jobwire.Event {
	done := jobwire.Event{Conclusion: job.Result, Outputs: map[string]string{}}
	for name, value := range job.Outputs {
		value, read := strings.CutSuffix(value, outputEnd)
		if !read && done.Conclusion == "success" {
			done.Conclusion = "failure" // as at GitHub; the log says why
		}
		done.Outputs[name] = step.Revive(value)
	}
	switch {
	case cancelled:
		done.Conclusion = "cancelled"
	case job.Result == "" && runErr != nil:
		return broken(runErr)
	case job.Result == "":
		return broken(errors.New("the job ended without a result"))
	}
	return done
}

func broken(err error) jobwire.Event {
	return jobwire.Event{Conclusion: "failure", Error: err.Error()}
}

func (j *jobRun) prepareReporter(job *model.Job) {
	for i, st := range job.Steps {
		s := &stepState{number: i + 1, unnamed: st.Name == ""}
		s.rename(firstNonEmpty(st.Name, st.Uses, st.Run))
		j.report.steps = append(j.report.steps, s)
		j.report.byID[st.ID] = s
	}
	j.report.onMark = j.mark
	j.report.dir = j.spec.Dir
	j.report.onEnded = func() {
		_ = os.Remove(j.ctl.Path(step.Unread)) // act reads a step's name again when it has ended
		j.ctl.End()
	}
	j.report.onUnread = j.unread
}

// unread keeps the step that comes from running, as at GitHub.
func (j *jobRun) unread() {
	if err := os.WriteFile(j.ctl.Path(step.Unread), nil, 0o600); err != nil {
		j.unreadErr = err
	}
}

// openControl makes the directory through which the step wrapper talks to this process.
func (j *jobRun) openControl() error {
	j.word = "end-" + strings.ToLower(rand.Text())
	j.ctl = step.Control{Dir: filepath.Join(j.spec.Dir, "control")}
	for _, dir := range []string{j.ctl.Dir, j.path("home"), j.path("bin"), j.path("work")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if err := os.WriteFile(j.ctl.Path(step.Word), []byte(j.word), 0o600); err != nil {
		return err
	}
	if j.spec.Minute > 0 {
		if err := os.WriteFile(j.ctl.Path(step.Minute), []byte(j.spec.Minute.String()), 0o600); err != nil {
			return err
		}
	}
	for _, fifo := range []struct {
		name string
		file **os.File
	}{{step.Out, &j.hold}, {step.Ack, &j.ack}} {
		if err := unix.Mkfifo(j.ctl.Path(fifo.name), 0o600); err != nil {
			return fmt.Errorf("make %s: %w", fifo.name, err)
		}
		f, err := os.OpenFile(j.ctl.Path(fifo.name), os.O_RDWR|syscall.O_NONBLOCK, 0)
		if err != nil {
			return err
		}
		*fifo.file = f
	}
	return nil
}

func (j *jobRun) path(name string) string { return filepath.Join(j.spec.Dir, name) }

// mark answers the wrapper's word. A byte nobody took, because a wrapper was killed, goes first.
func (j *jobRun) mark(text string) bool {
	if !strings.Contains(text, j.word) {
		return false
	}
	_ = step.Drain(j.ack, io.Discard)
	_, _ = j.ack.Write([]byte{1})
	return true
}

func (j *jobRun) config(p *model.Plan, text []byte) (*runner.Config, error) {
	run := p.Stages[0].Runs[0]
	event, err := j.writeEvent(run.Job(), text)
	if err != nil {
		return nil, err
	}
	env := inertMap(j.spec.Env)
	if env["PATH"] == "" {
		return nil, errors.New("env has no PATH")
	}
	if env["HOME"] == "" {
		env["HOME"] = j.path("home")
	}
	// act lets its own configuration win over the file; here the file wins, as at GitHub.
	for _, own := range []map[string]string{run.Workflow.Env, run.Job().Environment()} {
		for name := range own {
			delete(env, name)
		}
	}
	maps.Copy(env, inertMap(j.githubEnv()))
	shimmed, err := j.ctl.MakeShims(j.self, env["PATH"])
	if err != nil {
		return nil, err
	}
	maps.Copy(env, shimmed)
	// act copies its own environment into every step and looks for node on its own PATH.
	os.Clearenv()
	os.Setenv("PATH", j.path("bin"))
	os.Setenv("HOME", j.path("home"))
	os.Setenv("DOCKER_HOST", j.ctl.NoContainers()) // there may be a daemon on this machine
	secrets := inertMap(j.spec.Secrets)
	secrets["GITHUB_TOKEN"] = j.spec.Token
	return &runner.Config{
		Actor: j.spec.Actor, Workdir: j.path("work"), ActionCacheDir: j.path("act"),
		EventName: j.spec.Event, EventPath: event, DefaultBranch: "main",
		LogOutput: true, Env: env, Secrets: secrets, Vars: inertMap(j.spec.Variables), Token: j.spec.Token,
		Platforms:       map[string]string{platform: "-self-hosted"},
		InsecureSecrets: true, // the reporter hides them: act takes one after the other, in any order, out of a line
		GitHubInstance:  "github.com", AutoRemove: true, NoSkipCheckout: true,
		ActionCache: &builtins{self: j.self, control: j.ctl.Dir}, ConcurrentJobs: 1,
	}, nil
}

// writeEvent keeps the payload for the steps, and for act an inert copy of what the job's expressions see.
func (j *jobRun) writeEvent(job *model.Job, text []byte) (string, error) {
	payload := j.spec.Payload
	if len(payload) == 0 {
		payload = json.RawMessage("{}")
	}
	if err := os.WriteFile(j.ctl.Path(step.Event), payload, 0o600); err != nil {
		return "", err
	}
	var decoded map[string]any
	dec := json.NewDecoder(bytes.NewReader(payload))
	dec.UseNumber()
	if err := dec.Decode(&decoded); err != nil {
		return "", fmt.Errorf("read the payload: %w", err)
	}
	local := func(st *model.Step) bool { return strings.HasPrefix(st.Uses, ".") }
	if !slices.ContainsFunc(job.Steps, local) { // an action of the repository has expressions of its own
		decoded = eventFor(text, decoded)
	}
	inert, err := json.Marshal(inertValue(decoded))
	if err != nil {
		return "", err
	}
	path := j.path("event.json")
	return path, os.WriteFile(path, inert, 0o600)
}

// githubEnv is what GitHub's runner sets, beyond what act derives from it.
func (j *jobRun) githubEnv() map[string]string {
	s := j.spec
	owner, _, _ := strings.Cut(s.Repo, "/")
	refName, refType := s.Ref, ""
	for prefix, kind := range map[string]string{"refs/heads/": "branch", "refs/tags/": "tag", "refs/pull/": "branch"} {
		if name, ok := strings.CutPrefix(s.Ref, prefix); ok {
			refName, refType = name, kind
		}
	}
	env := map[string]string{
		"CI": "true", "TERM": "dumb", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0",
		"GITHUB_ACTIONS": "true", "GITHUB_SERVER_URL": s.ServerURL, "GITHUB_API_URL": s.APIURL,
		"GITHUB_GRAPHQL_URL": strings.TrimSuffix(s.APIURL, "/") + "/graphql",
		"GITHUB_REPOSITORY":  s.Repo, "GITHUB_REPOSITORY_OWNER": owner,
		"GITHUB_REF": s.Ref, "GITHUB_REF_NAME": refName, "GITHUB_REF_TYPE": refType,
		"GITHUB_SHA": s.SHA, "SHA_REF": s.SHA, // act reads the commit from SHA_REF
		"GITHUB_RUN_ID": fmt.Sprint(s.RunID), "GITHUB_RUN_NUMBER": fmt.Sprint(s.RunNumber), "GITHUB_RUN_ATTEMPT": fmt.Sprint(max(s.RunAttempt, 1)),
		"GITHUB_ACTOR": s.Actor, "GITHUB_TRIGGERING_ACTOR": cmp.Or(s.TriggeringActor, s.Actor), "GITHUB_EVENT_NAME": s.Event,
		"GITHUB_WORKFLOW_REF": s.Repo + "/" + s.WorkflowPath + "@" + s.Ref, "GITHUB_WORKFLOW_SHA": s.SHA,
		"RUNNER_NAME": "understudy", "RUNNER_ENVIRONMENT": "self-hosted",
		"ACTIONS_RUNTIME_TOKEN": s.RuntimeToken, "ACTIONS_RESULTS_URL": s.ResultsURL, "ACTIONS_RUNTIME_URL": s.ResultsURL,
		"ACTIONS_CACHE_URL": s.ResultsURL, "ACTIONS_CACHE_SERVICE_V2": "True",
	}
	if s.IDTokenURL != "" {
		env["ACTIONS_ID_TOKEN_REQUEST_URL"], env["ACTIONS_ID_TOKEN_REQUEST_TOKEN"] = s.IDTokenURL, s.IDToken
	}
	return env
}
