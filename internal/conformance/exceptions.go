package conformance

// exceptions are the only differences from the description that are allowed. Each has evidence that
// upstream differs likewise; one that no test needs any more is an error.
func exceptions() []Exception {
	const null = "got null, want string"
	return []Exception{
		{Finding{"*", "4*", "/status", undescribed}, "update-ref-refused.json", "errors repeat their status since 2024"},
		{Finding{"orgs/*", "200", "/company", null}, "org.json", "what an organisation does not say is null"},
		{Finding{"orgs/*", "200", "/location", null}, "org.json", "likewise"},
		{Finding{"orgs/*", "200", "/email", null}, "org.json", "likewise"},
		{Finding{"webhook *", "payload", "*/user_view_type", undescribed}, "account.json", "accounts have it since 2024"},
		{Finding{"*", "*", "*/head/repo", "got null, want object"}, "pull-without-fork.json", "a fork that is gone"},
		{Finding{"apps/list-installations", "200", "/*/account", "missing properties 'name', 'slug', 'created_at', 'updated_at'"}, "installations.json", "an account is asked to be a user and an enterprise at once"},
		{Finding{"POST */hooks/*/test", "204", "", nowhere}, "hook-test-url.json", "the address in a hook's test_url"},
		{Finding{"* /orgs/*/organization-roles", "*", "", nowhere}, "custom-roles.json", "roles of one's own, in Enterprise Cloud"},
		{Finding{"* /orgs/*/organization-roles/*", "*", "", nowhere}, "custom-roles.json", "likewise"},
		{Finding{"* /orgs/*/custom-repository-roles*", "*", "", nowhere}, "custom-roles.json", "likewise"},
		{Finding{"issues/add-labels", "body", "", "got array, want object"}, "add-labels.json", "a bare list of names is granted"},
		{Finding{"pulls/*", "2*", "*/line", "got null, want integer"}, "outdated-comment.json", "a comment whose line has changed, or on a file"},
		{Finding{"pulls/*", "2*", "*/original_line", "got null, want integer"}, "outdated-comment.json", "a comment on a file"},
		{Finding{"pulls/*", "2*", "*/position", "got null, want integer"}, "outdated-comment.json", "a comment whose line has changed"},
		{Finding{"webhook pull_request_review edited", "payload", "*/repo/has_discussions", undescribed}, "review-repository.json", "as in every other webhook of reviews"},
		{Finding{"webhook pull_request_review edited", "payload", "*/repo/web_commit_signoff_required", undescribed}, "review-repository.json", "likewise"},
		{Finding{"pulls/create-review-comment", "body", "", "missing properties 'commit_id', 'path'"}, "comment-reply.json", "an answer needs no place of its own"},
		{Finding{"actions/create-workflow-dispatch", "422", "", undeclared}, "dispatch-ref.json", "what cannot be dispatched"},
		{Finding{"actions/create-*", "422", "", undeclared}, "secret-name.json", "names of secrets, and of variables by the same rules"},
		{Finding{"checks/*", "422", "", undeclared}, "checks-commit.json", "a commit that is not there"},
		{Finding{"repos/upload-release-asset", "400", "", undeclared}, "asset-length.json", "an asset of nothing"},
		{Finding{"repos/create-commit-status", "422", "", undeclared}, "status-commit.json", "likewise"},
		{Finding{"actions/create-repo-variable", "409", "", undeclared}, "variable-exists.json", "a variable that exists"},
	}
}
