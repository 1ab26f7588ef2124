package workflow

// event is what GitHub knows about one event name.
type event struct {
	elsewhere bool     // it comes from a part of GitHub that is not stood in for here: it never starts a run
	keys      []string // of its configuration
	types     []string // activity types; nil is not checked
	standard  []string // activity types without `types:`; nil is all
	at        commit   // whose workflow files count, and what the jobs see as their commit
}

// commit says which commit an event's runs belong to.
type commit int

const (
	ofDefault commit = iota // the head of the default branch
	ofRef                   // the ref that the event is about
	ofMerge                 // the merge of a pull request into its base
)

// Delivered reports whether events of this name can start runs here.
func Delivered(name string) bool { e, ok := events[name]; return ok && !e.elsewhere }

// Known reports whether GitHub has an event of this name.
func Known(name string) bool { _, ok := events[name]; return ok }

// OfRef reports whether the event's runs belong to the ref that the event is about.
func OfRef(name string) bool { return events[name].at == ofRef }

// OfMerge reports whether the event's runs belong to the merge of a pull request into its base.
func OfMerge(name string) bool { return events[name].at == ofMerge }

// events is GitHub's list.
// https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows
var events = map[string]event{
	"issues": {keys: onlyTypes, types: []string{
		"opened", "edited", "deleted", "transferred", "pinned", "unpinned", "closed", "reopened", "assigned", "unassigned",
		"labeled", "unlabeled", "locked", "unlocked", "milestoned", "demilestoned", "typed", "untyped",
	}},
	"issue_comment":       {keys: onlyTypes, types: []string{"created", "edited", "deleted"}},
	"push":                {at: ofRef, keys: []string{"branches", "branches-ignore", "tags", "tags-ignore", "paths", "paths-ignore"}},
	"workflow_dispatch":   {at: ofRef},
	"repository_dispatch": {keys: onlyTypes},

	"pull_request":                pulls(ofMerge),
	"pull_request_target":         pulls(ofDefault),
	"pull_request_review":         {at: ofMerge, keys: onlyTypes, types: []string{"submitted", "edited", "dismissed"}},
	"pull_request_review_comment": {at: ofMerge, keys: onlyTypes, types: []string{"created", "edited", "deleted"}},
	"workflow_run": {
		keys: []string{"workflows", "types", "branches", "branches-ignore"}, types: []string{"completed", "requested", "in_progress"},
	},
	"workflow_call": {elsewhere: true},
	"schedule":      {},

	"create": {at: ofRef}, "delete": {}, "fork": {}, "public": {}, "status": {at: ofRef},
	"deployment": {at: ofRef}, "deployment_status": {at: ofRef},
	"label":       {keys: onlyTypes, types: []string{"created", "edited", "deleted"}},
	"milestone":   {keys: onlyTypes, types: []string{"created", "closed", "opened", "edited", "deleted"}},
	"release":     {at: ofRef, keys: onlyTypes, types: []string{"published", "unpublished", "created", "edited", "deleted", "prereleased", "released"}},
	"watch":       {keys: onlyTypes, types: []string{"started"}},
	"check_run":   {keys: onlyTypes, types: []string{"created", "rerequested", "completed", "requested_action"}},
	"check_suite": {keys: onlyTypes, types: []string{"completed"}},
	"discussion": {keys: onlyTypes, types: []string{
		"created", "edited", "deleted", "transferred", "pinned", "unpinned", "labeled", "unlabeled", "locked", "unlocked",
		"category_changed", "answered", "unanswered",
	}},
	"discussion_comment":     {keys: onlyTypes, types: []string{"created", "edited", "deleted"}},
	"branch_protection_rule": {keys: onlyTypes, types: []string{"created", "edited", "deleted"}},

	"merge_group":      {elsewhere: true, keys: []string{"types", "branches", "branches-ignore"}, types: []string{"checks_requested"}},
	"registry_package": {elsewhere: true, keys: onlyTypes, types: []string{"published", "updated"}},
	"gollum":           {elsewhere: true}, "page_build": {elsewhere: true},
	"project": {elsewhere: true, keys: onlyTypes}, "project_card": {elsewhere: true, keys: onlyTypes}, "project_column": {elsewhere: true, keys: onlyTypes},
}

var onlyTypes = []string{"types"}

func pulls(at commit) event {
	return event{
		at:   at,
		keys: []string{"types", "branches", "branches-ignore", "paths", "paths-ignore"},
		types: []string{
			"assigned", "unassigned", "labeled", "unlabeled", "opened", "edited", "closed", "reopened", "synchronize",
			"converted_to_draft", "locked", "unlocked", "enqueued", "dequeued", "milestoned", "demilestoned", "ready_for_review",
			"review_requested", "review_request_removed", "auto_merge_enabled", "auto_merge_disabled",
		},
		standard: []string{"opened", "synchronize", "reopened"},
	}
}
