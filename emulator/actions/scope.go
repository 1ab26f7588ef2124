package actions

import (
	"strconv"
	"strings"

	"github.com/understudy-dev/understudy/emulator/actions/internal/expr"
)

// scope is what the run's own expressions see, and with a node also that job's.
func (r *run) scope(n *node) expr.Scope {
	github := r.github()
	s := expr.Scope{Contexts: map[string]any{"github": github, "inputs": r.inputs}}
	if r.vars != nil {
		s.Contexts["vars"] = r.vars
	}
	if n == nil {
		return s
	}
	github.Set("job", n.job.Key)
	s.Contexts["inputs"] = n.g.inputs
	needs := &expr.Object{}
	for _, key := range n.job.Needs {
		need := &expr.Object{}
		need.Set("result", n.g.byKey[key].result)
		need.Set("outputs", expr.Strings(n.g.byKey[key].outputs))
		needs.Set(key, need)
	}
	s.Contexts["needs"] = needs
	s.Status = n.status()
	return s
}

// github is the context of that name, without the token: no job's token exists yet.
func (r *run) github() *expr.Object {
	owner, _, _ := strings.Cut(r.rec.Repo, "/")
	kind := ""
	switch {
	case strings.HasPrefix(r.h.ref, "refs/heads/"), strings.HasPrefix(r.h.ref, "refs/pull/"):
		kind = "branch"
	case strings.HasPrefix(r.h.ref, "refs/tags/"):
		kind = "tag"
	}
	var base, head string
	if r.h.pull != nil {
		base, head = r.h.pull.base, r.h.pull.head
	}
	o := &expr.Object{}
	for _, kv := range [...]struct {
		key string
		val any
	}{
		{"ref", r.h.ref}, {"sha", r.h.sha}, {"repository", r.rec.Repo}, {"repository_owner", owner},
		{"repository_id", expr.String(at(r.h.payload, "repository", "id"))},
		{"repository_owner_id", expr.String(at(r.h.payload, "repository", "owner", "id"))},
		{"repositoryUrl", strings.Replace(r.e.o.ServerURL, "http", "git", 1) + "/" + r.rec.Repo + ".git"},
		{"run_id", strconv.FormatInt(r.rec.ID, 10)}, {"run_number", strconv.Itoa(r.rec.Number)}, {"run_attempt", strconv.Itoa(r.rec.Attempt)},
		{"actor", r.rec.Actor}, {"triggering_actor", r.rec.TriggeringActor}, {"actor_id", expr.String(at(r.h.payload, "sender", "id"))},
		{"workflow", r.wf.Name}, {"workflow_ref", r.rec.Repo + "/" + r.file.Path + "@" + r.h.ref}, {"workflow_sha", r.h.sha},
		{"head_ref", head}, {"base_ref", base}, {"event_name", r.h.name}, {"event", r.h.payload},
		{"server_url", r.e.o.ServerURL}, {"api_url", r.e.o.APIURL}, {"graphql_url", r.e.o.APIURL + "/graphql"},
		{"ref_name", shortRef(r.h.ref)}, {"ref_type", kind}, {"ref_protected", false},
	} {
		o.Set(kv.key, kv.val)
	}
	return o
}
