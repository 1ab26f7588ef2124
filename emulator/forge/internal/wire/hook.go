package wire

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Hook is a webhook of a repository or an organisation. test_url and last_response are a
// repository's only. See https://docs.github.com/en/rest/repos/webhooks.
type Hook struct {
	Type          string        `json:"type"` // Repository, Organization, App
	ID            int64         `json:"id"`
	Name          string        `json:"name"` // web
	Active        bool          `json:"active"`
	Events        []string      `json:"events"`
	Config        HookConfig    `json:"config"`
	UpdatedAt     Time          `json:"updated_at"`
	CreatedAt     Time          `json:"created_at"`
	URL           string        `json:"url"`
	TestURL       string        `json:"test_url,omitempty"`
	PingURL       string        `json:"ping_url"`
	DeliveriesURL string        `json:"deliveries_url"`
	LastResponse  *HookResponse `json:"last_response,omitempty"`
}

// HookConfig says where and how a hook delivers. A secret is shown as SecretMask only.
type HookConfig struct {
	ContentType string `json:"content_type"` // json, form
	InsecureSSL string `json:"insecure_ssl"` // "0", "1"
	Secret      string `json:"secret,omitempty"`
	URL         string `json:"url"`
}

// SecretMask stands for a hook's secret in every answer.
const SecretMask = "********"

// HookResponse is how a hook's last delivery went.
type HookResponse struct {
	Code    *int    `json:"code"`
	Status  string  `json:"status"` // unused, active, misconfigured, timeout, connection_error
	Message *string `json:"message"`
}

// Delivery is one attempt to deliver an event. Request, Response and URL are there when it is asked
// for alone.
type Delivery struct {
	ID             int64             `json:"id"`
	GUID           string            `json:"guid"`
	DeliveredAt    Time              `json:"delivered_at"`
	Redelivery     bool              `json:"redelivery"`
	Duration       float64           `json:"duration"` // seconds
	Status         string            `json:"status"`
	StatusCode     int               `json:"status_code"`
	Event          string            `json:"event"`
	Action         *string           `json:"action"`
	InstallationID *int64            `json:"installation_id"`
	RepositoryID   *int64            `json:"repository_id"`
	ThrottledAt    *Time             `json:"throttled_at"`
	URL            string            `json:"url,omitempty"`
	Request        *DeliveryRequest  `json:"request,omitempty"`
	Response       *DeliveryResponse `json:"response,omitempty"`
}

// DeliveryRequest is what was sent.
type DeliveryRequest struct {
	Headers map[string]string `json:"headers"`
	Payload json.RawMessage   `json:"payload"`
}

// DeliveryResponse is what came back; nothing is null.
type DeliveryResponse struct {
	Headers map[string]string `json:"headers"`
	Payload *string           `json:"payload"`
}

// Ping is the webhook body of a ping: it tells the receiver which hook it is.
type Ping struct {
	Zen          string        `json:"zen"`
	HookID       int64         `json:"hook_id"`
	Hook         Hook          `json:"hook"`
	Repository   *Repository   `json:"repository,omitempty"`
	Organization *Organization `json:"organization,omitempty"`
	Sender       *User         `json:"sender,omitempty"`
}

// LinkHook fills in the addresses of a hook; owner is "/repos/acme/app" or "/orgs/acme".
func LinkHook(b Base, owner string, h *Hook) {
	h.URL = b.API("%s", fmt.Sprintf("%s/hooks/%d", owner, h.ID))
	h.PingURL, h.DeliveriesURL = h.URL+"/pings", h.URL+"/deliveries"
	if h.Type == HookOfRepository {
		h.TestURL = h.URL + "/test"
	}
}

// The types of hooks.
const (
	HookOfRepository   = "Repository"
	HookOfOrganization = "Organization"
	HookOfApp          = "App"
)

// HookEvent reports whether a hook of the given type can be subscribed to an event. Most of
// GitHub's events never happen here; to wait for them is allowed nevertheless, as there.
func HookEvent(kind, name string) bool {
	return name == "*" || slices.Contains(repositoryEvents(), name) ||
		kind != HookOfRepository && slices.Contains(organizationEvents(), name) ||
		kind == HookOfApp && slices.Contains(AppEvents(), name)
}

// AppEvents are those that every app with a webhook is sent.
func AppEvents() []string {
	return []string{"github_app_authorization", "installation", "installation_repositories", "installation_target"}
}

func repositoryEvents() []string {
	return []string{
		"branch_protection_configuration", "branch_protection_rule", "check_run", "check_suite", "code_scanning_alert",
		"commit_comment", "create", "custom_property_values", "delete", "dependabot_alert", "deploy_key", "deployment",
		"deployment_protection_rule", "deployment_review", "deployment_status", "discussion", "discussion_comment", "fork",
		"gollum", "issue_comment", "issue_dependencies", "issues", "label", "member", "merge_group", "meta", "milestone",
		"package", "page_build", "ping", "public", "pull_request", "pull_request_review", "pull_request_review_comment",
		"pull_request_review_thread", "push", "registry_package", "release", "repository", "repository_advisory",
		"repository_import", "repository_ruleset", "repository_vulnerability_alert", "secret_scanning_alert",
		"secret_scanning_alert_location", "secret_scanning_scan", "security_and_analysis", "star", "status", "sub_issues",
		"team_add", "watch", "workflow_job", "workflow_run",
	}
}

func organizationEvents() []string {
	return []string{
		"custom_property", "membership", "org_block", "organization", "personal_access_token_request", "projects_v2",
		"projects_v2_item", "projects_v2_status_update", "team",
	}
}
