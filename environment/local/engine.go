package local

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/actions"
	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/internal/journal"
)

func (p *place) startEngine(log *slog.Logger) error {
	h := host{p.forge.Admin(), p}
	engine, err := actions.New(actions.Options{
		Ledger: p.ledger, Journal: p.journal, Host: h, Store: h, Launcher: p.launcher, Runner: p.s.o.JobRunner,
		Dir: filepath.Join(p.dir, "jobs"), Env: p.programEnv(), ServerURL: p.forge.URL(), APIURL: p.apiURL(),
		Now: p.now, Secret: p.hide, Log: log.With("part", "actions"),
	})
	if err != nil {
		return err
	}
	p.engine = engine
	p.closers = append(p.closers, engine.Close)
	for _, pattern := range actions.ArtifactPatterns {
		p.forge.Handle(pattern, engine.ArtifactService())
	}
	return nil
}

// programEnv is the environment of everything the platform runs: built from empty.
func (p *place) programEnv() map[string]string {
	return map[string]string{
		"PATH": p.s.tools + ":" + p.s.o.Path,
		"LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "dumb", "NO_COLOR": "1", "PAGER": "cat", "GIT_PAGER": "cat",
		"GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "CI": "true",
		"HTTP_PROXY": p.door.URL(), "http_proxy": p.door.URL(), "HTTPS_PROXY": p.door.URL(), "https_proxy": p.door.URL(),
		"NO_PROXY": "127.0.0.1,localhost,::1", "no_proxy": "127.0.0.1,localhost,::1",
	}
}

// host shows the forge to the engine: the only place where the two meet.
type host struct {
	a *forge.Admin
	p *place
}

func (h host) Source(_ context.Context, repo, ref string) (actions.Source, error) {
	branch, err := h.a.DefaultBranch(repo)
	if err != nil {
		return actions.Source{}, err
	}
	variables, err := h.a.Variables(repo)
	if err != nil {
		return actions.Source{}, err
	}
	out := actions.Source{DefaultBranch: branch, Ref: ref, Variables: variables}
	if ref == "" {
		out.Ref = "refs/heads/" + branch
	}
	out.SHA, err = h.a.ResolveRef(repo, out.Ref)
	if errors.Is(err, driver.ErrNotFound) {
		return out, nil // a repository without that commit has no workflows there
	}
	if err != nil {
		return actions.Source{}, err
	}
	files, err := h.a.WorkflowFiles(repo, out.SHA)
	if err != nil {
		return actions.Source{}, err
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		out.Files = append(out.Files, actions.File{Path: path, Data: files[path]})
	}
	return out, nil
}

func (h host) SaveRun(_ context.Context, r actions.Run) (actions.Run, error) {
	out, err := h.a.SaveRun(forge.Run(r))
	return actions.Run(out), err
}

func (h host) SaveJob(_ context.Context, j actions.Job) (actions.Job, error) {
	in := forge.Job{
		ID: j.ID, RunID: j.RunID, Repo: j.Repo, Key: j.Key, Name: j.Name, Status: j.Status, Conclusion: j.Conclusion,
		TimedOut: j.TimedOut, Error: j.Error, Permissions: j.Permissions, Created: j.Created, Started: j.Started, Completed: j.Completed,
	}
	for _, st := range j.Steps {
		in.Steps = append(in.Steps, forge.Step(st))
	}
	out, err := h.a.SaveJob(in)
	j.ID = out.ID
	return j, err
}

// Grant mints a token that starts no runs, and hands out secrets. A secret that is a live token of
// this forge is replaced by an alias, so that what the job does with it is known to be the job's.
func (h host) Grant(_ context.Context, j actions.Job) (actions.Grant, error) {
	cause := jobCause(j.ID)
	permissions := j.Permissions
	if permissions == nil {
		permissions = map[string]string{"contents": "read", "metadata": "read", "packages": "read"}
	}
	token, err := h.a.MintToken(forge.TokenSpec{
		Login: "github-actions[bot]", Repo: j.Repo, Permissions: permissions, Cause: cause, StartsNoRuns: true, Name: "GITHUB_TOKEN",
	})
	if err != nil {
		return actions.Grant{}, err
	}
	if err := h.p.hide(token, "token:"+cause); err != nil {
		return actions.Grant{}, err
	}
	secrets, err := h.a.Secrets(j.Repo)
	if err != nil {
		return actions.Grant{}, err
	}
	secrets = maps.Clone(secrets)
	for name, value := range secrets {
		if secrets[name], err = h.aliased(value, cause); err != nil {
			return actions.Grant{}, err
		}
		if err := h.p.hide(secrets[name], "secret:"+name); err != nil {
			return actions.Grant{}, err
		}
	}
	variables, err := h.a.Variables(j.Repo)
	if err != nil {
		return actions.Grant{}, err
	}
	return actions.Grant{Token: token, Secrets: secrets, Variables: variables}, nil
}

// aliased replaces every token of this lease in a secret's value, which may hold more than the token.
func (h host) aliased(value, cause string) (string, error) {
	for actor, token := range h.p.tokens {
		if !strings.Contains(value, token) {
			continue
		}
		alias, ok := h.a.Alias(token, cause)
		if !ok {
			continue // revoked since
		}
		if err := h.p.hide(alias, "token:"+actor); err != nil {
			return "", err
		}
		value = strings.ReplaceAll(value, token, alias)
	}
	return value, nil
}

func (h host) Revoke(_ context.Context, token string) error {
	h.a.RevokeToken(token)
	return nil
}

func (h host) AppendLog(_ context.Context, job int64, chunk []byte) error {
	return h.a.AppendLog(job, chunk)
}

func (h host) PutArtifact(_ context.Context, a actions.Artifact, zip io.Reader) (actions.Artifact, error) {
	out, err := h.a.PutArtifact(forge.Artifact(a), zip)
	return actions.Artifact(out), err
}

func (h host) Artifacts(_ context.Context, run int64) ([]actions.Artifact, error) {
	var out []actions.Artifact
	for _, a := range h.a.Artifacts(run) {
		out = append(out, actions.Artifact(a))
	}
	return out, nil
}

func (h host) OpenArtifact(_ context.Context, id int64) (io.ReadCloser, error) {
	return h.a.OpenArtifact(id)
}

func (h host) DeleteArtifact(_ context.Context, id int64) error { return h.a.DeleteArtifact(id) }

// journalView shows the journal to scenarios.
type journalView struct{ j *journal.Journal }

func (v journalView) Entries(_ context.Context, after uint64) ([]driver.Entry, error) {
	in := v.j.Entries(after)
	out := make([]driver.Entry, len(in))
	for i, e := range in {
		out[i] = driver.Entry{
			Seq: e.Seq, Time: e.Time, Change: e.Kind == journal.Change, Type: e.Type, Cause: driver.Cause(e.Cause),
			Actor: e.Actor, Subject: e.Subject, Detail: e.Detail,
		}
	}
	return out, nil
}

// marker says which step the scenario's own tokens act for.
type marker struct{ p *place }

func (m marker) Mark(_ context.Context, cause driver.Cause, text string) error {
	m.p.journal.Append(journal.Entry{
		Kind: journal.Read, Type: "step", Subject: string(cause), Detail: map[string]string{"text": text},
	})
	m.p.forge.Admin().Mark(string(cause))
	return nil
}
