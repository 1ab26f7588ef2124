package actions

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/actions/internal/expr"
	"github.com/understudy-dev/understudy/emulator/actions/internal/workflow"
	"github.com/understudy-dev/understudy/internal/journal"
)

// happening is one event as workflows see it.
type happening struct {
	seq       uint64
	name      string // "issues"
	action    string // "labeled"
	repo      string
	actor     string
	sha       string // of the commit that the runs belong to, and whose workflow files count
	ref       string
	pushed    string // the ref that a push moved: ref, unless it was deleted
	raw       json.RawMessage
	payload   *expr.Object
	paths     []string  // changed by a push or a pull request
	message   string    // of the commit at a pull request's head
	pull      *pull     // that the event is about
	untrusted bool      // the runs get a token that only reads, and no secrets
	depth     int       // of a workflow_run: how many runs started one another before it
	chain     int       // how many runs led to this event, each by what one of its jobs did or by its end
	due       time.Time // of a schedule: its runs are of this moment
	file      string    // of a schedule: the workflow that it is for
	held      bool      // its runs wait until somebody approves them
	quiet     bool      // a job's token made it: it starts nothing but runs that are held
	copied    bool      // the runs that it started, if any, are copied too: it starts none
}

// accept starts the runs that an entry asks for.
func (e *Engine) accept(entry journal.Entry) error {
	if e.control(entry) {
		return nil
	}
	h, err := readEvent(entry)
	if err != nil || h.name == "" {
		return err
	}
	if h.name == schedule {
		h.due, h.file = entry.Time, entry.Detail["workflow"]
	}
	if h.name == "workflow_run" {
		h.depth = e.depth(h) + 1
	}
	h.chain = e.chain(entry.Cause)
	return e.deliver(entry, h.triggers())
}

// readEvent returns the event that an entry is about; one without a name is none that starts runs.
func readEvent(entry journal.Entry) (happening, error) {
	d := entry.Detail
	h := happening{
		seq: entry.Seq, name: d["event"], action: d["action"], repo: d["repo"], actor: entry.Actor,
		sha: d["sha"], ref: d["ref"], message: d["message"], raw: entry.Payload, copied: entry.Copied,
		held: d["approval"] == "required", quiet: d["starts_runs"] == "no",
	}
	if h.name == "" || h.repo == "" || len(h.raw) == 0 {
		return happening{}, nil // something that happened, but no webhook event
	}
	dispatch := h.name == "workflow_dispatch" || h.name == "repository_dispatch"
	if h.quiet && !h.held && !dispatch {
		return happening{}, nil
	}
	payload, err := expr.FromJSON(h.raw)
	if err != nil {
		return h, fmt.Errorf("read payload: %w", err)
	}
	var ok bool
	if h.payload, ok = payload.(*expr.Object); !ok {
		return h, fmt.Errorf("read payload: it is not an object")
	}
	h.pushed = h.ref
	if paths := d["paths"]; paths != "" {
		h.paths = strings.Split(paths, "\n")
	}
	return h, nil
}

// triggers is the event under every name by which workflows can ask for it.
func (h happening) triggers() []happening {
	switch h.name {
	case "push":
		if h.push() {
			return nil
		}
	case "delete":
		h.sha, h.ref = "", "" // what it names is gone
	case "pull_request":
		var out []happening
		if !skips(h.message) {
			out = h.onMerge()
		}
		if !h.quiet {
			out = append(out, h.ofPullTarget())
		}
		return out
	case "pull_request_review", "pull_request_review_comment":
		return h.onMerge()
	case "workflow_run":
		h.sha, h.ref = "", ""
	}
	return []happening{h}
}

// offer shows the event to the workflow files that count for it.
func (e *Engine) offer(h happening) error {
	h, src, err := e.source(h)
	if err != nil {
		return err
	}
	for _, f := range src.Files {
		if slices.Contains(src.Disabled, f.Path) {
			continue
		}
		if err := e.consider(h, src, f); err != nil {
			return err
		}
	}
	return nil
}

// source reads the workflow files that count for the event now.
func (e *Engine) source(h happening) (happening, Source, error) {
	src, err := e.o.Host.Source(context.WithoutCancel(e.ctx), h.repo, h.sha)
	if err != nil {
		return h, src, fmt.Errorf("read workflows of %s: %w", h.repo, err)
	}
	if h.sha == "" {
		h.sha = src.SHA
	}
	if h.ref == "" {
		h.ref = src.Ref
	}
	return h, src, nil
}

func workflowFile(f File) bool {
	ext := path.Ext(f.Path)
	return ext == ".yml" || ext == ".yaml"
}

// asked reports whether the file wants the event. One that nobody understands is refused at every
// event but those about runs: its own is one.
func (h happening) asked(wf *workflow.Workflow) bool {
	if h.copied {
		return false
	}
	return wf.On.Match(h.event()) || wf.On.Broken() && h.name != "workflow_run"
}

// push reads what only pushes have. It reports whether the commit asks for no runs.
func (h *happening) push() (skip bool) {
	if at(h.payload, "deleted") == true {
		h.sha, h.ref = "", "" // GitHub runs the default branch's workflows then, at its head
		return false
	}
	list, _ := at(h.payload, "commits").([]any)
	for _, c := range list {
		for _, kind := range []string{"added", "removed", "modified"} {
			files, _ := at(c, kind).([]any)
			for _, f := range files {
				h.paths = append(h.paths, expr.String(f))
			}
		}
	}
	return skips(expr.String(at(h.payload, "head_commit", "message")))
}

