package actions_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/actions"
	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/internal/ledger"
)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "actions-test-")
	if err != nil {
		panic(err)
	}
	runnerDir = dir
	code := m.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

var runnerDir string

// buildRunner builds understudy-job and what it needs beside it, once for all tests.
var buildRunner = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "build", "-o", runnerDir+"/",
		"github.com/understudy-dev/understudy/cmd/understudy-job", "github.com/understudy-dev/understudy/cmd/understudy-job/understudy-act").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build understudy-job: %w\n%s", err, out)
	}
	return filepath.Join(runnerDir, "understudy-job"), nil
})

// program is a launcher that starts programs as they are, each in a process group of its own.
type program struct{}

func (program) Start(_ context.Context, s driver.Spec) (driver.Process, error) {
	cmd := exec.Command(s.Argv[0], s.Argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = s.Dir, s.Env, s.Stdin, s.Stdout, s.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &child{cmd: cmd, ended: make(chan struct{})}
	go func() { p.err = cmd.Wait(); close(p.ended) }()
	return p, nil
}

type child struct {
	cmd   *exec.Cmd
	ended chan struct{}
	err   error
}

func (c *child) signal(s syscall.Signal) { _ = syscall.Kill(-c.cmd.Process.Pid, s) }

func (c *child) Wait(ctx context.Context) (driver.Exit, error) {
	select {
	case <-c.ended:
	case <-ctx.Done():
		c.signal(syscall.SIGKILL)
		<-c.ended
		return driver.Exit{Kind: driver.TimedOut}, nil
	}
	var exit *exec.ExitError
	if c.err != nil && !errors.As(c.err, &exit) {
		return driver.Exit{}, c.err
	}
	state := c.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if state.Signaled() {
		return driver.Exit{Kind: driver.Signaled, Signal: state.Signal().String()}, nil
	}
	return driver.Exit{Kind: driver.Exited, Code: state.ExitStatus()}, nil
}

func (c *child) Stop(ctx context.Context) error {
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-c.ended:
		return nil
	case <-ctx.Done():
		c.signal(syscall.SIGKILL)
		<-c.ended
		return ctx.Err()
	}
}

// memory is a forge that keeps everything in memory.
type memory struct {
	mu        sync.Mutex
	l         *ledger.Ledger
	j         *journal.Journal
	files     map[string]string
	secrets   map[string]string
	disabled  []string
	variables map[string]string
	deploys   map[string]actions.Grant // what environments give beside it
	runs      []actions.Run
	jobs      []actions.Job
	history   []string // "job 1 queued", as saved
	logs      map[int64][]byte
	artifacts []actions.Artifact
	zips      map[int64][]byte
	caches    []actions.Cache
	cached    map[int64][]byte
	granted   map[string]int64
	revoked   map[string]bool
	sourceErr error
}

const sha = "1111111111111111111111111111111111111111"

func (m *memory) Source(_ context.Context, repo, ref string) (actions.Source, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := actions.Source{SHA: sha, Ref: "refs/heads/main", DefaultBranch: "main", Variables: m.variables, Disabled: m.disabled}
	if ref != "" {
		s.SHA = ref
	}
	prefix := "" // files of other repositories stand as "acme/lib@v1/.github/workflows/x.yml"
	if repo != "acme/app" {
		prefix = repo + "@" + strings.TrimPrefix(strings.TrimPrefix(ref, "refs/tags/"), "refs/heads/") + "/"
	}
	for path, text := range m.files {
		if path, ok := strings.CutPrefix(path, prefix); ok && strings.HasPrefix(path, ".github/") {
			s.Files = append(s.Files, actions.File{Path: path, Data: []byte(text)})
		}
	}
	sort.Slice(s.Files, func(i, j int) bool { return s.Files[i].Path < s.Files[j].Path })
	return s, m.sourceErr
}

func (m *memory) SaveRun(_ context.Context, r actions.Run) (actions.Run, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kind := "run." + r.Status
	if r.ID == 0 {
		r.ID, r.Number, kind = int64(len(m.runs)+1), len(m.runs)+1, "run.created"
		m.runs = append(m.runs, r)
	}
	m.runs[r.ID-1] = r
	m.j.Append(journal.Entry{Kind: journal.Change, Type: kind, Cause: r.Cause, Subject: fmt.Sprintf("run:%d", r.ID)})
	m.announce(r)
	return r, nil
}

