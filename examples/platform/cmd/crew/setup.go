package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"example.com/crew/internal/config"
	"example.com/crew/internal/fetch"
	"example.com/crew/internal/setup"
)

func (a app) setup(ctx context.Context, args []string) error {
	f := newFlags("setup")
	repo := f.String("repo", "", "")
	dir := f.String("dir", ".crew", "")
	preset := f.String("config", "", "")
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
	o := setup.Options{Forge: client, Dir: *dir, BotToken: bot, Defect: d, PresetName: *preset}
	if *preset != "" {
		if o.Preset, err = a.preset(ctx, *preset); err != nil {
			return fmt.Errorf("read preset: %w", err)
		}
	}
	sha, err := setup.Install(ctx, o)
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

// preset reads a configuration from a file or a URL. Whoever sets crew up names the host himself; all other rules of
// what crew fetches hold.
func (a app) preset(ctx context.Context, from string) ([]byte, error) {
	if strings.Contains(from, "://") {
		policy := fetch.Policy{Hosts: fetch.Hosts(), Forge: a.getenv("CREW_API_URL")}
		if u, err := url.Parse(from); err == nil && u.Scheme == "https" {
			policy.Hosts = append(policy.Hosts, strings.ToLower(u.Hostname()))
		}
		return fetch.New(fetch.Options{Policy: policy, Max: setup.MaxPreset}).Fetch(ctx, from)
	}
	info, err := os.Stat(from)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no file", from) // and might never end
	}
	f, err := os.Open(from)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, setup.MaxPreset+1)) // setup refuses what is longer
}
