package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"example.com/crew/internal/config"
	"example.com/crew/internal/dispatch"
	"example.com/crew/internal/event"
	"example.com/crew/internal/harness"
	"example.com/crew/internal/setup"
	"example.com/crew/internal/tracker"
)

// dispatched is a line that crew poll prints: an agent to start. ID is the same whenever the same event is told of the same agent;
// who starts agents does so once for each.
type dispatched struct {
	ID    string      `json:"id"`
	Stage string      `json:"stage"`
	Agent string      `json:"agent"`
	Issue string      `json:"issue"`
	Actor string      `json:"actor"`
	Role  string      `json:"role"`
	Event event.Event `json:"event"`
}

// poll prints what the events of a tracker's project start.
func (a app) poll(ctx context.Context, args []string) (err error) {
	f := newFlags("poll")
	address, project, repo := f.String("tracker", "", ""), f.String("project", "", ""), f.String("repo", "", "")
	dir := f.String("dir", "", "")
	d, err := a.parse(f, args)
	if err != nil {
		return err
	}
	if *address == "" || *project == "" || *repo == "" {
		return misuse("--tracker, --project and --repo are needed")
	}
	email, err := a.variable("CREW_TRACKER_EMAIL")
	if err != nil {
		return err
	}
	token, err := a.variable("CREW_TRACKER_TOKEN")
	if err != nil {
		return err
	}
	client, err := tracker.New(*address, email, token)
	if err != nil {
		return usageError{err}
	}
	root, below := filepath.Split(filepath.Clean(*dir))
	if *dir == "" {
		if root, err = os.MkdirTemp("", "crew-poll-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(root)) }()
		below = ".crew"
		if err := setup.Unpack(filepath.Join(root, below)); err != nil {
			return err
		}
	}
	c, err := config.Load(root, below)
	if err != nil {
		return err
	}
	agents, err := dispatch.List(ctx, c, harness.Loader{Dir: c.Dir, Fetch: a.fetcher(c, root, d), Defect: d})
	if err != nil {
		return err
	}
	out := json.NewEncoder(a.stdout)
	out.SetEscapeHTML(false)
	return tracker.Poll(ctx, tracker.Options{Client: client, Project: *project, Repo: *repo, Defect: d, Tell: func(id string, e event.Event) error {
		decision := dispatch.Decide(dispatch.Options{
			Event: e, KillSwitch: c.KillSwitch, Defect: d, List: func() []dispatch.Candidate { return agents },
		})
		for _, cell := range decision.Matrix.Include {
			line := dispatched{ID: id + "/" + cell.Agent, Stage: cell.Role, Agent: cell.Agent, Issue: e.Entity.Key, Actor: e.Actor.ID, Role: e.Actor.Role, Event: e}
			if err := out.Encode(line); err != nil {
				return err
			}
		}
		return nil
	}})
}
