// Package post acts on the forge for an agent that has run: labels and a comment when its result is
// good, a failure comment when not.
package post

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"example.com/crew/internal/defect"
	"example.com/crew/internal/forge"
	"example.com/crew/internal/run"
	"example.com/crew/internal/schema"
)

// FailureMarker stands in every failure comment.
const FailureMarker = "crew: failed"

// Labels that the triage agent's result leads to. ReadyToCode comes last: it is what later stages
// would start from.
const (
	Triaged     = "triaged"
	ReadyToCode = "ready-to-code"
	NeedsInfo   = "needs-info"
)

// The roles that have a post step.
const (
	triage = "triage"
	review = "review"
)

// Options say whose result to act on. Comments are written with Job, the job's own token, which
// starts no workflows; labels are set with Bot, so that they can start others.
type Options struct {
	Job    *forge.Client
	Bot    *forge.Client
	Agent  string
	Role   string // what the agent is for, its name unless said; a role that crew does not know has no post step
	Issue  int
	Output string
	Defect defect.Name
	// Push publishes the branch that the agent has left and returns its name, "" for none. Nil pushes
	// nothing.
	Push func(ctx context.Context) (string, error)
}

// Result is what an agent decided. Body and Head are the review agent's, the rest the triage agent's.
type Result struct {
	Action    string   `json:"action"`
	Reason    string   `json:"reason"`
	Comment   string   `json:"comment"`
	Questions []string `json:"questions"`
	Body      string   `json:"body"`
	Head      string   `json:"head_sha"`
}

// Post acts and returns one sentence of what it did.
func Post(ctx context.Context, o Options) (string, error) {
	o.Role = cmp.Or(o.Role, o.Agent)
	rec, err := run.ReadRecord(o.Output)
	if errors.Is(err, fs.ErrNotExist) {
		rec, err = run.Record{Status: run.Broken, Message: "the run left no record"}, nil
	}
	if err != nil {
		return "", fmt.Errorf("read the run's record: %w", err)
	}
	if rec.Status != run.Succeeded {
		if err := o.fail(ctx, rec); err != nil {
			return "", err
		}
		if o.Defect == defect.LabelDespiteFailure {
			return "reported the failure", o.label(ctx, Triaged, ReadyToCode)
		}
		return "reported the failure", nil
	}
	if o.Role != triage && o.Role != review {
		return fmt.Sprintf("agent %s is done; role %s has no post step", o.Agent, o.Role), nil
	}
	res, err := o.result(rec)
	if err != nil {
		return "", err
	}
	if o.Role == review && !commit.MatchString(res.Head) { // the schema knows no hexadecimal numbers
		rec.Message = fmt.Sprintf("the result's head_sha %q is no commit's full name", bounded(res.Head))
		return "", errors.Join(errors.New(rec.Message), o.fail(ctx, rec))
	}
	branch, err := o.push(ctx)
	if err != nil {
		// Labels would say that all is done.
		rec.Message = err.Error()
		return "", errors.Join(err, o.fail(ctx, rec))
	}
	act := o.triage
	if o.Role == review {
		act = o.review
	}
	said, err := act(ctx, res)
	if err == nil && branch != "" {
		said += "; pushed branch " + branch
	}
	return said, err
}

func (o Options) push(ctx context.Context) (string, error) {
	if o.Push == nil {
		return "", nil
	}
	return o.Push(ctx)
}

func (o Options) result(rec run.Record) (Result, error) {
	var res Result
	data, err := os.ReadFile(filepath.Join(run.IterationDir(o.Output, rec.Iteration), schema.Result))
	if err != nil {
		return res, fmt.Errorf("read the result: %w", err)
	}
	if err := json.Unmarshal(data, &res); err != nil {
		return res, fmt.Errorf("read the result: %w", err)
	}
	return res, nil
}

// review comments a pull request.
func (o Options) review(ctx context.Context, res Result) (string, error) {
	text := "**Review: " + res.Action + "**\n\n" + plain(res.Body)
	if err := o.Job.Stick(ctx, o.Issue, o.marker(""), text); err != nil {
		return "", fmt.Errorf("comment on pull request %d: %w", o.Issue, err)
	}
	return fmt.Sprintf("pull request %d has a review (%s)", o.Issue, res.Action), nil
}

var commit = regexp.MustCompile(`^[0-9a-f]{40}$`)

func (o Options) triage(ctx context.Context, res Result) (string, error) {
	var labels []string
	text := "**Triage: " + res.Action + "**\n\n" + plain(res.Comment)
	switch res.Action {
	case "sufficient":
		labels = []string{Triaged, ReadyToCode}
	case "insufficient":
		labels = []string{NeedsInfo}
		for _, q := range res.Questions {
			text += "\n- " + plain(q)
		}
	default:
		return "", fmt.Errorf("the result's action %q is unknown", res.Action)
	}
	if err := o.Job.Stick(ctx, o.Issue, o.marker(""), text); err != nil {
		return "", fmt.Errorf("comment on issue %d: %w", o.Issue, err)
	}
	if err := o.label(ctx, labels...); err != nil {
		return "", err
	}
	return fmt.Sprintf("issue %d is %s (%q); labels %s", o.Issue, res.Action, bounded(res.Reason), strings.Join(labels, ", ")), nil
}

// label puts on what is missing, one by one and in order.
func (o Options) label(ctx context.Context, labels ...string) error {
	have, err := o.Bot.Labels(ctx, o.Issue)
	if err != nil {
		return fmt.Errorf("read the labels of issue %d: %w", o.Issue, err)
	}
	for _, l := range labels {
		if slices.Contains(have, l) {
			continue
		}
		if err := o.Bot.AddLabel(ctx, o.Issue, l); err != nil {
			return fmt.Errorf("label issue %d with %s: %w", o.Issue, l, err)
		}
	}
	return nil
}

func (o Options) fail(ctx context.Context, rec run.Record) error {
	// The message may hold what the agent wrote: in a fence it mentions nobody.
	message := strings.ReplaceAll(bounded(rec.Message), "```", "'''")
	text := fmt.Sprintf("**%s** (agent %s)\n\n```text\n%s\n```", FailureMarker, o.Agent, message)
	if err := o.Job.Stick(ctx, o.Issue, o.marker(":failed"), text); err != nil {
		return fmt.Errorf("comment on issue %d: %w", o.Issue, err)
	}
	return nil
}

func (o Options) marker(kind string) string { return "<!-- crew:" + o.Agent + kind + " -->" }

// plain keeps an agent's text from posing as a marker.
func plain(s string) string { return strings.ReplaceAll(bounded(s), "<!--", "&lt;!--") }

func bounded(s string) string {
	const most = 8000
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
