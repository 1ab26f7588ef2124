package forge_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPartsOfProtection changes a protection part by part, and hears of it.
// https://docs.github.com/en/rest/branches/branch-protection
func TestPartsOfProtection(t *testing.T) {
	w := newWorld(t)
	bob := w.user("bob", "write")
	const contexts, users = protection + "/required_status_checks/contexts", protection + "/restrictions/users"
	w.ada.want(404, "PATCH", protection+"/required_status_checks", map[string]any{"strict": true}).is("message", "Branch not protected")
	names := func(field string, names ...string) map[string]any { return map[string]any{field: names} }
	before := w.seq()
	w.protect(nil)
	e := w.lastEntry("branch_protection_rule.created")
	if payload(t, e, "rule.name") != "main" || payload(t, e, "rule.admin_enforced") != false || e.Detail["event"] != "branch_protection_rule" {
		t.Errorf("created: %s", e.Payload)
	}
	w.ada.want(404, "PATCH", protection+"/required_status_checks", map[string]any{"strict": true})
	w.ada.want(404, "POST", contexts, names("contexts", "x"))
	w.ada.want(404, "GET", contexts, nil)
	w.ada.want(404, "PUT", users, names("users", "bob"))
	w.protect(map[string]any{"required_status_checks": map[string]any{"strict": false, "contexts": []string{}, "checks": []any{map[string]any{"context": "build", "app_id": 15368}}},
		"restrictions": map[string]any{"users": []string{}, "teams": []string{}}})
	e = w.lastEntry("branch_protection_rule.edited")
	if payload(t, e, "changes.authorized_actors_only.from") != false || payload(t, e, "rule.authorized_actors_only") != true {
		t.Errorf("edited: %s", e.Payload)
	}

	if got := w.ada.want(200, "POST", contexts, map[string]any{"contexts": []string{"test", "BUILD"}}).body; string(got) != `["build","test"]` {
		t.Errorf("added: %s", got)
	}
	w.ada.want(200, "GET", protection, nil).is("required_status_checks.checks.0.app_id", 15368.0)
	w.ada.want(200, "DELETE", contexts, names("contexts", "build")).is("0", "test")
	w.ada.undescribed().want(200, "PUT", contexts, []string{"lint", "lint"}).is("1", nil)
	w.ada.want(200, "PATCH", protection+"/required_status_checks", map[string]any{"strict": true}).is("contexts.0", "lint")
	w.ada.want(422, "PUT", contexts, map[string]any{"names": []string{}})
	w.ada.want(422, "PUT", contexts, map[string]any{"contexts": 1})

	w.ada.want(422, "POST", users, names("users", "nobody"))
	w.ada.want(200, "POST", users, names("users", "bob")).is("0.login", "bob")
	w.ada.want(200, "PATCH", protection+"/required_pull_request_reviews", map[string]any{"dismiss_stale_reviews": true}).is("required_approving_review_count", 1.0)
	r := w.ada.want(200, "PATCH", protection+"/required_pull_request_reviews", map[string]any{"required_approving_review_count": 3})
	r.is("dismiss_stale_reviews", true)
	r.is("required_approving_review_count", 3.0)
	bob.want(403, "POST", users, names("users", "bob"))

	// Who has left the repository is no obstacle to other changes.
	w.ada.want(204, "DELETE", "/repos/acme/app/collaborators/bob", nil)
	w.ada.want(200, "POST", protection+"/enforce_admins", nil)
	w.ada.want(200, "DELETE", users, map[string]any{"users": []string{"BOB"}}).is("0", nil)
	w.ada.want(422, "POST", users, names("users", "bob"))
	w.ada.want(204, "DELETE", protection, nil)
	var heard []string
	for _, typ := range w.changes(before) {
		if len(heard) == 0 || heard[len(heard)-1] != typ {
			heard = append(heard, typ)
		}
	}
	heard = slices.DeleteFunc(heard, func(typ string) bool { return typ == "member.removed" })
	want := []string{"branch_protection_rule.created", "branch_protection_rule.edited", "branch_protection_rule.deleted"}
	if diff := cmp.Diff(want, slices.Compact(heard)); diff != "" {
		t.Error(diff)
	}
}
