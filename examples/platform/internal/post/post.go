// Package post acts on the forge for an agent that has run: what its stage does with a good result,
// a failure comment when there is none, and the status comment in either case.
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
	"slices"
	"strings"

	"example.com/crew/internal/defect"
	"example.com/crew/internal/forge"
	"example.com/crew/internal/push"
	"example.com/crew/internal/run"
	"example.com/crew/internal/schema"
)

// Options say whose result to act on. What starts further work is done with Bot: pushes, pull
// requests, reviews and the label that hands off. All else is done with Job, the job's own token,
// whose events start no workflows.
type Options struct {
	Job    *forge.Client
	Bot    *forge.Client
	Agent  string
	Role   string // what the agent is for, its name unless said; a role that crew does not know has no post step
	Issue  int    // or pull request
	Base   string // the branch that was checked out for the agent
	Output string
	React  bool // to the issue or pull request
	Defect defect.Name
	// Changed lists the files of the configuration that changed since the agent was started. Nil knows of none.
	Changed func(ctx context.Context, were map[string]string) ([]string, error)
	// Push publishes the branch that the agent has left and returns its name, "" for none. Nil pushes
	// nothing.
	Push func(context.Context, push.Rule) (string, error)
}

// Result is what an agent decided; which fields there are is its stage's schema's business.
type Result struct {
	Action    string   `json:"action"`
	Reason    string   `json:"reason"`    // triage, prioritize
	Comment   string   `json:"comment"`   // triage, retro
	Questions []string `json:"questions"` // triage
	Title     string   `json:"title"`     // code
	Summary   string   `json:"summary"`   // code, fix
	Body      string   `json:"body"`      // review
	Head      string   `json:"head_sha"`  // review
	Lessons   []string `json:"lessons"`   // retro
}

// outcome is what a post step came to.
type outcome struct {
	said    string // one sentence
	handOff string // label that starts the next stage, the last that is done; "" is none
}

// step is what a stage does with a good result.
type step func(context.Context, Options, Result) (outcome, error)

// steps are those of the stages by role.
func steps() map[string]step {
	return map[string]step{"triage": triage, "code": code, "review": review, "fix": fix, "retro": retro, "prioritize": prioritize}
}

// failure is an error with what the failure comment calls it.
type failure struct {
	category string
	err      error
}

func (f failure) Error() string { return f.err.Error() }
func (f failure) Unwrap() error { return f.err }

// failed wraps an error that is not nil.
func failed(category string, err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return failure{category, fmt.Errorf(format+": %w", append(args, err)...)}
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
		category := "run"
		if rec.Status == run.Invalid {
			category = "validation"
		}
		if err := o.fail(ctx, category, rec.Message); err != nil {
			return "", err
		}
		if o.Defect == defect.LabelDespiteFailure {
			return "reported the failure", o.label(ctx, o.Bot, "triaged", "ready-to-code")
		}
		if o.Defect == defect.HandOffDespiteFailure {
			return "reported the failure", o.label(ctx, o.Bot, "ready-to-code")
		}
		return "reported the failure", nil
	}
	act := steps()[o.Role]
	if act == nil {
		return fmt.Sprintf("agent %s is done; role %s has no post step", o.Agent, o.Role), o.status(ctx, "done")
	}
	done, err := o.act(ctx, act, rec)
	if err != nil {
		category := "post"
		if f, ok := errors.AsType[failure](err); ok {
			category = f.category
		}
		return "", errors.Join(err, o.fail(ctx, category, err.Error()))
	}
	return done.said, nil
}

// act goes through a post step. What starts the next stage comes last: nothing can fail behind it.
func (o Options) act(ctx context.Context, act step, rec run.Record) (outcome, error) {
	res, err := o.result(rec)
	if err != nil {
		return outcome{}, failure{"result", err}
	}
	if o.Defect == defect.HalfApplied {
		if _, err := o.push(ctx, push.Rule{}); err != nil {
			return outcome{}, err
		}
	}
	if err := o.unchanged(ctx, rec); err != nil {
		return outcome{}, failure{"configuration", err}
	}
	done, err := act(ctx, o, res)
	if err != nil {
		return done, err
	}
	if err := o.status(ctx, "done"); err != nil || done.handOff == "" {
		return done, failed("comment", err, "say that it is done on %d", o.Issue)
	}
	by := o.Bot
	if o.Defect == defect.HandOffLost {
		by = o.Job
	}
	return done, o.label(ctx, by, done.handOff)
}

// unchanged refuses to apply anything when the configuration is another one than that by which the agent was
// started: who changed it may have taken away what it allowed.
func (o Options) unchanged(ctx context.Context, rec run.Record) error {
	if o.Changed == nil || o.Defect == defect.ChangedConfigApplied {
		return nil
	}
	files, err := o.Changed(ctx, rec.Config)
	if err == nil && len(files) > 0 {
		err = fmt.Errorf("%s changed while the agent ran; nothing was applied, start it again", strings.Join(files, ", "))
	}
	return err
}

// push publishes the agent's branch as far as the rule allows it.
func (o Options) push(ctx context.Context, rule push.Rule) (string, error) {
	if o.Push == nil {
		return "", nil
	}
	branch, err := o.Push(ctx, rule)
	if refused, ok := errors.AsType[push.Refused](err); ok {
		return "", failure{"branch", refused}
	}
	return branch, failed("push", err, "push the agent's branch")
}

func (o Options) result(rec run.Record) (Result, error) {
	var res Result
	data, err := os.ReadFile(filepath.Join(run.IterationDir(o.Output, rec.Iteration), schema.Result))
	if lost, ok := errors.AsType[*fs.PathError](err); ok {
		return res, fmt.Errorf("read the result: %s: %w", schema.Result, lost.Err) // a comment tells nobody where the machine keeps it
	}
	if err != nil {
		return res, fmt.Errorf("read the result: %w", err)
	}
	if err := json.Unmarshal(data, &res); err != nil {
		return res, fmt.Errorf("read the result: %w", err)
	}
	return res, nil
}

// comment writes the agent's one comment, or replaces its text.
func (o Options) comment(ctx context.Context, text string) error {
	return failed("comment", o.Job.Stick(ctx, o.Issue, o.marker(""), text), "comment on %d", o.Issue)
}

// label puts on what is missing, one by one and in order.
func (o Options) label(ctx context.Context, by *forge.Client, labels ...string) error {
	have, err := by.Labels(ctx, o.Issue)
	if err != nil {
		return failed("label", err, "read the labels of %d", o.Issue)
	}
	for _, l := range labels {
		if slices.Contains(have, l) {
			continue
		}
		if err := by.AddLabel(ctx, o.Issue, l); err != nil {
			return failed("label", err, "label %d with %s", o.Issue, l)
		}
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
