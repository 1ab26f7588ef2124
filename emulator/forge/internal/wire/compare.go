package wire

// Comparison says how two commits stand to each other.
// https://docs.github.com/en/rest/commits/commits#compare-two-commits
type Comparison struct {
	URL          string       `json:"url"`
	HTMLURL      string       `json:"html_url"`
	PermalinkURL string       `json:"permalink_url"`
	DiffURL      string       `json:"diff_url"`
	PatchURL     string       `json:"patch_url"`
	BaseCommit   Commit       `json:"base_commit"`
	MergeBase    Commit       `json:"merge_base_commit"`
	Status       string       `json:"status"` // diverged, ahead, behind, identical
	Ahead        int          `json:"ahead_by"`
	Behind       int          `json:"behind_by"`
	Total        int          `json:"total_commits"`
	Commits      []Commit     `json:"commits"` // oldest first
	Files        []CommitFile `json:"files"`
}