// announce emits workflow_run as the forge does.
func (m *memory) announce(r actions.Run) {
	action := map[string]string{"queued": "requested", "in_progress": "in_progress", "completed": "completed"}[r.Status]
	payload, err := json.Marshal(map[string]any{
		"action": action, "workflow": map[string]any{"name": r.Name, "path": r.Workflow},
		"workflow_run": map[string]any{"id": r.ID, "name": r.Name, "head_branch": r.HeadBranch, "event": r.Event, "conclusion": r.Conclusion},
	})
	if err != nil {
		panic(err)
	}
	m.j.Append(journal.Entry{
		Kind: journal.Change, Type: "workflow_run." + action, Actor: r.Actor, Cause: fmt.Sprintf("run:%d", r.ID), Payload: payload,
		Detail: map[string]string{"repo": r.Repo, "event": "workflow_run", "action": action},
	})
}

func (m *memory) SaveJob(_ context.Context, j actions.Job) (actions.Job, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if j.ID == 0 {
		j.ID = int64(len(m.jobs) + 1)
		m.jobs = append(m.jobs, j)
	}
	m.jobs[j.ID-1] = j
	m.j.Append(journal.Entry{Kind: journal.Change, Type: "job." + j.Status, Cause: fmt.Sprintf("run:%d", j.RunID), Subject: fmt.Sprintf("job:%d", j.ID)})
	m.history = append(m.history, fmt.Sprintf("job %d %s", j.ID, j.Status))
	return j, nil
}

func (m *memory) Grant(_ context.Context, j actions.Job) (actions.Grant, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	token := fmt.Sprintf("ghs_token_of_job_%d", j.ID)
	m.granted[token] = j.ID
	g := actions.Grant{Token: token, Secrets: maps.Clone(m.secrets), Variables: maps.Clone(m.variables)}
	if e, ok := m.deploys[j.Environment]; ok {
		if g.Variables == nil {
			g.Variables = map[string]string{}
		}
		maps.Copy(g.Variables, e.Variables)
		g.EnvironmentSecrets = e.EnvironmentSecrets
	}
	if j.Untrusted {
		g.Secrets, g.EnvironmentSecrets = nil, nil
	}
	return g, nil
}

func (m *memory) Revoke(_ context.Context, token string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.revoked[token] = true
	return nil
}

func (m *memory) AppendLog(_ context.Context, job int64, chunk []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.logs[job] = append(m.logs[job], chunk...)
	return nil
}

func (m *memory) PutArtifact(_ context.Context, a actions.Artifact, zip io.Reader) (actions.Artifact, error) {
	b, err := io.ReadAll(zip)
	if err != nil {
		return a, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	a.ID = int64(len(m.zips) + 1)
	m.artifacts = append(m.artifacts, a)
	m.zips[a.ID] = b
	return a, nil
}

func (m *memory) Artifacts(_ context.Context, run int64) ([]actions.Artifact, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []actions.Artifact
	for _, a := range m.artifacts {
		if a.RunID == run {
			out = append(out, a)
		}
	}
	return out, nil
}

func (m *memory) OpenArtifact(_ context.Context, id int64) (io.ReadCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	b, ok := m.zips[id]
	if !ok {
		return nil, driver.ErrNotFound
	}
	return io.NopCloser(bytes.NewReader(b)), nil
}

func (m *memory) DeleteArtifact(_ context.Context, id int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.artifacts = slices.DeleteFunc(m.artifacts, func(a actions.Artifact) bool { return a.ID == id })
	return nil
}

// platform is an engine with its memory.
type platform struct {
	*memory
	t      testing.TB
	engine *actions.Engine
	dir    string

	scratch string // $DIR of the jobs
}

// start returns an engine over one workflow file (or several in txtar's manner, "-- path --").
func start(t testing.TB, workflows string, change ...func(*actions.Options, *memory)) *platform {
	t.Helper()
	l := ledger.New()
	m := &memory{
		l: l, j: journal.New(l, time.Now), files: split(workflows), logs: map[int64][]byte{}, zips: map[int64][]byte{},
		granted: map[string]int64{}, revoked: map[string]bool{},
	}
	o := actions.Options{
		Ledger: l, Journal: m.j, Host: m, Store: m, Caches: m, Launcher: program{}, Dir: filepath.Join(t.TempDir(), "jobs"),
		Env:       map[string]string{"PATH": os.Getenv("PATH"), "LANG": "C.UTF-8", "DIR": t.TempDir()},
		ServerURL: "http://127.0.0.1:1", APIURL: "http://127.0.0.1:1/api/v3",
	}
	for _, f := range change {
		f(&o, m)
	}
	if o.Runner == "" {
		var err error
		if o.Runner, err = buildRunner(); err != nil {
			t.Fatal(err)
		}
	}
	e, err := actions.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := e.Close(ctx); err != nil {
			t.Error(err)
		}
		if o.Order != nil {
			o.Order.Close()
		}
	})
	return &platform{memory: m, t: t, engine: e, dir: o.Dir, scratch: o.Env["DIR"]}
}