// skips reports whether a commit's message asks for no runs.
// https://docs.github.com/en/actions/how-tos/manage-workflow-runs/skip-workflow-runs
func skips(message string) bool {
	for _, word := range []string{"[skip ci]", "[ci skip]", "[no ci]", "[skip actions]", "[actions skip]"} {
		if strings.Contains(message, word) {
			return true
		}
	}
	_, trailer, _ := strings.Cut(message, "\n\n")
	return strings.Contains(trailer, "skip-checks: true") || strings.Contains(trailer, "skip-checks:true")
}

// consider starts the run of one file if the event is for it.
func (e *Engine) consider(h happening, src Source, f File) error {
	if !workflowFile(f) {
		return nil
	}
	wf, problems := e.parse(f)
	if !h.asked(wf) {
		if !h.copied && wf.On.Names(h.name) && !workflow.Delivered(h.name) {
			e.o.Log.Warn("event starts no runs here", "event", h.name, "workflow", f.Path, "repo", h.repo)
		}
		return nil
	}
	if h.name == "workflow_dispatch" {
		if file := expr.String(at(h.payload, "workflow")); file != f.Path && file != path.Base(f.Path) {
			return nil
		}
	}
	if h.name == schedule && h.file != f.Path {
		return nil
	}
	if e.unindexed(h, f) {
		return nil
	}
	if why := h.endless(); why != "" {
		e.o.Log.Warn("run refused", "workflow", f.Path, "repo", h.repo, "why", why)
		e.o.Journal.Append(journal.Entry{
			Kind: journal.Read, Type: "run.refused", Cause: fmt.Sprintf("event:%d", h.seq), Subject: h.repo + " " + f.Path,
			Detail: map[string]string{"message": why},
		})
		return nil
	}
	r := newRun(e, h, src, f, wf)
	if problems == nil {
		problems = e.lacking(wf)
	}
	if problems != nil {
		return r.refuse(problems.Error())
	}
	if h.held {
		return r.hold()
	}
	return r.start()
}

// event is what the file's triggers look at.
func (h happening) event() workflow.Event {
	ev := workflow.Event{Name: h.name, Action: h.action, Ref: h.pushed, Paths: h.paths}
	switch {
	case h.name == "workflow_run":
		ev.Branch = expr.String(at(h.payload, "workflow_run", "head_branch"))
		ev.Workflow = expr.String(at(h.payload, "workflow", "name"))
	case h.pull != nil:
		ev.Branch = h.pull.base
	}
	return ev
}

// at follows a path into a JSON value; what is not there is nil.
func at(v any, path ...string) any {
	for _, key := range path {
		o, ok := v.(*expr.Object)
		if !ok {
			return nil
		}
		v, _ = o.Get(key)
	}
	return v
}

// title is what people see of a run without `run-name:`.
func (h happening) title(wf *workflow.Workflow) string {
	title := ""
	switch h.name {
	case "push":
		title, _, _ = strings.Cut(expr.String(at(h.payload, "head_commit", "message")), "\n")
	case "issues", "issue_comment":
		title = expr.String(at(h.payload, "issue", "title"))
	case "pull_request", "pull_request_target", "pull_request_review", "pull_request_review_comment":
		title = expr.String(at(h.payload, "pull_request", "title"))
	case "release":
		title = cmp.Or(expr.String(at(h.payload, "release", "name")), expr.String(at(h.payload, "release", "tag_name")))
	case "repository_dispatch":
		title = h.action
	}
	if title == "" {
		title = wf.Name
	}
	return title
}

// inputs are the values of workflow_dispatch, with the file's defaults and types.
func (h happening) inputs(wf *workflow.Workflow) (any, error) {
	if h.name != "workflow_dispatch" {
		return &expr.Object{}, nil
	}
	given, _ := at(h.payload, "inputs").(*expr.Object)
	if given == nil {
		given = &expr.Object{}
	}
	out := &expr.Object{}
	for _, in := range wf.On.Inputs {
		v, ok := given.Get(in.Name)
		if !ok {
			v = in.Default
		}
		v, err := typed(in, expr.String(v))
		if err != nil {
			return nil, err
		}
		out.Set(in.Name, v)
	}
	for _, name := range given.Keys() {
		if _, ok := out.Get(name); !ok {
			return nil, fmt.Errorf("there is no input %q", name)
		}
	}
	return out, nil
}

// typed is the value of one input.
func typed(in workflow.Input, text string) (any, error) {
	if in.Required && text == "" {
		return nil, fmt.Errorf("input %q is required", in.Name)
	}
	switch in.Type {
	case "boolean":
		switch text {
		case "true", "false", "":
			return text == "true", nil
		}
		return nil, fmt.Errorf("input %q is true or false, not %q", in.Name, text)
	case "number":
		if text == "" {
			return 0.0, nil
		}
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("input %q is a number, not %q", in.Name, text)
		}
		return f, nil
	case "choice":
		if text != "" && !slices.Contains(in.Options, text) {
			return nil, fmt.Errorf("input %q has no choice %q; there are: %s", in.Name, text, strings.Join(in.Options, ", "))
		}
	}
	return text, nil
}
