package dispatch

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
	"github.com/understudy-dev/understudy/world/settings"
)

// ownersStep is the text of the step that has OWNERS files decide.
const ownersStep = `OWNERS authorization is enabled`

// actorStep is an actor in a step's text.
const actorStep = `the ([\w-]+?)(?: actor)?`

// ownerSteps say who may start agents by a repository's OWNERS files.
var ownerSteps = []suite.Step{
	{
		Pattern: `an OWNERS file listing ` + actorStep + ` as (?:an? )?(approver|reviewer)(?: only)?`, Do: listOwner,
		Doc:     "Commits the file OWNERS with that actor in it, as the admin actor. The bot is the write actor.",
		Example: `an OWNERS file listing the outsider as an approver`,
	},
	{
		Pattern: `an OWNERS file with alias "([\w.-]+)" as (?:an? )?(approver|reviewer)`, Do: listAlias,
		Doc:     "Commits the file OWNERS with that group in it, as the admin actor.",
		Example: `an OWNERS file with alias "test-team" as approver`,
	},
	{
		Pattern: `an OWNERS_ALIASES file mapping "([\w.-]+)" to ` + actorStep, Do: mapAlias,
		Doc:     "Commits the file OWNERS_ALIASES, by which the group is that actor, as the admin actor. The bot is the write actor.",
		Example: `an OWNERS_ALIASES file mapping "test-team" to the outsider`,
	},
	{
		Pattern: ownersStep, Do: enableOwners,
		Doc:     "Has OWNERS files say who may start agents, by edits.owners of the platform file.",
		Example: ownersStep,
	},
}

var ownersText = regexp.MustCompile("^" + ownersStep + "$")

// loginOf is the login of the actor whom a step means.
func loginOf(ctx context.Context, name string) (string, error) {
	actors := world.From(ctx).Drivers().Platform.Actors
	a, ok := actors[world.ActorCalled(name)]
	if !ok {
		return "", fmt.Errorf("%q: %w; the platform file has: %s", name, driver.ErrUnknownActor, strings.Join(slices.Sorted(maps.Keys(actors)), ", "))
	}
	return a.Login, nil
}

func listOwner(ctx context.Context, actor, as string) error {
	login, err := loginOf(ctx, actor)
	if err != nil {
		return err
	}
	return listAlias(ctx, login, as)
}

func listAlias(ctx context.Context, name, as string) error {
	lists := map[string]string{"approver": "", "reviewer": ""}
	lists[as] = fmt.Sprintf("%q", name)
	text := fmt.Sprintf("approvers: [%s]\nreviewers: [%s]\n", lists["approver"], lists["reviewer"])
	return settings.Commit(ctx, "Name the owners", []driver.NewFile{{Path: "OWNERS", Content: []byte(text)}})
}

func mapAlias(ctx context.Context, alias, actor string) error {
	login, err := loginOf(ctx, actor)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("aliases:\n  %q: [%q]\n", alias, login)
	return settings.Commit(ctx, "Name a group of owners", []driver.NewFile{{Path: "OWNERS_ALIASES", Content: []byte(text)}})
}

func enableOwners(ctx context.Context) error {
	return settings.Commit(ctx, "Have OWNERS decide", nil, settings.Change{Edit: driver.EditOwners})
}
