package world_test

import (
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/world"
)

func TestWithIssue(t *testing.T) {
	ctx := world.Into(t.Context(), world.New(world.Options{}))
	if got, err := world.WithIssue(ctx, "main"); got != "main" || err != nil {
		t.Errorf("without the placeholder: got %q, %v", got, err)
	}
	if got, err := world.WithIssue(ctx, "crew/<issue>-fix"); err == nil || !strings.Contains(err.Error(), "put the step that opens it") || got != "" {
		t.Errorf("before there is an issue: got %q, %v", got, err)
	}
	world.Share(ctx, world.TheIssue, driver.Ref{Number: 12})
	if got, err := world.WithIssue(ctx, "crew/<issue>-<issue>"); got != "crew/12-12" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}
