// Package repo lets scenarios have the repository under test, with the platform installed.
package repo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
)

// freshTag asks for an installation of the scenario's own.
const freshTag = "@fresh"

// admin is the actor who creates repositories and installs the platform.
const admin = "admin"

// Pack holds the steps.
var Pack = suite.Pack{Name: "repo", Steps: []suite.Step{
	{
		Pattern: `the enrolled test repository`, Do: enrolled,
		Doc: "Creates the leased repository and installs the platform into it. A second use changes nothing. " +
			"The platform is installed once and the others get copies; a scenario with the tag @fresh installs it itself.",
		Example: `the enrolled test repository`,
	},
	{
		Pattern: `the enrolled test repository with the config preset "([^"]+)"`, Do: enrolledOn,
		Doc: "The same, installed for this scenario alone and on a configuration of the fixtures: the platform's installer gets its file " +
			"(preset.install of the platform file), as with understudy run --preset.",
		Example: `the enrolled test repository with the config preset "fixtures/presets/careful.yaml"`,
	},
	{
		Pattern: `an enrolled repository "([\w.-]+/[\w.-]+)"`, Do: enrolledAs,
		Doc:     "The same for a repository of that name, which belongs to the lease's organisation. One that is there already is taken as it is.",
		Example: `an enrolled repository "acme/app"`,
	},
	{
		Pattern: `the ([\w-]+) actor has the role "(admin|maintain|write|triage|read|none)" in the repository`, Do: setRole,
		Doc:     "Makes the actor a collaborator with that role, or none any more, as the admin actor. A role in the organisation stays.",
		Example: `the outsider actor has the role "write" in the repository`,
	},
	{
		Pattern: `the repository has a file "([^"]+)" containing "([^"]*)"`, Do: hasFile,
		Doc:     "Holds as soon as the default branch has the file with that text; at quiet it is decided.",
		Example: `the repository has a file "README.md" containing "test-repo"`,
	},
	{
		Pattern: `the file "([^"]+)" of the repository has "([^"]*)" in the place of "([^"]+)"`, Do: change,
		Doc: "Commits the change to the default branch, as the admin actor: how a platform is configured, whatever its format. " +
			"The file must have the old text exactly once.",
		Example: `the file "agent.ini" of the repository has "enabled = no" in the place of "enabled = yes"`,
	},
	{
		Pattern: `the file "([^"]+)" of the repository is:`, Do: put,
		Doc:     "Commits the file to the default branch, as the admin actor, whatever was there before.",
		Example: `the file "notes.txt" of the repository is:`,
	},
}}

func enrolled(ctx context.Context) error {
	if _, err := world.Shared[driver.Repo](ctx, world.TheRepository); err == nil {
		return nil
	}
	place := world.From(ctx).Drivers().Place
	return enroll(ctx, driver.Repo{Owner: place.Org, Name: place.Repo}, nil)
}

func enrolledOn(ctx context.Context, preset string) error {
	w := world.From(ctx)
	if r, err := world.Shared[driver.Repo](ctx, world.TheRepository); err == nil {
		return fmt.Errorf("the scenario has the repository %s already; a preset is for one that is not installed yet", r)
	}
	fixtures := w.Drivers().Fixtures
	if fixtures == nil {
		return errors.New("the suite has no fixtures")
	}
	data, err := fs.ReadFile(fixtures, preset)
	if err != nil {
		return fmt.Errorf("config preset: %w", err)
	}
	place := w.Drivers().Place
	return enroll(ctx, driver.Repo{Owner: place.Org, Name: place.Repo}, &driver.Preset{From: preset, Data: data})
}

func enrolledAs(ctx context.Context, name string) error {
	w := world.From(ctx)
	owner, repo, _ := strings.Cut(name, "/")
	r := driver.Repo{Owner: owner, Name: repo}
	if org := w.Drivers().Place.Org; owner != org {
		return fmt.Errorf("repository owner %q does not match test org %q", owner, org)
	}
	if other, err := world.Shared[driver.Repo](ctx, world.TheRepository); err == nil && other != r {
		return fmt.Errorf("the scenario has the repository %s already, and steps speak of one", other)
	}
	_, err := w.As(admin).Repos.Get(ctx, r)
	if errors.Is(err, driver.ErrNotFound) {
		return enroll(ctx, r, nil)
	}
	if err == nil {
		world.Share(ctx, world.TheRepository, r)
	}
	return err
}

// enroll makes a repository with the platform in it the one of the scenario.
func enroll(ctx context.Context, r driver.Repo, preset *driver.Preset) error {
	w := world.From(ctx)
	set := w.Drivers()
	in := driver.Enrollment{NewRepo: driver.NewRepo{Repo: r, AutoInit: true}, Fresh: w.Tagged(freshTag), Preset: preset}
	if err := set.Installer.Enroll(ctx, in); err != nil {
		return err
	}
	world.Share(ctx, world.TheRepository, r)
	return nil
}

func setRole(ctx context.Context, actor, role string) error {
	w := world.From(ctx)
	r, err := world.Shared[driver.Repo](ctx, world.TheRepository)
	if err != nil {
		return err
	}
	a, ok := w.Drivers().Platform.Actors[actor]
	if !ok {
		return fmt.Errorf("the platform has no actor %q", actor)
	}
	return w.As(admin).Members.SetRole(ctx, r, a.Login, role)
}

func change(ctx context.Context, path, to, from string) error {
	w := world.From(ctx)
	r, err := world.Shared[driver.Repo](ctx, world.TheRepository)
	if err != nil {
		return err
	}
	got, err := w.As(admin).Files.Read(ctx, r, "", path)
	if err != nil {
		return err
	}
	if n := strings.Count(string(got), from); n != 1 {
		return fmt.Errorf("%s has %q %d times; there is nothing to change unless it is there exactly once", path, from, n)
	}
	_, err = w.As(admin).Files.Commit(ctx, r, driver.NewCommit{
		Message: "Change " + path, Files: []driver.NewFile{{Path: path, Content: []byte(strings.Replace(string(got), from, to, 1))}},
	})
	return err
}

func put(ctx context.Context, path string, doc *suite.DocString) error {
	w := world.From(ctx)
	r, err := world.Shared[driver.Repo](ctx, world.TheRepository)
	if err != nil {
		return err
	}
	_, err = w.As(admin).Files.Commit(ctx, r, driver.NewCommit{
		Message: "Write " + path, Files: []driver.NewFile{{Path: path, Content: []byte(strings.TrimRight(doc.Content, "\n") + "\n")}},
	})
	return err
}

func hasFile(ctx context.Context, path, text string) error {
	w := world.From(ctx)
	r, err := world.Shared[driver.Repo](ctx, world.TheRepository)
	if err != nil {
		return err
	}
	return w.Until(ctx, func(ctx context.Context) error {
		got, err := w.As("observer").Files.Read(ctx, r, "", path)
		if errors.Is(err, driver.ErrNotFound) {
			return w.Expect(ctx, "repository.file", nil, match.Contains(text))
		}
		if err != nil {
			return err
		}
		return w.Expect(ctx, "repository.file", string(got), match.Contains(text))
	})
}
