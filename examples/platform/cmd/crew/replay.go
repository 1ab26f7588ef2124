package main

import (
	"context"
	"fmt"

	"example.com/crew/internal/playlist"
)

// replay is the agent of the runtime dummy-playback.
func (a app) replay(ctx context.Context, args []string) error {
	f := newFlags("replay")
	dir, agent, round := f.String("dir", "", ""), f.String("agent", "", ""), f.Int("round", 0, "")
	workspace, repo := f.String("workspace", "", ""), f.String("repo", "", "")
	if _, err := a.parse(f, args); err != nil {
		return err
	}
	if *dir == "" || *agent == "" || *workspace == "" || *repo == "" {
		return misuse("--dir, --agent, --workspace and --repo are needed")
	}
	recorded, err := playlist.Load(*dir, *agent, *round)
	if err != nil {
		return err
	}
	if err := recorded.Replay(ctx, *workspace, *repo, a.getenv); err != nil {
		return fmt.Errorf("replay round %d of agent %s: %w", *round, *agent, err)
	}
	fmt.Fprintf(a.stdout, "crew: agent %s replayed round %d\n", *agent, *round)
	return nil
}
