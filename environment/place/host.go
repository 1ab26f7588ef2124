package place

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/actions"
	"github.com/understudy-dev/understudy/emulator/forge"
)

// host shows the forge to the engine: the only place where the two meet.
type host struct {
	a *forge.Admin
	p *Place
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
	out := actions.Source{DefaultBranch: branch, Ref: ref, Variables: variables, Permissive: h.a.JobsWrite(repo)}
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
	paths := slices.Sorted(maps.Keys(files))
	out.Disabled = h.a.DisabledWorkflows(repo, paths...)
	for _, path := range paths {
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
		Kept: j.Kept,
	}
	for _, st := range j.Steps {
		in.Steps = append(in.Steps, forge.Step(st))
	}
	for _, n := range j.Annotations {
		in.Annotations = append(in.Annotations, forge.Annotation(n))
	}
	out, err := h.a.SaveJob(in)
	j.ID, j.Attempt = out.ID, out.Attempt
	return j, err
}

// Grant mints a token that starts no runs, and hands out secrets. A secret that is a live token of
// this forge is replaced by an alias, so that what the job does with it is known to be the job's.
func (h host) Grant(_ context.Context, j actions.Job) (actions.Grant, error) {
	cause := "job:" + strconv.FormatInt(j.ID, 10)
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
	if err := h.p.o.Hide(token, "token:"+cause); err != nil {
		return actions.Grant{}, err
	}
	out := actions.Grant{Token: token}
	if out.Variables, err = h.a.Variables(j.Repo); err != nil {
		return actions.Grant{}, err
	}
	var ofEnvironment map[string]string
	if j.Environment != "" {
		var more map[string]string
		if more, ofEnvironment, err = h.a.Deploy(j.Repo, j.Environment); err != nil {
			return actions.Grant{}, err
		}
		maps.Copy(out.Variables, more)
	}
	if j.Untrusted {
		return out, nil // it may read no secrets
	}
	secrets, err := h.a.Secrets(j.Repo)
	if err != nil {
		return actions.Grant{}, err
	}
	if out.Secrets, err = h.hidden(secrets, cause); err != nil {
		return actions.Grant{}, err
	}
	out.EnvironmentSecrets, err = h.hidden(ofEnvironment, cause)
	return out, err
}

// hidden are secrets as the job gets them.
func (h host) hidden(secrets map[string]string, cause string) (map[string]string, error) {
	secrets, err := maps.Clone(secrets), error(nil)
	for name, value := range secrets {
		if secrets[name], err = h.aliased(value, cause); err != nil {
			return nil, err
		}
		if err := h.p.o.Hide(secrets[name], "secret:"+name); err != nil {
			return nil, err
		}
	}
	return secrets, nil
}

// aliased replaces every token of this lease in a secret's value, which may hold more than the token.
func (h host) aliased(value, cause string) (string, error) {
	for actor, token := range h.p.Tokens {
		if !strings.Contains(value, token) {
			continue
		}
		alias, ok := h.a.Alias(token, cause)
		if !ok {
			continue // revoked since
		}
		if err := h.p.o.Hide(alias, "token:"+actor); err != nil {
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

func (h host) PutCache(_ context.Context, c actions.Cache, content io.Reader) (actions.Cache, error) {
	out, err := h.a.PutCache(forge.Cache(c), content)
	return actions.Cache(out), err
}

func (h host) Caches(_ context.Context, repo string) ([]actions.Cache, error) {
	var out []actions.Cache
	for _, c := range h.a.Caches(repo) {
		out = append(out, actions.Cache(c))
	}
	return out, nil
}

func (h host) UseCache(_ context.Context, repo string, id int64) bool { return h.a.UseCache(repo, id) }

func (h host) OpenCache(_ context.Context, id int64) (io.ReadCloser, error) { return h.a.OpenCache(id) }
