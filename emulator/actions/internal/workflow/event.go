package workflow

// event is what GitHub knows about one event name.
type event struct {
	delivered bool     // this product makes runs of it
	keys      []string // of its configuration
	types     []string // activity types; nil is not checked
	standard  []string // activity types without `types:`; nil is all
}

// Delivered reports whether events of this name start runs here.
func Delivered(name string) bool { return events[name].delivered }

// Known reports whether GitHub has an event of this name.
func Known(name string) bool { _, ok := events[name]; return ok }

// events is GitHub's list.
// https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows
var events = map[string]event{
	"issues": {delivered: true, keys: []string{"types"}, types: []string{
		"opened", "edited", "deleted", "transferred", "pinned", "unpinned", "closed", "reopened", "assigned", "unassigned",
		"labeled", "unlabeled", "locked", "unlocked", "milestoned", "demilestoned", "typed", "untyped",
	}},
	"issue_comment":       {delivered: true, keys: []string{"types"}, types: []string{"created", "edited", "deleted"}},
	"push":                {delivered: true, keys: []string{"branches", "branches-ignore", "tags", "tags-ignore", "paths", "paths-ignore"}},
	"workflow_dispatch":   {delivered: true},
	"repository_dispatch": {delivered: true, keys: []string{"types"}},

	"pull_request":                pulls,
	"pull_request_target":         pulls,
	"pull_request_review":         {keys: []string{"types"}, types: []string{"submitted", "edited", "dismissed"}},
	"pull_request_review_comment": {keys: []string{"types"}, types: []string{"created", "edited", "deleted"}},
	"workflow_run":                {keys: []string{"workflows", "types", "branches", "branches-ignore"}, types: []string{"completed", "requested", "in_progress"}},
	"merge_group":                 {keys: []string{"types", "branches", "branches-ignore"}},
	"workflow_call":               {},
	"schedule":                    {},

	"branch_protection_rule": typed, "check_run": typed, "check_suite": typed, "discussion": typed, "discussion_comment": typed,
	"label": typed, "milestone": typed, "registry_package": typed, "release": typed, "watch": typed,
	"project": typed, "project_card": typed, "project_column": typed,
	"create": {}, "delete": {}, "deployment": {}, "deployment_status": {}, "fork": {}, "gollum": {}, "page_build": {},
	"public": {}, "status": {},
}

var typed = event{keys: []string{"types"}}

var pulls = event{
	keys: []string{"types", "branches", "branches-ignore", "paths", "paths-ignore"},
	types: []string{
		"assigned", "unassigned", "labeled", "unlabeled", "opened", "edited", "closed", "reopened", "synchronize",
		"converted_to_draft", "locked", "unlocked", "enqueued", "dequeued", "milestoned", "demilestoned", "ready_for_review",
		"review_requested", "review_request_removed", "auto_merge_enabled", "auto_merge_disabled",
	},
	standard: []string{"opened", "synchronize", "reopened"},
}
