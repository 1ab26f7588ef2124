package wire

// Release is a release of a repository: a tag with words and files.
// https://docs.github.com/en/rest/releases/releases
type Release struct {
	URL             string         `json:"url"`
	HTMLURL         string         `json:"html_url"`
	AssetsURL       string         `json:"assets_url"`
	UploadURL       string         `json:"upload_url"` // a template: …/assets{?name,label}
	TarballURL      *string        `json:"tarball_url"`
	ZipballURL      *string        `json:"zipball_url"`
	ID              int64          `json:"id"`
	NodeID          string         `json:"node_id"`
	TagName         string         `json:"tag_name"`
	TargetCommitish string         `json:"target_commitish"`
	Name            *string        `json:"name"`
	Body            *string        `json:"body"`
	Draft           bool           `json:"draft"`
	Prerelease      bool           `json:"prerelease"`
	Immutable       bool           `json:"immutable"`
	CreatedAt       Time           `json:"created_at"` // of the commit
	PublishedAt     Time           `json:"published_at"`
	UpdatedAt       Time           `json:"updated_at"`
	Author          User           `json:"author"`
	Assets          []ReleaseAsset `json:"assets"`
}

// ReleaseAsset is a file of a release.
// https://docs.github.com/en/rest/releases/assets
type ReleaseAsset struct {
	URL                string  `json:"url"`
	BrowserDownloadURL string  `json:"browser_download_url"`
	ID                 int64   `json:"id"`
	NodeID             string  `json:"node_id"`
	Name               string  `json:"name"`
	Label              *string `json:"label"`
	State              string  `json:"state"`
	ContentType        string  `json:"content_type"`
	Size               int64   `json:"size"`
	Digest             *string `json:"digest"`
	DownloadCount      int     `json:"download_count"`
	CreatedAt          Time    `json:"created_at"`
	UpdatedAt          Time    `json:"updated_at"`
	Uploader           User    `json:"uploader"`
}

// Link fills in the addresses of a release and of its assets. A draft has no page of its tag, and no archives.
func (r *Release) Link(b Base, repo string) {
	repo = EscapePath(repo)
	page := EscapePath(r.TagName)
	r.URL = b.API("/repos/%s/releases/%d", repo, r.ID)
	r.AssetsURL = r.URL + "/assets"
	r.UploadURL = b.Uploads("/repos/%s/releases/%d/assets{?name,label}", repo, r.ID)
	if r.Draft {
		page = "untagged-" + NodeID("Release", r.ID)
	} else {
		tar, zip := b.API("/repos/%s/tarball/%s", repo, page), b.API("/repos/%s/zipball/%s", repo, page)
		r.TarballURL, r.ZipballURL = &tar, &zip
	}
	r.HTMLURL = b.HTML("/%s/releases/tag/%s", repo, page)
	for i := range r.Assets {
		x := &r.Assets[i]
		x.URL = b.API("/repos/%s/releases/assets/%d", repo, x.ID)
		x.BrowserDownloadURL = b.HTML("/%s/releases/download/%s/%s", repo, page, EscapePath(x.Name))
	}
}

// ReleaseEvent is the webhook body of what happened to a release.
type ReleaseEvent struct {
	Action       string          `json:"action"`
	Changes      *map[string]any `json:"changes,omitempty"` // of an edited one, also when there are none to name
	Release      Release         `json:"release"`
	Repository   *Repository     `json:"repository"`
	Organization *Organization   `json:"organization,omitempty"`
	Sender       *User           `json:"sender"`
}
