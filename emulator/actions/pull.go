package actions

import (
	"strings"

	"github.com/understudy-dev/understudy/emulator/actions/internal/expr"
)

// pull is the pull request that an event is about.
type pull struct {
	number     string
	base, head string // branches
	headSHA    string
}

// readPull returns nil when the payload has no pull request.
func (h happening) readPull() *pull {
	o, ok := at(h.payload, "pull_request").(*expr.Object)
	if !ok {
		return nil
	}
	return &pull{
		number: expr.String(at(o, "number")), base: expr.String(at(o, "base", "ref")),
		head: expr.String(at(o, "head", "ref")), headSHA: expr.String(at(o, "head", "sha")),
	}
}

// ofPull is the event for workflows that run on the merge of the pull request into its base. What comes
// from a fork is not trusted.
// https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows#pull_request
func (h happening) ofPull() happening {
	h.pull = h.readPull()
	if h.pull == nil {
		return h
	}
	h.ref = "refs/pull/" + h.pull.number + "/merge"
	if merge := expr.String(at(h.payload, "pull_request", "merge_commit_sha")); merge != "" {
		h.sha = merge
	}
	from := expr.String(at(h.payload, "pull_request", "head", "repo", "full_name"))
	h.untrusted = from != "" && !strings.EqualFold(from, h.repo)
	return h
}

// ofPullTarget is the event for workflows that run on the default branch with the repository's own
// rights, whoever the pull request is from.
// https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows#pull_request_target
func (h happening) ofPullTarget() happening {
	h.name, h.pull = "pull_request_target", h.readPull()
	h.sha, h.ref = "", ""
	return h
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
