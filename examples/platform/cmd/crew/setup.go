package main

import (
	"context"
	"fmt"

	"example.com/crew/internal/config"
	"example.com/crew/internal/setup"
)

func (a app) setup(ctx context.Context, args []string) error {
	f := newFlags("setup")
	repo := f.String("repo", "", "")
	dir := f.String("dir", ".crew", "")
	d, err := a.parse(f, args)
	if err != nil {
		return err
	}
	if *repo == "" {
		return misuse("--repo is missing")
	}
	if err := config.CheckDir(*dir); err != nil {
		return usageError{err}
	}
	bot, err := a.variable("CREW_BOT_TOKEN")
	if err != nil {
		return err
	}
	client, err := a.client("CREW_API_URL", "CREW_TOKEN", *repo)
	if err != nil {
		return err
	}
	sha, err := setup.Install(ctx, setup.Options{Forge: client, Dir: *dir, BotToken: bot, Defect: d})
	if err != nil {
		return fmt.Errorf("set up %s: %w", *repo, err)
	}
	if sha == "" {
		fmt.Fprintf(a.stdout, "crew: %s is up to date\n", *repo)
	} else {
		fmt.Fprintf(a.stdout, "crew: installed in %s, directory %s, commit %s\n", *repo, *dir, sha)
	}
	return nil
}
