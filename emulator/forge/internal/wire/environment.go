package wire

import (
	"net/url"
	"time"
)

// Environment is what a repository deploys to.
type Environment struct {
	ID              int64    `json:"id"`
	NodeID          string   `json:"node_id"`
	Name            string   `json:"name"`
	URL             string   `json:"url"`
	HTMLURL         string   `json:"html_url"`
	CreatedAt       Time     `json:"created_at"`
	UpdatedAt       Time     `json:"updated_at"`
	ProtectionRules []string `json:"protection_rules"`         // there are none
	BranchPolicy    *string  `json:"deployment_branch_policy"` // null: every branch may deploy
}

// NewEnvironment shows an environment of a repository.
func NewEnvironment(b Base, full string, id int64, name string, created, updated time.Time) Environment {
	at := url.PathEscape(name)
	return Environment{
		ID: id, NodeID: NodeID("Environment", id), Name: name, CreatedAt: Time{created}, UpdatedAt: Time{updated}, ProtectionRules: []string{},
		URL: b.API("/repos/%s/environments/%s", full, at), HTMLURL: b.HTML("/%s/deployments/activity_log?environments_filter=%s", full, url.QueryEscape(name)),
	}
}
