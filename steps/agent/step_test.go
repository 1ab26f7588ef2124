package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/world"
)

// committed is a forge that only takes commits.
type committed struct {
	driver.Files
	files []driver.NewFile
}

func (c *committed) As(string) (driver.Session, error) { return driver.Session{Files: c}, nil }

func (c *committed) Commit(_ context.Context, _ driver.Repo, in driver.NewCommit) (string, error) {
	c.files = append(c.files, in.Files...)
	return "", nil
}

func TestIssuePlaceholder(t *testing.T) {
	forge := &committed{}
	set := driver.Unassigned()
	set.Forge, set.Fixtures, set.Platform.ScriptPath = forge, fixtures, "s.yaml"
	ctx := world.Into(t.Context(), world.New(world.Options{Drivers: set}))
	world.Share(ctx, world.TheRepository, driver.Repo{Owner: "o", Name: "r"})
	script := table(
		"description | op | args",
		"Branch <issue> | checkout_branch | crew/<issue>-x",
		"Fetch | url_get | http://a.test/<issue>",
		"Look | assert_json | a.json, text, <issue>",
	)
	if err := dummy(ctx, "", script); err == nil || !strings.Contains(err.Error(), "before this one") || len(forge.files) > 0 {
		t.Errorf("before there is an issue: got %v, and %d commits", err, len(forge.files))
	}
	world.Share(ctx, world.TheIssue, driver.Ref{Number: 7})
	if err := dummy(ctx, "", script); err != nil {
		t.Fatal(err)
	}
	var got struct{ Ops []op }
	if len(forge.files) != 1 || forge.files[0].Path != "s.yaml" {
		t.Fatalf("committed %+v", forge.files)
	}
	if err := json.Unmarshal(forge.files[0].Content, &got); err != nil {
		t.Fatal(err)
	}
	want := []op{
		{Description: "Branch <issue>", Op: "checkout_branch", Args: "crew/7-x"},
		{Description: "Fetch", Op: "url_get", Args: "http://a.test/<issue>"},
		{Description: "Look", Op: "assert_json", Args: "a.json, text, <issue>"},
	}
	if diff := cmp.Diff(want, got.Ops); diff != "" {
		t.Error(diff)
	}
	// What the dummy would refuse is refused before it is committed.
	if err := dummy(ctx, "", table("description | op | args", "d | shell | rm")); err == nil || !strings.Contains(err.Error(), `operation "d": unknown operation "shell"`) {
		t.Errorf("unknown operation: got %v", err)
	}
	if len(forge.files) != 1 {
		t.Errorf("%d commits, want 1", len(forge.files))
	}
}

// TestScriptOfOneAgent: it lies beside the script of all, and the agent has to be one.
func TestScriptOfOneAgent(t *testing.T) {
	forge := &committed{}
	set := driver.Unassigned()
	set.Forge, set.Platform.ScriptPath, set.Platform.Stages = forge, "b/current.yaml", []driver.Stage{{Name: "code"}}
	ctx := world.Into(t.Context(), world.New(world.Options{Drivers: set}))
	world.Share(ctx, world.TheRepository, driver.Repo{Owner: "o", Name: "r"})
	script := table("description | op | args", "Look | read_file | a")
	if err := dummy(ctx, "coed", script); err == nil || !strings.Contains(err.Error(), `"coed" is no stage`) {
		t.Errorf("an unknown agent: %v", err)
	}
	if err := dummy(ctx, "code", script); err != nil || len(forge.files) != 1 || forge.files[0].Path != "b/code.yaml" {
		t.Errorf("committed %+v, %v", forge.files, err)
	}
}
