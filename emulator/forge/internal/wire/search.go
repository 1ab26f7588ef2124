package wire

// FoundIssue is an issue or a pull request that a search found.
// https://docs.github.com/en/rest/search/search#search-issues-and-pull-requests
type FoundIssue struct {
	Issue
	Body     string  `json:"body"`
	ClosedBy *User   `json:"closed_by,omitempty"` // not shown by a search
	Score    float64 `json:"score"`
}

// FoundRepo is a repository that a search found.
// https://docs.github.com/en/rest/search/search#search-repositories
type FoundRepo struct {
	Repository
	Score float64 `json:"score"`
}

// Found is a page of what a search found.
type Found[T any] struct {
	Total      int    `json:"total_count"`
	Incomplete bool   `json:"incomplete_results"`
	Items      []T    `json:"items"`
	Type       string `json:"search_type,omitempty"` // lexical
}
