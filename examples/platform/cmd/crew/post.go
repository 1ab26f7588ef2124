package main

import (
	"context"
	"fmt"
	"path/filepath"

	"example.com/crew/internal/forge"
	"example.com/crew/internal/playlist"
	"example.com/crew/internal/post"
	"example.com/crew/internal/push"
)

// jobsClient makes a client for the job's own repository with one of its tokens.
func (a app) jobsClient(token string) (*forge.Client, error) {
	repo, err := a.variable("GITHUB_REPOSITORY")
	if err != nil {
		return nil, err
	}
	return a.client("GITHUB_API_URL", token, repo)
}

func (a app) status(ctx context.Context, args []string) error {
	f := newFlags("status")
	agent, number := f.String("agent", "", ""), f.Int("number", 0, "")
	d, err := a.parse(f, args)
	if err != nil {
		return err
	}
	if *agent == "" || *number < 1 {
		return misuse("--agent and --number are needed")
	}
	job, err := a.jobsClient("GITHUB_TOKEN")
	if err != nil {
		return err
	}
	_, c, _ := a.checkout() // crew run says what is wrong with it
	// What crew post goes by: an agent may leave another configuration behind.
	if err := a.appendTo("GITHUB_OUTPUT", fmt.Sprintf("reactions=%t\n", c.Reactions)); err != nil {
		return err
	}
	if err := post.Start(ctx, post.Options{Job: job, Agent: *agent, Issue: *number, React: c.Reactions, Defect: d}); err != nil {
		a.warn("nobody is told that the agent is running: " + err.Error()) // which is no reason not to run it
	}
	if c.Playback == 0 {
		return nil
	}
	id, err := a.variable("GITHUB_RUN_ID")
	if err != nil {
		return err
	}
	round, err := playlist.Take(ctx, job, c.Playback, *agent, id)
	if err != nil {
		return err
	}
	return a.appendTo("GITHUB_OUTPUT", fmt.Sprintf("round=%d\n", round))
}

func (a app) post(ctx context.Context, args []string) error {
	f := newFlags("post")
	agent, number := f.String("agent", "", ""), f.Int("number", 0, "")
	role, base := f.String("role", "", ""), f.String("base", "", "")
	d, err := a.parse(f, args)
	if err != nil {
		return err
	}
	if *agent == "" || *number < 1 {
		return misuse("--agent and --number are needed")
	}
	if *base == "" {
		*base = a.getenv("GITHUB_REF_NAME")
	}
	root, err := a.variable("GITHUB_WORKSPACE")
	if err != nil {
		return err
	}
	job, err := a.jobsClient("GITHUB_TOKEN")
	if err != nil {
		return err
	}
	bot, err := a.jobsClient("CREW_BOT_TOKEN")
	if err != nil {
		return err
	}
	now, err := a.branch(root, *base)
	if err != nil {
		return err
	}
	said, err := post.Post(ctx, post.Options{
		Job: job, Bot: bot, Agent: *agent, Role: *role, Issue: *number, Base: *base,
		React: a.getenv("CREW_REACTIONS") == "true", Output: filepath.Join(root, output), Defect: d, Changed: now.Changed,
		Push: func(ctx context.Context, rule push.Rule) (string, error) {
			return push.Push(ctx, push.Options{
				Checkout: root, Server: a.getenv("GITHUB_SERVER_URL"), Token: a.getenv("CREW_BOT_TOKEN"),
				Default: *base, Path: a.getenv("PATH"), Defect: d,
			}, rule)
		},
	})
	if err != nil {
		return fmt.Errorf("post for %s: %w", *agent, err)
	}
	fmt.Fprintf(a.stdout, "crew: %s\n", said)
	return nil
}
