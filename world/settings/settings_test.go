package settings_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/world"
	"github.com/understudy-dev/understudy/world/settings"
)

// forge keeps files; commits are what was committed, by whom.
type forge struct {
	files   map[string]string
	commits []string
}

func (f *forge) As(actor string) (driver.Session, error) {
	return driver.Session{Files: as{f, actor}}, nil
}

type as struct {
	*forge
	actor string
}

func (a as) Read(_ context.Context, _ driver.Repo, _, path string) ([]byte, error) {
	text, ok := a.files[path]
	if !ok {
		return nil, driver.ErrNotFound
	}
	return []byte(text), nil
}

func (a as) Commit(_ context.Context, _ driver.Repo, in driver.NewCommit) (string, error) {
	did := a.actor + ": " + in.Message + ":"
	for _, f := range in.Files {
		did += " " + f.Path
		if f.Content == nil {
			delete(a.files, f.Path)
		} else {
			a.files[f.Path] = string(f.Content)
		}
	}
	a.commits = append(a.commits, did)
	return "sha", nil
}

func scenario(t *testing.T, shared bool) (context.Context, *forge, *world.Log) {
	f := &forge{files: map[string]string{"c.yaml": "runtime: dummy\nkill: false\n"}}
	set := driver.Unassigned()
	set.Forge, set.Place.Shared = f, shared
	set.Platform = driver.Platform{Name: "p", Edits: map[string]driver.Edit{
		"kill-switch": {File: "c.yaml", Format: "yaml", Path: "kill", Value: true},
		"agent":       {File: "c.yaml", Format: "yaml", Path: "agents.{name}.source", Value: "h/{source}"},
		"base":        {File: "h/{name}.yaml", Format: "yaml", Path: "base", Value: "{base}"},
		"runtime":     {File: "c.yaml", Format: "yaml", Path: "runtime", Value: "{runtime}"},
		"model":       {File: "d.yaml", Format: "yaml", Path: "model", Value: "{model}"},
		"effort":      {File: "c.yaml", Format: "yaml", Path: "runtime.effort", Value: "{effort}"},
	}}
	log := world.NewLog()
	ctx := world.Into(t.Context(), world.New(world.Options{Drivers: set, Log: log}))
	world.Share(ctx, world.TheRepository, driver.Repo{Owner: "o", Name: "r"})
	return ctx, f, log
}

func change(edit string, with ...string) settings.Change {
	c := settings.Change{Edit: edit, With: map[string]string{}}
	for i := 0; i < len(with); i += 2 {
		c.With[with[i]] = with[i+1]
	}
	return c
}

// TestCommit: what a step changes is one commit of the admin, and where the place outlives the scenario
// all of it is undone.
func TestCommit(t *testing.T) {
	for _, shared := range []bool{false, true} {
		ctx, f, log := scenario(t, shared)
		files := []driver.NewFile{{Path: "h/my.agent.yaml", Content: []byte("role: x\n")}}
		err := settings.Commit(ctx, "Add", files, change("kill-switch"), change("agent", "name", "my.agent", "source", "my.yaml"), change("base", "name", "my.agent", "base", "{source}"))
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{
			"c.yaml":          "runtime: dummy\nkill: true\nagents:\n  my.agent:\n    source: h/my.yaml\n",
			"h/my.agent.yaml": "role: x\nbase: '{source}'\n",
		}
		if diff := cmp.Diff(want, f.files); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		if err := settings.Commit(ctx, "Again", nil, change("kill-switch")); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"admin: Add: c.yaml h/my.agent.yaml"}, f.commits); diff != "" {
			t.Errorf("commits (-want +got)\n%s", diff)
		}
		if got, err := settings.Read(ctx, change("agent", "name", "my.agent")); got != "h/my.yaml" || err != nil {
			t.Errorf("read: %q, %v", got, err)
		}
		if got, err := settings.Read(ctx, change("agent", "name", "other")); got != "" || err != nil {
			t.Errorf("read what is not set: %q, %v", got, err)
		}
		undo, ok := log.PopCleanup()
		if ok != shared {
			t.Fatalf("undone: %v", ok)
		}
		if !ok {
			continue
		}
		if err := undo.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]string{"c.yaml": "runtime: dummy\nkill: false\n"}, f.files); diff != "" {
			t.Errorf("undone (-want +got)\n%s", diff)
		}
	}
}

// TestCommitChangesNothingInPart: what cannot be changed leaves all files as they are.
func TestCommitChangesNothingInPart(t *testing.T) {
	ctx, f, _ := scenario(t, true)
	for want, bad := range map[string]settings.Change{
		"names no edits.disable":                       change("disable", "name", "x"),
		"d.yaml is not in o/r, though edits.model of":  change("model", "model", "m"),
		`"effort" is looked for in what is no mapping`: change("effort", "effort", "low"),
	} {
		err := settings.Commit(ctx, "Both", nil, change("kill-switch"), bad)
		if err == nil || !strings.Contains(err.Error(), want) || len(f.commits) > 0 {
			t.Errorf("got %v, want %s; %v", err, want, f.commits)
		}
	}
	if _, err := settings.Read(ctx, change("model")); !errors.Is(err, driver.ErrNotFound) {
		t.Errorf("read of a file that is not there: %v", err)
	}
}