func split(text string) map[string]string {
	files := map[string]string{}
	path := ".github/workflows/ci.yml"
	for _, line := range strings.SplitAfter(text, "\n") {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "-- "); ok && strings.HasSuffix(name, " --") {
			path = strings.TrimSuffix(name, " --")
			continue
		}
		files[path] += line
	}
	for path, text := range files {
		if strings.TrimSpace(text) == "" {
			delete(files, path)
		}
	}
	return files
}

// emit appends an event as the forge does, and returns its sequence number.
func (p *platform) emit(event, action string, payload map[string]any, detail ...string) uint64 {
	p.t.Helper()
	body, err := json.Marshal(payload)
	if err != nil {
		p.t.Fatal(err)
	}
	d := map[string]string{"repo": "acme/app", "event": event, "action": action, "ref": "refs/heads/main", "sha": sha}
	for i := 0; i+1 < len(detail); i += 2 {
		d[detail[i]] = detail[i+1]
	}
	ob := p.l.Open("request")
	defer ob.Close()
	return p.j.Append(journal.Entry{
		Kind: journal.Change, Type: strings.TrimSuffix(event+"."+action, "."), Actor: "alice", Detail: d, Payload: body,
	})
}

func (p *platform) label(name string, detail ...string) uint64 {
	p.t.Helper()
	return p.emit("issues", "labeled", map[string]any{
		"action": "labeled", "label": map[string]any{"name": name}, "issue": map[string]any{"number": 1, "title": "It breaks"},
	}, detail...)
}

// settle waits for quiet.
func (p *platform) settle() {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	for seq := uint64(0); ; {
		next, quiet, err := p.l.Wait(ctx, seq)
		if err != nil {
			p.t.Fatalf("no quiet: %v; open: %v", err, p.l.Pending())
		}
		if quiet {
			return
		}
		seq = next
	}
}

// until waits until check holds.
func (p *platform) until(what string, check func() bool) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Minute)
	defer cancel()
	for seq := uint64(0); !check(); {
		next, quiet, err := p.l.Wait(ctx, seq)
		if err != nil || quiet && !check() {
			p.t.Fatalf("not %s: err %v, quiet %v, open %v\n%s", what, err, quiet, p.l.Pending(), p.report())
		}
		seq = next
	}
}

// report is every run and job in short, for comparison.
func (p *platform) report() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b strings.Builder
	for _, r := range p.runs {
		fmt.Fprintf(&b, "run %s %s\n", filepath.Base(r.Workflow), state(r.Status, r.Conclusion))
		var lines []string
		for _, j := range p.jobs {
			if j.RunID == r.ID {
				lines = append(lines, fmt.Sprintf("  %s %s\n", j.Name, state(j.Status, j.Conclusion)))
			}
		}
		b.WriteString(strings.Join(lines, ""))
	}
	return b.String()
}

func state(status, conclusion string) string {
	if status == "completed" {
		return conclusion
	}
	return status
}

func (p *platform) log(name string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, j := range p.jobs {
		if j.Name == name {
			return string(p.logs[j.ID])
		}
	}
	return ""
}

func (p *platform) allLogs() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b strings.Builder
	for _, j := range p.jobs {
		fmt.Fprintf(&b, "%s:\n%s", j.Name, p.logs[j.ID])
	}
	return b.String()
}
