package local

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/driver/jira"
	"github.com/understudy-dev/understudy/emulator/tracker"
)

// trackerAdmin is the account that administers a lease's tracker, and pollerAccount the one that polls it.
const (
	trackerAdmin  = "understudy-admin"
	pollerAccount = "understudy-poller"
)

// ticketing is a lease's issue tracker. It is started by the first step that speaks of it.
type ticketing struct {
	p *leased

	mu       sync.Mutex
	server   *tracker.Server
	client   *jira.Tracker
	accounts map[string]jira.Credential
	cause    string // of the step that goes on
}

// As implements driver.Tracker.
func (t *ticketing) As(ctx context.Context, account string) (driver.TrackerSession, error) {
	if err := t.start(); err != nil {
		return driver.TrackerSession{}, err
	}
	return t.client.As(ctx, account)
}

func (t *ticketing) start() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.server != nil {
		return nil
	}
	server, err := tracker.New(tracker.Options{Ledger: t.p.Ledger, Journal: t.p.Journal, Log: t.p.s.scope.Log.With("scenario", t.p.scenario)})
	if err != nil {
		return err
	}
	t.server, t.accounts = server, map[string]jira.Credential{}
	server.Admin().Mark(t.cause)
	t.client = jira.New(jira.Options{URL: server.URL(), Credential: t.credential, Number: server.Admin().NextIssue})
	return nil
}

// credential is that of an account, which is made when somebody first speaks of it.
func (t *ticketing) credential(account string) (jira.Credential, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	in := tracker.Account{ID: account}
	if account == "" {
		in = tracker.Account{ID: trackerAdmin, Admin: true}
	}
	if c, ok := t.accounts[in.ID]; ok {
		return c, nil
	}
	return t.enlist(in, tracker.TokenSpec{Account: in.ID, Kit: true})
}

// enlist makes an account with a token. The lock is held.
func (t *ticketing) enlist(in tracker.Account, spec tracker.TokenSpec) (jira.Credential, error) {
	in.Email = strings.ReplaceAll(in.ID, "@", ".") + "@example.test"
	c := jira.Credential{Email: in.Email, AccountID: in.ID}
	if err := t.server.Admin().AddAccount(in); err != nil {
		return c, err
	}
	var err error
	if c.Token, err = t.server.Admin().MintToken(spec); err != nil {
		return c, err
	}
	t.accounts[in.ID] = c
	return c, t.p.s.hide(c.Token, "token:jira:"+in.ID)
}

// mark says which step the tokens of the kit act for.
func (t *ticketing) mark(cause string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cause = cause
	if t.server != nil {
		t.server.Admin().Mark(cause)
	}
}

func (t *ticketing) close(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.server == nil {
		return nil
	}
	t.client.Close()
	return t.server.Close(ctx)
}

// Poll implements driver.Poller: it runs the platform file's poller in a sealed environment.
func (t *ticketing) Poll(ctx context.Context, project string) ([]byte, error) {
	in := t.p.s.scope.Platform.Poller
	if len(in.Run) == 0 {
		return nil, fmt.Errorf("%s has no poller: %w", t.p.s.scope.Platform.File, driver.ErrUnsupported)
	}
	if err := t.start(); err != nil {
		return nil, err
	}
	who, err := t.poller()
	if err != nil {
		return nil, err
	}
	home, err := os.MkdirTemp(t.p.dir, "poll-")
	if err != nil {
		return nil, fmt.Errorf("poll %s: %w", project, err)
	}
	fill := strings.NewReplacer("{repo}", org+"/"+repository, "{tracker}", t.server.URL(), "{project}", project, "{email}", who.Email, "{token}", who.Token).Replace
	spec := driver.Spec{Dir: home}
	for _, a := range in.Run {
		spec.Argv = append(spec.Argv, fill(a))
	}
	if defect := t.p.s.scope.Defect; defect != "" {
		for _, a := range t.p.s.scope.Platform.Defect {
			spec.Argv = append(spec.Argv, strings.ReplaceAll(a, "{name}", defect))
		}
	}
	env := t.p.ProgramEnv()
	maps.Copy(env, in.Env)
	env["HOME"], env["TMPDIR"] = home, home
	for _, k := range sortedKeys(env) {
		spec.Env = append(spec.Env, k+"="+fill(env[k]))
	}
	spec.Argv[0] = installer{t.p}.executable(spec.Argv[0])
	var out, said bytes.Buffer
	spec.Stdout, spec.Stderr = &out, &said
	proc, err := t.p.Launcher.Start(ctx, spec)
	if err != nil {
		return nil, fmt.Errorf("poll %s: %w", project, err)
	}
	exit, err := proc.Wait(ctx)
	if err != nil {
		return nil, fmt.Errorf("poll %s: %w", project, err)
	}
	if !exit.OK() {
		return nil, fmt.Errorf("poll %s with %s: %s\n%s", project, filepath.Base(spec.Argv[0]), exit, strings.ReplaceAll(tail(said.Bytes(), 4000), who.Token, "[token]"))
	}
	return out.Bytes(), nil
}

// poller is the account that polls: an administrator, who may look who has which role.
func (t *ticketing) poller() (jira.Credential, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c, ok := t.accounts[pollerAccount]; ok {
		return c, nil
	}
	return t.enlist(tracker.Account{ID: pollerAccount, App: true, Admin: true}, tracker.TokenSpec{Account: pollerAccount, Kit: true})
}
