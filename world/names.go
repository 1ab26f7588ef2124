package world

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-dev/understudy/driver"
)

// The names under which step packs share what more than one of them needs.
const (
	TheRepository = "the enrolled test repository" // driver.Repo
	TheIssue      = "the issue"                    // driver.Ref
	ThePull       = "the pull request"             // driver.Ref: the last one of this repository that a step named
	TheForkPull   = "the fork pull request"        // driver.Ref: the last one of a fork that a step opened
	TheStimulus   = "what sets the platform going" // driver.Cause: the last step that did
	TheHarnesses  = "the scenario's own harnesses" // []string: names of the agents that steps brought
	TheAgent      = "the agent named last"         // NamedAgent
	TheRounds     = "the rounds of each agent"     // map[string]int: how many of its runs steps took, one after the other
)

// NamedAgent is the agent of which a step said last that it ran, after a stimulus. What later steps
// say of "the agent" is of this one, until the next stimulus.
type NamedAgent struct {
	Name     string
	Stimulus driver.Cause
}

// ActorCalled is the actor whom steps mean: nobody in particular, or "the bot" on whose behalf a suite acts, is
// the write actor.
func ActorCalled(name string) string {
	if name == "" || name == "bot" {
		return "write"
	}
	return name
}

// Harnesses are the names of the agents that steps brought, beside the platform's own.
func Harnesses(ctx context.Context) []string {
	names, _ := Shared[[]string](ctx, TheHarnesses) // none is none
	return names
}

// BringHarness says that a step brought an agent of this name.
func BringHarness(ctx context.Context, name string) {
	if names := Harnesses(ctx); !slices.Contains(names, name) {
		Share(ctx, TheHarnesses, append(slices.Clone(names), name))
	}
}

// Rounds is how many runs of the agent steps took, one after the other.
func Rounds(ctx context.Context, agent string) int {
	rounds, _ := Shared[map[string]int](ctx, TheRounds) // none is none
	return rounds[agent]
}

// EndRound says that a step took the next run of the agent.
func EndRound(ctx context.Context, agent string) {
	old, _ := Shared[map[string]int](ctx, TheRounds)
	rounds := maps.Clone(old)
	if rounds == nil {
		rounds = map[string]int{}
	}
	rounds[agent]++
	Share(ctx, TheRounds, rounds)
}

// AgentOf is the agent named last after this stimulus, or "".
func AgentOf(ctx context.Context, stimulus driver.Cause) string {
	if a, err := Shared[NamedAgent](ctx, TheAgent); err == nil && a.Stimulus == stimulus {
		return a.Name
	}
	return ""
}

// WithIssue returns text with each "<issue>" replaced by the number of the scenario's issue. Text
// without it is returned as it is; with it, and before there is an issue, the error says what to do.
func WithIssue(ctx context.Context, text string) (string, error) {
	if !strings.Contains(text, issuePlaceholder) {
		return text, nil
	}
	ref, err := Shared[driver.Ref](ctx, TheIssue)
	if err != nil {
		return "", fmt.Errorf("%q needs the number of an issue that does not exist yet: put the step that opens it (such as `an issue`) before this one", text)
	}
	return strings.ReplaceAll(text, issuePlaceholder, strconv.Itoa(ref.Number)), nil
}

const issuePlaceholder = "<issue>"
