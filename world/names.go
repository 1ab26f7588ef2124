package world

import (
	"context"
	"fmt"
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
)

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
