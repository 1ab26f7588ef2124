// Package playback lets scenarios give agents recorded results, which the platform replays round by
// round, and see what came of them. It works with every installation: what it needs is made after it.
package playback

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strconv"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
	"github.com/understudy-dev/understudy/world/settings"
)

// Who acts; reading is the observer's.
const (
	admin    = "admin"
	observer = "observer"
)

// Runtime is the one that replays, as platform files call it.
const Runtime = "dummy-playback"

// The texts of the steps that need something of the suite.
const (
	returnsStep   = `an? ([\w-]+) agent that returns "([^"]+)"`
	publishedStep = `the published repository matches fixture "([^"]+)"`
)

// Pack holds the steps.
var Pack = suite.Pack{Name: "playback", Lint: lint, Steps: []suite.Step{
	{
		Pattern: returnsStep, Do: returns,
		Doc: "Adds a recorded result, a file of the fixtures, to the agent's playlist: its first run replays the first one that was added, the next " +
			"the second. The first use makes the repository ready for playback: an issue with a comment in which the platform keeps what was replayed " +
			"(edits.playback), and the runtime dummy-playback (edits.runtime). The playlist is edits.playlist, the result lies beside it.",
		Example: `a review agent that returns "fixtures/playback/approve.yaml"`,
	},
	{
		Pattern: `a pull request exists`, Do: exists,
		Doc:     "Holds as soon as exactly one pull request is open; at quiet it is decided. It becomes \"the pull request\" of later steps.",
		Example: `a pull request exists`,
	},
	{
		Pattern: `the ([\w-]+) agent submitted "([A-Za-z_]+)"`, Do: submitted,
		Doc: "Holds as soon as the platform's review of the pull request that belongs to the agent's last round is in that state: APPROVED, " +
			"CHANGES_REQUESTED, COMMENTED or DISMISSED, in either case. Rounds are those of `the W agent completes successfully`.",
		Example: `the review agent submitted "APPROVED"`,
	},
	{
		Pattern: publishedStep, Do: published,
		Doc: "Is decided at quiet, at the commit that is the pull request's head then: the files that the pull request changes are those of the fixture " +
			"directory, no more and no less, each with the same content.",
		Example: `the published repository matches fixture "fixtures/playback/published"`,
	},
}}

// state is what this pack knows of a scenario.
type state struct {
	ready bool
	added int // recorded results
}

var slot = world.NewSlot[state]("playback")

func returns(ctx context.Context, agent, fixture string) error {
	w := world.From(ctx)
	set := w.Drivers()
	if err := settings.Missing(set.Platform, driver.EditPlaylist, driver.EditPlayback, driver.EditRuntime); err != nil {
		return err
	}
	data, err := fs.ReadFile(set.Fixtures, fixture)
	if err != nil {
		return fmt.Errorf("recorded result: %w", err)
	}
	s := slot.Of(ctx)
	var changes []settings.Change
	if !s.ready {
		if changes, err = provision(ctx); err != nil {
			return fmt.Errorf("make the repository ready for playback: %w", err)
		}
	}
	s.added++
	// The number keeps a result that is replayed twice apart from itself.
	result := fmt.Sprintf("%d-%s", s.added, path.Base(fixture))
	file := path.Join(path.Dir(set.Platform.Edits[driver.EditPlaylist].File), result)
	changes = append(changes, settings.Change{Edit: driver.EditPlaylist, With: map[string]string{"name": agent, "result": result}})
	if err := settings.Commit(ctx, "Record a result of agent "+agent, []driver.NewFile{{Path: file, Content: data}}, changes...); err != nil {
		return err
	}
	s.ready = true
	return nil
}

// provision makes the issue in which the platform keeps what was replayed, with the comment that says so.
func provision(ctx context.Context) ([]settings.Change, error) {
	w := world.From(ctx)
	r, err := world.Shared[driver.Repo](ctx, world.TheRepository)
	if err != nil {
		return nil, err
	}
	is, err := w.As(admin).Issues.Open(ctx, r, driver.NewIssue{Title: "Playback", Body: "Which recorded results were replayed in this repository."})
	if err != nil {
		return nil, err
	}
	if _, err := w.As(admin).Issues.Comment(ctx, is.Ref, "<!-- playback -->\nEach run that replays a recorded result says so below."); err != nil {
		return nil, err
	}
	return []settings.Change{
		{Edit: driver.EditPlayback, With: map[string]string{"issue": strconv.Itoa(is.Ref.Number)}},
		{Edit: driver.EditRuntime, With: map[string]string{"runtime": Runtime}},
	}, nil
}
