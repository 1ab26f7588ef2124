package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"example.com/crew/internal/config"
	"example.com/crew/internal/current"
	"example.com/crew/internal/defect"
	"example.com/crew/internal/dispatch"
	"example.com/crew/internal/event"
	"example.com/crew/internal/harness"
	"example.com/crew/internal/owners"
)

// decisionFile is the whole decision, in the output directory.
const decisionFile = "dispatch.json"

func (a app) dispatch(ctx context.Context, args []string) error {
	f := newFlags("dispatch")
	file := f.String("event", "", "")
	d, err := a.parse(f, args)
	if err != nil {
		return err
	}
	e, complete, err := a.event(ctx, *file, d)
	if err != nil {
		return err
	}
	root, c, err := a.checkout()
	if err != nil {
		return err
	}
	if *file == "" && d != defect.ConfigReadOnce {
		now, err := a.branch(root, a.getenv("GITHUB_REF_NAME"))
		if err == nil {
			err = now.Restrict(ctx, &c)
		}
		if err != nil {
			return err
		}
	}
	var failed error
	decision := dispatch.Decide(dispatch.Options{
		Event: e, KillSwitch: c.KillSwitch, Complete: complete, Owner: a.owner(root, c, d), Defect: d,
		List: func() (all []dispatch.Candidate) {
			all, failed = dispatch.List(ctx, c, harness.Loader{Dir: c.Dir, Fetch: a.fetcher(c, root, d), Defect: d})
			return all
		},
	})
	if failed != nil {
		return errors.Join(failed, a.tell(decision.Refuse(failed.Error()), filepath.Join(root, output), d))
	}
	return a.tell(decision, filepath.Join(root, output), d)
}

// branch is the one that was checked out, of which the job's own token reads. The ref of a pull request is none.
func (a app) branch(root, name string) (current.Branch, error) {
	client, err := a.jobsClient("GITHUB_TOKEN")
	if err != nil {
		return current.Branch{}, err
	}
	dir, err := a.variable("CREW_DIR")
	if a.getenv("GITHUB_EVENT_NAME") == "pull_request_review" {
		name = ""
	}
	return current.Branch{Forge: client, Name: name, Checkout: root, Dir: dir}, err
}

// event returns what to decide about, and what finds out the rest of it: of a normalised event in a
// file nothing, of the job's own what only the forge can say.
func (a app) event(ctx context.Context, file string, d defect.Name) (event.Event, func(*event.Event), error) {
	if file != "" {
		data, err := readBounded(file)
		if err != nil {
			return event.Event{}, nil, err
		}
		e, err := event.Parse(data)
		if err != nil {
			return e, nil, fmt.Errorf("%s: %w", file, err)
		}
		return e, nil, nil
	}
	name, err := a.variable("GITHUB_EVENT_NAME")
	if err != nil {
		return event.Event{}, nil, err
	}
	path, err := a.variable("GITHUB_EVENT_PATH")
	if err != nil {
		return event.Event{}, nil, err
	}
	repo, err := a.variable("GITHUB_REPOSITORY")
	if err != nil {
		return event.Event{}, nil, err
	}
	data, err := readBounded(path)
	if err != nil {
		return event.Event{}, nil, fmt.Errorf("read the event: %w", err)
	}
	e, err := event.FromGitHub(name, repo, data)
	return e, func(e *event.Event) { a.complete(ctx, e, d) }, err
}

// readBounded reads a file that is no larger than GitHub's payloads are.
func readBounded(name string) ([]byte, error) {
	const most = 25 << 20
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if len(data) > most {
		return nil, fmt.Errorf("%s is larger than %d bytes", name, most)
	}
	return data, err
}

// complete asks the forge for the actor's role and for the pull request that a comment is on. Who
// cannot be looked up has no role; a pull request that cannot is a fork's.
func (a app) complete(ctx context.Context, e *event.Event, d defect.Name) {
	client, err := a.client("GITHUB_API_URL", "GITHUB_TOKEN", e.Repo)
	if err != nil {
		a.warn("nothing can be looked up: " + err.Error())
		return
	}
	if dispatch.NeedsRole(*e) || e.Actor.Kind == event.Human {
		role, err := client.Role(ctx, e.Actor.ID)
		if err != nil {
			a.warn(fmt.Sprintf("the role of %s is unknown: %v", e.Actor.ID, err))
			role = event.NoRole
			if d == defect.RoleLookupErrorAccepted {
				role = "write"
			}
		}
		e.SetRole(role)
	}
	if e.NeedsProposal() {
		data, err := client.Pull(ctx, e.Entity.ID)
		if err == nil {
			err = e.SetProposal(data)
		}
		if err != nil {
			a.warn(fmt.Sprintf("pull request %d counts as a fork's: %v", e.Entity.ID, err))
		}
	}
}

// owner is what the checkout's OWNERS files say of an actor, nil when they do not count. Files that cannot be
// read name nobody.
func (a app) owner(root string, c config.Config, d defect.Name) func(string) string {
	if !c.Owners && d != defect.OwnersUnasked {
		return nil
	}
	return func(login string) string {
		o, err := owners.Load(root, d)
		if err != nil {
			a.warn("OWNERS name nobody: " + err.Error())
			return owners.None
		}
		return o.Of(login)
	}
}

func (a app) warn(text string) { fmt.Fprintf(a.stdout, "::warning::%s\n", escape(text)) }

// tell says the decision to the log, to the workflow, to people and to dispatch.json.
func (a app) tell(d dispatch.Decision, dir string, seeded defect.Name) error {
	if d.Decision == dispatch.Denied && seeded == defect.DenialSilent {
		return a.appendTo("GITHUB_OUTPUT", "matrix={\"include\":[]}\nany=false\n")
	}
	matrix, err := json.Marshal(d.Matrix)
	if err != nil {
		return err
	}
	reason := oneLine(d.Event.Title() + ": " + d.Reason)
	fmt.Fprintf(a.stdout, "crew: %s\n", reason)
	var table strings.Builder
	for _, agent := range d.Agents {
		labels := ""
		if len(agent.Labels) > 0 {
			labels = " [" + strings.Join(agent.Labels, ", ") + "]"
		}
		text := fmt.Sprintf("agent %s%s is %s: %s", agent.Name, labels, agent.Decision, agent.Reason)
		if agent.Failed {
			a.warn(text)
		} else {
			fmt.Fprintf(a.stdout, "crew: %s\n", oneLine(text))
		}
		table.WriteString(strings.ReplaceAll(text, "```", "'''") + "\n")
	}
	whole, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	summary := "crew: " + strings.ReplaceAll(reason, "```", "'''") + "\n"
	return errors.Join(
		os.WriteFile(filepath.Join(dir, decisionFile), append(whole, '\n'), 0o644),
		a.appendTo("GITHUB_OUTPUT", fmt.Sprintf("matrix=%s\nany=%t\nreason=%s\n", matrix, len(d.Matrix.Include) > 0, reason)),
		a.appendTo("GITHUB_STEP_SUMMARY", "```text\n"+summary+table.String()+"```\n"),
	)
}

// oneLine keeps what others wrote from beginning a line of its own.
func oneLine(s string) string {
	return strings.NewReplacer("\r", " ", "\n", " ").Replace(s)
}

// appendTo writes to the file that a variable of the job names; outside of a job there is none.
func (a app) appendTo(variable, text string) error {
	name := a.getenv(variable)
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
