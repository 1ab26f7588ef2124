package wire

// OrganizationRole is a role that people have in a whole organisation.
type OrganizationRole struct {
	ID           int64    `json:"id"`
	Name         string   `json:"name"`
	Description  *string  `json:"description"`
	Permissions  []string `json:"permissions"`
	Organization *User    `json:"organization"` // nil for what GitHub predefines
	CreatedAt    Time     `json:"created_at"`
	UpdatedAt    Time     `json:"updated_at"`
	Source       string   `json:"source"` // Organization, Predefined
	BaseRole     *string  `json:"base_role"`
}

// RoleUser is who has such a role.
type RoleUser struct {
	User
	Assignment    string     `json:"assignment"` // direct
	InheritedFrom []struct{} `json:"inherited_from"`
}

// RepositoryRole is a role that an organisation has made for collaborators in its repositories.
type RepositoryRole struct {
	ID           int64    `json:"id"`
	Name         string   `json:"name"`
	Description  *string  `json:"description"`
	BaseRole     string   `json:"base_role"`
	Permissions  []string `json:"permissions"`
	Organization User     `json:"organization"`
	CreatedAt    Time     `json:"created_at"`
	UpdatedAt    Time     `json:"updated_at"`
}
