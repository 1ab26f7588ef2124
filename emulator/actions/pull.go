package actions

import (
	"strings"

	"github.com/understudy-dev/understudy/emulator/actions/internal/expr"
	"github.com/understudy-dev/understudy/emulator/actions/internal/workflow"
)

// pull is the pull request that an event is about.
type pull struct {
	number     string
	base, head string // branches
	headSHA    string
	merged     bool
}

// readPull returns nil when the payload has no pull request.
func (h happening) readPull() *pull {
	o, ok := at(h.payload, "pull_request").(*expr.Object)
	if !ok {
		return nil
	}
	return &pull{
		number: expr.String(at(o, "number")), base: expr.String(at(o, "base", "ref")),
		head: expr.String(at(o, "head", "ref")), headSHA: expr.String(at(o, "head", "sha")), merged: at(o, "merged") == true,
	}
}

// ofPull is the event for workflows that run on the merge of the pull request into its base, or on the base
// once it is merged. What comes from a fork is not trusted. Its sha is "" when there are conflicts.
// https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows#pull_request
func (h happening) ofPull() happening {
	h.pull = h.readPull()
	if h.pull == nil {
		return h
	}
	// A payload that is made before GitHub has merged the two for a test does not name the merge.
	switch merge := expr.String(at(h.payload, "pull_request", "merge_commit_sha")); {
	case merge != "":
		h.sha = merge
	case !strings.HasPrefix(h.ref, "refs/pull/"):
		h.sha = ""
	}
	h.ref = "refs/pull/" + h.pull.number + "/merge"
	if h.pull.merged {
		h.ref = "refs/heads/" + h.pull.base
	}
	from := expr.String(at(h.payload, "pull_request", "head", "repo", "full_name")) // "" is a fork that is gone
	h.untrusted = !strings.EqualFold(from, h.repo)
	return h
}

// onMerge is ofPull as events to offer: none while the pull request cannot be merged.
func (h happening) onMerge() []happening {
	if h = h.ofPull(); h.pull != nil && h.sha == "" {
		return nil
	}
	return []happening{h}
}

// ofPullTarget is the event for workflows that run on the default branch with the repository's own
// rights, whoever the pull request is from.
// https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows#pull_request_target
func (h happening) ofPullTarget() happening {
	h.name, h.pull, h.held = "pull_request_target", h.readPull(), false
	h.sha, h.ref = "", ""
	return h
}

// permissions are what a job's token may do by default; nil is to read contents and packages.
func (s Source) permissions() map[string]string {
	if !s.Permissive {
		return nil
	}
	return workflow.WriteAll()
}

// readOnly is what the token of an untrusted run may do: to read what it would write, and no id-token.
func readOnly(permissions map[string]string) map[string]string {
	if permissions == nil {
		return nil // the default only reads
	}
	out := make(map[string]string, len(permissions))
	for scope, level := range permissions {
		switch {
		case strings.ReplaceAll(scope, "-", "_") == "id_token":
			level = "none"
		case level == "write":
			level = "read"
		}
		out[scope] = level
	}
	return out
}
