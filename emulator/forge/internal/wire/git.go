package wire

// Ref is a git reference.
type Ref struct {
	Ref    string    `json:"ref"`
	NodeID string    `json:"node_id"`
	URL    string    `json:"url"`
	Object GitObject `json:"object"`
}

// GitObject names an object.
type GitObject struct {
	Type string `json:"type"`
	SHA  string `json:"sha"`
	URL  string `json:"url"`
}

// Link names an object and its address.
type Link struct {
	SHA     string `json:"sha"`
	URL     string `json:"url"`
	HTMLURL string `json:"html_url,omitempty"`
}

// Signature is who made a commit and when.
type Signature struct {
	Name  string `json:"name"`
	Email string `json:"email"`
	Date  Time   `json:"date"`
}

// Verification is about signatures of commits; here none is signed.
type Verification struct {
	Verified   bool    `json:"verified"`
	Reason     string  `json:"reason"`
	Signature  *string `json:"signature"`
	Payload    *string `json:"payload"`
	VerifiedAt *string `json:"verified_at"`
}

// GitCommit is a commit object as the git data API gives it.
type GitCommit struct {
	SHA          string       `json:"sha"`
	NodeID       string       `json:"node_id"`
	URL          string       `json:"url"`
	HTMLURL      string       `json:"html_url"`
	Author       Signature    `json:"author"`
	Committer    Signature    `json:"committer"`
	Tree         Link         `json:"tree"`
	Message      string       `json:"message"`
	Parents      []Link       `json:"parents"`
	Verification Verification `json:"verification"`
}

// Commit is a commit as the commits API gives it.
type Commit struct {
	SHA         string       `json:"sha"`
	NodeID      string       `json:"node_id"`
	Commit      CommitDetail `json:"commit"`
	URL         string       `json:"url"`
	HTMLURL     string       `json:"html_url"`
	CommentsURL string       `json:"comments_url"`
	Author      *User        `json:"author"`
	Committer   *User        `json:"committer"`
	Parents     []Link       `json:"parents"`
	Stats       *CommitStats `json:"stats,omitempty"` // of one commit, not in lists
	Files       []CommitFile `json:"files,omitempty"`
}

// CommitStats counts lines.
type CommitStats struct {
	Total     int `json:"total"`
	Additions int `json:"additions"`
	Deletions int `json:"deletions"`
}

// CommitDetail is the git part of a Commit.
type CommitDetail struct {
	Author       Signature    `json:"author"`
	Committer    Signature    `json:"committer"`
	Message      string       `json:"message"`
	Tree         Link         `json:"tree"`
	URL          string       `json:"url"`
	CommentCount int          `json:"comment_count"`
	Verification Verification `json:"verification"`
}

// CommitFile is a path that a commit changed.
type CommitFile struct {
	SHA         string `json:"sha"`
	Filename    string `json:"filename"`
	Status      string `json:"status"` // added, removed, modified, renamed, changed
	Additions   int    `json:"additions"`
	Deletions   int    `json:"deletions"`
	Changes     int    `json:"changes"`
	BlobURL     string `json:"blob_url"`
	RawURL      string `json:"raw_url"`
	ContentsURL string `json:"contents_url"`
	Patch       string `json:"patch,omitempty"`
	Previous    string `json:"previous_filename,omitempty"`
}

// Tree is a tree object.
type Tree struct {
	SHA       string      `json:"sha"`
	URL       string      `json:"url"`
	Entries   []TreeEntry `json:"tree"`
	Truncated bool        `json:"truncated"`
}

// TreeEntry is one entry of a tree.
type TreeEntry struct {
	Path string `json:"path"`
	Mode string `json:"mode"`
	Type string `json:"type"`
	Size *int64 `json:"size,omitempty"`
	SHA  string `json:"sha"`
	URL  string `json:"url,omitempty"`
}

// Blob is a blob object.
type Blob struct {
	SHA      string `json:"sha"`
	NodeID   string `json:"node_id"`
	Size     int64  `json:"size"`
	URL      string `json:"url"`
	Content  string `json:"content"`
	Encoding string `json:"encoding"`
}

// Tag is an annotated tag object.
type Tag struct {
	NodeID       string       `json:"node_id"`
	Tag          string       `json:"tag"`
	SHA          string       `json:"sha"`
	URL          string       `json:"url"`
	Message      string       `json:"message"`
	Tagger       Signature    `json:"tagger"`
	Object       GitObject    `json:"object"`
	Verification Verification `json:"verification"`
}

// Branch is a branch. In lists only Name, Commit and Protected are set.
type Branch struct {
	Name          string            `json:"name"`
	Commit        any               `json:"commit"` // Link in lists, Commit alone
	Links         *BranchLinks      `json:"_links,omitempty"`
	Protected     bool              `json:"protected"`
	Protection    *BranchProtection `json:"protection,omitempty"`
	ProtectionURL string            `json:"protection_url,omitempty"`
}

// BranchLinks repeats addresses of a Branch.
type BranchLinks struct {
	Self string `json:"self"`
	HTML string `json:"html"`
}

// BranchProtection says whether and by which checks a branch is protected.
type BranchProtection struct {
	Enabled bool `json:"enabled"`
	Checks  struct {
		Enforcement string          `json:"enforcement_level"`
		Contexts    []string        `json:"contexts"`
		Checks      []RequiredCheck `json:"checks"`
	} `json:"required_status_checks"`
}

// RepositoryTag is a tag of a repository, annotated or not.
type RepositoryTag struct {
	Name       string `json:"name"`
	ZipballURL string `json:"zipball_url"`
	TarballURL string `json:"tarball_url"`
	Commit     Link   `json:"commit"`
	NodeID     string `json:"node_id"`
}

// Content is a file, or an entry of a directory.
type Content struct {
	Name        string       `json:"name"`
	Path        string       `json:"path"`
	SHA         string       `json:"sha"`
	Size        int64        `json:"size"`
	URL         string       `json:"url"`
	HTMLURL     string       `json:"html_url"`
	GitURL      string       `json:"git_url"`
	DownloadURL *string      `json:"download_url"`
	Type        string       `json:"type"` // file, dir, symlink, submodule
	Content     *string      `json:"content,omitempty"`
	Encoding    string       `json:"encoding,omitempty"`
	Target      string       `json:"target,omitempty"`
	Entries     []Content    `json:"entries,omitempty"` // of a directory in the form "object"
	Links       ContentLinks `json:"_links"`
}

// ContentLinks repeats addresses of a Content.
type ContentLinks struct {
	Self string `json:"self"`
	Git  string `json:"git"`
	HTML string `json:"html"`
}

// ContentChange answers a change of a file; Content is null when it was deleted.
type ContentChange struct {
	Content *Content  `json:"content"`
	Commit  GitCommit `json:"commit"`
}
