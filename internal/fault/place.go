package fault

import (
	"fmt"
	"slices"
	"strings"
)

// names says what the WHERE of a place is, for people.
func (p Place) names() string {
	switch p {
	case Events:
		return `an event, such as issues.labeled, or issues for all its actions`
	case Files:
		return `a file, such as .github/workflows/ci.yml, where * stands for any name`
	case Requests:
		return `a request, such as "GET /repos/*/*/issues", or "/repos/**" for every method`
	}
	return string(p)
}

func (p Place) check(where string) error {
	switch p {
	case Events:
		event, _, _ := strings.Cut(where, ".")
		if !slices.Contains(KnownEvents(), event) {
			return fmt.Errorf("%q is no event that GitHub has; @ is followed by %s", where, p.names())
		}
		if strings.HasSuffix(where, ".") || strings.ContainsAny(where, " \n") {
			return fmt.Errorf("%q is no event; @ is followed by %s", where, p.names())
		}
	case Files:
		if strings.HasPrefix(where, "/") || strings.ContainsAny(where, " \n") {
			return fmt.Errorf("%q is no file of a repository; @ is followed by %s", where, p.names())
		}
	case Requests:
		method, path := splitRequest(where)
		if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, " \n") || method != strings.ToUpper(method) {
			return fmt.Errorf("%q is no request; @ is followed by %s", where, p.names())
		}
	}
	return nil
}

func splitRequest(where string) (method, path string) {
	if method, path, ok := strings.Cut(where, " "); ok {
		return method, path
	}
	return "", where
}

// holds reports whether a target is one of those that a WHERE names.
func (p Place) holds(where, what string) bool {
	if where == "" || where == what {
		return true
	}
	switch p {
	case Events:
		return strings.HasPrefix(what, where+".")
	case Files:
		return below(where, what)
	case Requests:
		method, path := splitRequest(where)
		m, at := splitRequest(what)
		return (method == "" || method == m) && below(path, at)
	}
	return false
}

// below matches a path segment by segment: * and {name} are any one, ** at the end is any rest.
func below(pattern, path string) bool {
	want, got := strings.Split(pattern, "/"), strings.Split(path, "/")
	for i, w := range want {
		if w == "**" && i == len(want)-1 {
			return i <= len(got)
		}
		if i >= len(got) || w != got[i] && w != "*" && !(strings.HasPrefix(w, "{") && strings.HasSuffix(w, "}")) {
			return false
		}
	}
	return len(want) == len(got)
}

// KnownEvents are the webhook events that GitHub has.
// https://docs.github.com/en/webhooks/webhook-events-and-payloads
func KnownEvents() []string {
	return strings.Fields(`
		branch_protection_configuration branch_protection_rule check_run check_suite code_scanning_alert commit_comment create
		custom_property custom_property_values delete dependabot_alert deploy_key deployment deployment_protection_rule
		deployment_review deployment_status discussion discussion_comment fork github_app_authorization gollum installation
		installation_repositories installation_target issue_comment issue_dependencies issues label marketplace_purchase member
		membership merge_group meta milestone org_block organization package page_build personal_access_token_request ping
		project project_card project_column projects_v2 projects_v2_item projects_v2_status_update public pull_request
		pull_request_review pull_request_review_comment pull_request_review_thread push registry_package release repository
		repository_advisory repository_dispatch repository_import repository_ruleset repository_vulnerability_alert
		secret_scanning_alert secret_scanning_alert_location secret_scanning_scan security_advisory security_and_analysis
		sponsorship star status sub_issues team team_add watch workflow_dispatch workflow_job workflow_run
		pull_request_target schedule`)
}
