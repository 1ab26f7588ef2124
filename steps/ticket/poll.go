package ticket

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/world"
)

// record is a line of the poller's output: that a stage starts for an issue, and who brought it about. A poller may
// say more in it.
type record struct {
	Stage string `json:"stage"`
	Issue string `json:"issue"`
	Actor string `json:"actor"`
	Role  string `json:"role"`
}

func poll(ctx context.Context) error {
	w, sc := world.From(ctx), scenes.Of(ctx)
	if len(sc.projects) == 0 {
		return errors.New("the scenario has no Jira project to poll: open an issue first")
	}
	sc.polled, sc.records = true, nil
	for _, project := range sc.projects {
		out, err := w.Drivers().Poller.Poll(ctx, project)
		if err != nil {
			return err
		}
		if err := w.Attach(ctx, "poll-"+project+".jsonl", "application/x-ndjson", out); err != nil {
			return err
		}
		records, err := parse(out)
		if err != nil {
			return fmt.Errorf("the poller of project %s: %w", project, err)
		}
		sc.records = append(sc.records, records...)
	}
	return nil
}

// parse reads the poller's output.
func parse(out []byte) (all []record, err error) {
	n := 0
	for line := range bytes.SplitSeq(out, []byte("\n")) {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var r record
		if err := json.Unmarshal(line, &r); err != nil {
			return nil, fmt.Errorf("line %d of its output is no record: %w", n, err)
		}
		if r.Stage == "" || r.Issue == "" {
			return nil, fmt.Errorf("line %d of its output is no record: stage or issue is missing", n)
		}
		all = append(all, r)
	}
	return all, nil
}

// of are the records of an issue. That nothing was polled yet is an error.
func of(ctx context.Context, key string) (out []record, err error) {
	sc := scenes.Of(ctx)
	if !sc.polled {
		return nil, errors.New("the Jira poller has not run in this scenario")
	}
	for _, r := range sc.records {
		if r.Issue == key {
			out = append(out, r)
		}
	}
	return out, nil
}

func dispatched(ctx context.Context, stage, key string) error {
	records, err := of(ctx, key)
	if err != nil {
		return err
	}
	stages := []string{}
	same := 0
	for _, r := range records {
		stages = append(stages, r.Stage)
		if r.Stage == stage {
			same++
		}
	}
	w := world.From(ctx)
	if err := w.Expect(ctx, "poller.stages", stages, match.Contains(stage)); err != nil {
		return err
	}
	return w.Expect(ctx, "poller.records", same, match.Equal(1))
}

func notDispatched(ctx context.Context, key string) error {
	records, err := of(ctx, key)
	if err != nil {
		return err
	}
	stages := []string{}
	for _, r := range records {
		stages = append(stages, r.Stage)
	}
	return world.From(ctx).Expect(ctx, "poller.stages", stages, match.Equal([]string{}))
}

func attributed(ctx context.Context, key, actor, role string) error {
	records, err := of(ctx, key)
	if err != nil {
		return err
	}
	w := world.From(ctx)
	if err := w.Expect(ctx, "poller.records", len(records) > 0, match.Equal(true)); err != nil {
		return err
	}
	for _, r := range records {
		if err := w.Expect(ctx, "poller.actor", r.Actor+" "+r.Role, match.Equal(actor+" "+role)); err != nil {
			return err
		}
	}
	return nil
}
