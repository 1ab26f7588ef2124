package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/environment/page"
	"github.com/understudy-dev/understudy/internal/workdir"
)

// opened is a forge of the past for a person. No engine belongs to it.
type opened struct {
	past
	forge  *forge.Server
	dir    *workdir.Dir
	tokens map[string]string // by the actor's name
}

func openForge(o Options, f openFlags, p past) (*opened, error) {
	dir, err := workdir.New("")
	if err != nil {
		return nil, err
	}
	op := &opened{past: p, dir: dir, tokens: map[string]string{}}
	if err := op.start(o, f); err != nil {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		return nil, errors.Join(err, op.close(ctx))
	}
	return op, nil
}

func (op *opened) start(o Options, f openFlags) error {
	was := filepath.Join(op.dir.Path, "was")
	if err := os.Mkdir(was, 0o700); err != nil {
		return err
	}
	snapshot, err := op.archive.Snapshot(was, op.step, entriesOf(op.scenario.Journal))
	if err != nil {
		return err
	}
	op.forge, err = forge.New(forge.Options{
		From: snapshot, Dir: filepath.Join(op.dir.Path, "forge"), Port: f.port,
		Log: slog.New(slog.NewTextHandler(o.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		return err
	}
	for _, a := range op.archive.Actors {
		token, err := op.forge.Admin().MintToken(forge.TokenSpec{Login: a.Login, Name: a.Name, Cause: "token:" + a.Name})
		if err != nil {
			return fmt.Errorf("actor %s: %w", a.Name, err)
		}
		op.tokens[a.Name] = token
	}
	op.forge.Handle(page.Root, page.New(page.Options{Forge: op.forge, Note: op.what() + ". Workflows do not run here."}))
	return nil
}

// entriesOf is a scenario's journal in the forge's own form.
func entriesOf(in []driver.Entry) []forge.Entry {
	out := make([]forge.Entry, len(in))
	for i, e := range in {
		kind := forge.Read
		if e.Change {
			kind = forge.Change
		}
		out[i] = forge.Entry{Seq: e.Seq, Time: e.Time, Kind: kind, Type: e.Type, Cause: string(e.Cause), Actor: e.Actor, Subject: e.Subject, Detail: e.Detail}
	}
	return out
}

func (op *opened) close(ctx context.Context) error {
	var errs []error
	if op.forge != nil {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		errs = append(errs, op.forge.Close(ctx))
	}
	return errors.Join(append(errs, op.dir.Close())...)
}

// what says which moment this is.
func (op *opened) what() string {
	s := op.scenario
	at := "at its end"
	if op.step > 0 {
		st := s.Steps[op.step-1]
		at = fmt.Sprintf("after step %d of %d, %s %s", op.step, len(s.Steps), strings.TrimSpace(st.Keyword), st.Text)
	}
	trial := ""
	if op.trial > 1 {
		trial = fmt.Sprintf(", trial %d", op.trial)
	}
	return strings.Map(printable, fmt.Sprintf("%s %s (%s%s), %s", s.ID, s.Name, s.Verdict, trial, at))
}

// welcome is what a person reads first. All lines from the first export on can be pasted as they are.
func (op *opened) welcome(env []string) string {
	admin, server := op.forge.Admin(), op.forge.URL()
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nThe forge is as it was then, on this machine only. Workflows do not run. Ctrl-C ends it.\n\n", op.what())
	fmt.Fprintf(&b, "  API   %s\n  git   %s/OWNER/NAME.git, with any user name and a token as password\n", admin.APIURL(), server)
	fmt.Fprintf(&b, "  look  %s%s in a browser\n\n", server, page.Root)
	for _, a := range op.archive.Actors {
		fmt.Fprintf(&b, "  %-9s %s   %s\n", strings.Map(printable, a.Name), op.tokens[a.Name], strings.Map(printable, a.Login))
	}
	for _, what := range op.archive.LeftOut {
		fmt.Fprintf(&b, "\n  left out: %s", strings.Map(printable, what))
	}
	if len(op.archive.LeftOut) > 0 {
		fmt.Fprintf(&b, "\n  what needs it fails, a clone as well\n")
	}
	repos := admin.View().Repos()
	if len(repos) == 0 || len(op.archive.Actors) == 0 {
		return b.String()
	}
	actor := op.archive.Actors[0].Name
	if op.tokens["admin"] != "" {
		actor = "admin"
	}
	fmt.Fprintf(&b, "\nIn another terminal, as the actor %s:\n\n", strings.Map(printable, actor))
	if proxied(env) {
		fmt.Fprintf(&b, "  export no_proxy=\"127.0.0.1,$no_proxy\"\n")
	}
	host := strings.TrimPrefix(server, "http://")
	fmt.Fprintf(&b, "  export GITHUB_API_URL=%s\n  export GITHUB_TOKEN=%s\n\n", admin.APIURL(), op.tokens[actor])
	for _, r := range repos[:min(3, len(repos))] {
		fmt.Fprintf(&b, "  git clone http://x:$GITHUB_TOKEN@%s/%s.git\n", host, r.Name)
		fmt.Fprintf(&b, "  curl -fsS -H \"Authorization: Bearer $GITHUB_TOKEN\" \"$GITHUB_API_URL/repos/%s/issues?state=all\"\n", r.Name)
	}
	return b.String()
}

// proxied tells whether programs here would ask a proxy for an address of this machine.
func proxied(env []string) bool {
	return (variable(env, "http_proxy") != "" || variable(env, "HTTP_PROXY") != "") &&
		!strings.Contains(variable(env, "no_proxy")+variable(env, "NO_PROXY"), "127.0.0.1")
}
