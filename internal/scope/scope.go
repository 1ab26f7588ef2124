// Package scope names what tokens of the forge can be narrowed to: the scopes of classic tokens, and the
// permissions of apps, of fine-grained tokens and of jobs.
//
//	scope.Classic()           // "repo", "public_repo", …
//	scope.Wider("public_repo") // "repo"
//	scope.Permissions()       // "contents", "issues", …
package scope

// Classic are all scopes that a classic token can have, in order.
// https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps
func Classic() []string {
	return []string{
		"admin:gpg_key", "admin:org", "admin:org_hook", "admin:public_key", "admin:repo_hook", "audit_log", "codespace",
		"delete:packages", "delete_repo", "gist", "manage_runners:org", "notifications", "project", "public_repo",
		"read:audit_log", "read:discussion", "read:gpg_key", "read:org", "read:packages", "read:project", "read:public_key",
		"read:repo_hook", "read:user", "repo", "repo:invite", "repo:status", "repo_deployment", "security_events", "user",
		"user:email", "user:follow", "workflow", "write:discussion", "write:gpg_key", "write:org", "write:packages",
		"write:public_key", "write:repo_hook",
	}
}

// Wider names the scope that includes another; "" is none.
func Wider(scope string) string {
	switch scope {
	case "repo:status", "repo_deployment", "public_repo", "repo:invite", "security_events":
		return "repo"
	case "write:repo_hook":
		return "admin:repo_hook"
	case "read:repo_hook":
		return "write:repo_hook"
	case "write:org", "manage_runners:org":
		return "admin:org"
	case "read:org":
		return "write:org"
	case "write:public_key":
		return "admin:public_key"
	case "read:public_key":
		return "write:public_key"
	case "write:gpg_key":
		return "admin:gpg_key"
	case "read:gpg_key":
		return "write:gpg_key"
	case "read:user", "user:email", "user:follow":
		return "user"
	case "read:project":
		return "project"
	case "read:discussion":
		return "write:discussion"
	case "read:packages":
		return "write:packages"
	case "read:audit_log":
		return "audit_log"
	}
	return ""
}

// Permissions are those that a token can be narrowed to, with underscores for hyphens, in order.
// https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps
func Permissions() []string {
	return []string{
		"actions", "actions_variables", "administration", "artifact_metadata", "attestations", "checks", "contents",
		"deployments", "discussions", "environments", "id_token", "issues", "members", "metadata", "models",
		"organization_actions_variables", "organization_administration", "organization_hooks", "organization_secrets",
		"packages", "pages", "pull_requests", "repository_hooks", "repository_projects", "secrets", "security_events",
		"statuses", "workflows",
	}
}

// Levels are what a permission can be.
func Levels() []string { return []string{"read", "write", "none"} }
