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
	Files       []CommitFile `json:"files,omitempty"`
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
	SHA      *string `json:"sha"`
	Filename string  `json:"filename"`
	Status   string  `json:"status"` // added, removed, modified
	BlobURL  string  `json:"blob_url"`
	RawURL   string  `json:"raw_url"`
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
	Name      string `json:"name"`
	Commit    any    `json:"commit"` // Link in lists, Commit alone
	Protected bool   `json:"protected"`
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
