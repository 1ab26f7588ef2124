package state

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// ImageVersion is the form that images are written in. Another form is refused, never guessed.
const ImageVersion = 2

// Image is all that a State holds at one moment, as a value: it shares nothing that changes, is
// written as JSON with Image.Encode and read with DecodeImage. Two images of the same state are the
// same bytes. It holds secrets and the keys that seal them in the clear, and tokens as digests.
//
// What a State learns to hold goes into one of the tables here, in imageOf… and in FromImage;
// TestImageHoldsEveryField names the field that was forgotten.
type Image struct {
	Version   int
	Journal   uint64           // sequence number of the last journal entry whose change is in here
	Last      map[string]int64 `json:",omitempty"` // the last id given, by noun
	Mark      string           `json:",omitempty"`
	Advanced  time.Duration    `json:",omitempty"` // how far the clock was put forward
	Accounts  []AccountImage   `json:",omitempty"` // by ID
	Tokens    []TokenImage     `json:",omitempty"` // by Digest; those that live
	Repos     []RepoImage      `json:",omitempty"` // by ID
	Issues    []IssueImage     `json:",omitempty"` // by ID
	Comments  []CommentImage   `json:",omitempty"` // by ID
	Runs      []RunImage       `json:",omitempty"` // by ID
	Jobs      []JobImage       `json:",omitempty"` // by ID
	Artifacts []ArtifactImage  `json:",omitempty"` // by ID

	Apps     []AppImage          `json:",omitempty"` // by ID
	Installs []InstallationImage `json:",omitempty"` // by ID

	Hooks      []HookImage     `json:",omitempty"` // by ID
	Deliveries []DeliveryImage `json:",omitempty"` // by ID

	Checks   []CheckImage  `json:",omitempty"` // by ID; of apps
	Suites   []SuiteImage  `json:",omitempty"` // by ID; of apps
	Statuses []StatusImage `json:",omitempty"` // by ID

	Reactions []ReactionImage   `json:",omitempty"` // by ID
	Events    []IssueEventImage `json:",omitempty"` // by ID; of issues
}

// AccountImage is an account; an organisation has members.
type AccountImage struct {
	ID      int64
	Login   string
	Name    string
	Kind    string
	Created time.Time
	Members []MemberImage   // by Login
	Invited map[string]bool // by lower-case login
	ConfigImage

	Base      *Role              `json:",omitempty"`
	Roles     []CustomRoleImage  `json:",omitempty"` // by ID
	RepoRoles []CustomRoleImage  `json:",omitempty"` // by ID
	Granted   map[string][]int64 `json:",omitempty"` // by lower-case login
	Teams     []TeamImage        `json:",omitempty"` // by ID

	ActionsPulls bool `json:",omitempty"`
	ActionsImage
}

// ActionsImage is what a repository or an organisation says of its runs; "" is what is above it.
type ActionsImage struct {
	ActionsTokens string `json:",omitempty"`
	Approval      string `json:",omitempty"`
}

// ConfigImage is what Actions reads at one level.
type ConfigImage struct {
	Variables []SettingImage // by Name
	Secrets   []SettingImage // by Name, in the clear
	Sealing   *SealingImage
}

// MemberImage is a member of an organisation.
type MemberImage struct {
	Login  string
	Owner  bool
	Role   Role
	Public bool
}

// TokenImage is a token, of which only the digest is known.
type TokenImage struct {
	Digest      string // hexadecimal SHA-256
	Login       string
	Kit         bool
	Quiet       bool
	Cause       string
	Repo        string
	Permissions map[string]string // null is all that the account may
	Scopes      []string          // null is all that the account may
	Owner       string            `json:",omitempty"`
	App         bool
	NoRuns      bool
	Name        string
	Parent      string  // digest of the token that it is an alias of; "" is none
	Install     int64   `json:",omitempty"` // installation; 0 is none
	Narrowed    bool    `json:",omitempty"` // to Only
	Only        []int64 `json:",omitempty"` // repositories
	Expires     time.Time
}

// RepoImage is a repository with what is small in it.
type RepoImage struct {
	ID            int64
	Owner         int64 // account
	Name          string
	Description   string
	Private       bool
	DefaultBranch string
	Created       time.Time
	Updated       time.Time
	Pushed        time.Time
	Refs          map[string]string
	Members       map[string]Role  // by lower-case login
	Custom        map[string]int64 `json:",omitempty"` // roles of the organisation's own, by lower-case login
	Labels        []LabelImage     // as they were made
	ConfigImage
	Environments []EnvironmentImage // by ID
	Caches       []CacheImage       `json:",omitempty"` // as they came; their bytes are not in the image
	Workflows    []WorkflowImage    // as they became known

	Parent       int64  `json:",omitempty"` // repository that it is a fork of
	AllowForking bool   `json:",omitempty"`
	NoIssues     bool   `json:",omitempty"`
	Archived     bool   `json:",omitempty"`
	Actions      string `json:",omitempty"`
	ActionsPulls bool   `json:",omitempty"`
	ActionsImage
	Topics []string `json:",omitempty"`

	Milestones    []MilestoneImage `json:",omitempty"` // as they were made
	LastMilestone int              `json:",omitempty"`

	Releases      []Release `json:",omitempty"` // as they were made; the bytes of their assets are not in the image
	LatestRelease int64     `json:",omitempty"`

	Merging     MergingImage
	Protections []Protection `json:",omitempty"` // by Branch
}

// CacheImage is a cache entry of a repository.
type CacheImage struct {
	ID      int64
	JobID   int64
	Ref     string
	Key     string
	Version string
	Size    int64
	Created time.Time
	Used    time.Time
}

// EnvironmentImage is an environment of a repository.
type EnvironmentImage struct {
	ID      int64
	Name    string
	Created time.Time
	Updated time.Time
	ConfigImage
}

// LabelImage is a label of a repository.
type LabelImage struct {
	ID          int64
	Name        string
	Color       string
	Description string
	Standard    bool
}

// SettingImage is an Actions variable or a secret.
type SettingImage struct {
	Name       string
	Value      string
	Created    time.Time
	Updated    time.Time
	Visibility string  // of an organisation's
	Selected   []int64 // repositories
}

// SealingImage is the key pair that secrets are sealed with; each key has 32 bytes.
type SealingImage struct {
	ID      string
	Public  []byte
	Private []byte
}

// WorkflowImage is a workflow of a repository.
type WorkflowImage struct {
	ID      int64
	Path    string
	Name    string
	Created time.Time
	Runs    int
	State   string `json:",omitempty"` // "" is active
}

// IssueImage is an issue of the repository Repo.
type IssueImage struct {
	Repo     int64
	ID       int64
	Number   int
	Title    string
	Body     string
	State    string
	Reason   string
	Author   string
	Labels   []int64 // as they were given
	Created  time.Time
	Updated  time.Time
	Closed   time.Time
	ClosedBy string
	Pull     *PullImage      `json:",omitempty"` // of a pull request
	More     *FurnitureImage `json:",omitempty"`
}

// CommentImage is a comment on the issue Issue.
type CommentImage struct {
	Issue   int64
	ID      int64
	Author  string
	Body    string
	Created time.Time
	Updated time.Time
}

// RunImage is a run of the workflow WorkflowID.
type RunImage struct {
	Run
	WorkflowID int64
	Updated    time.Time
	Arts       []int64 // artifacts, as they came
	Past       []Run   `json:",omitempty"` // earlier attempts
	Fresh      int
}

// JobImage is a job with its log. Nobody may write to Log.
type JobImage struct {
	Job
	Log   []byte
	Spans []Span `json:",omitempty"`
}

// ArtifactImage is an artifact; its bytes are not in the image.
type ArtifactImage struct {
	Artifact
}

// Image returns all that there is, as it is at one moment.
func (s *State) Image() Image {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.image()
}

// image needs the lock.
func (s *State) image() Image {
	im := Image{Version: ImageVersion, Journal: s.jour.Last(), Last: map[string]int64{}, Mark: s.mark, Advanced: s.advanced()}
	for n, id := range s.last {
		im.Last[string(n)] = id
	}
	for _, a := range s.accounts {
		im.Accounts = append(im.Accounts, imageOfAccount(a))
		im.addHooks(a.hooks)
	}
	for _, t := range s.tokens {
		if t.alive(s.now) {
			im.Tokens = append(im.Tokens, imageOfToken(t))
		}
	}
	for _, r := range s.repos {
		im.addRepo(r)
	}
	im.addApps(s)
	for _, a := range s.arts {
		im.Artifacts = append(im.Artifacts, ArtifactImage{a.Artifact})
	}
	im.sort()
	return im
}

func (im *Image) addRepo(r *repo) {
	im.Repos = append(im.Repos, imageOfRepo(r))
	im.addHooks(r.hooks)
	im.addChecks(r)
	for _, i := range r.issues {
		im.Issues = append(im.Issues, imageOfIssue(r, i))
		im.addFurniture(i)
		for _, c := range i.comments {
			im.Comments = append(im.Comments, CommentImage{Issue: i.id, ID: c.id, Author: c.author, Body: c.body, Created: c.created, Updated: c.updated})
		}
	}
	for _, x := range r.runs {
		ri := RunImage{Run: x.Run, WorkflowID: x.workflow.id, Updated: x.updated, Past: slices.Clone(x.past), Fresh: x.fresh}
		for _, a := range x.arts {
			ri.Arts = append(ri.Arts, a.ID)
		}
		im.Runs = append(im.Runs, ri)
		for _, j := range x.jobs {
			// A log only grows, so what there is of it now can be shared.
			im.Jobs = append(im.Jobs, JobImage{Job: j.clone(), Log: j.log[:len(j.log):len(j.log)], Spans: slices.Clone(j.spans)})
		}
	}
}

func (im *Image) sort() {
	slices.SortFunc(im.Accounts, func(a, b AccountImage) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(im.Tokens, func(a, b TokenImage) int { return cmp.Compare(a.Digest, b.Digest) })
	slices.SortFunc(im.Repos, func(a, b RepoImage) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(im.Issues, func(a, b IssueImage) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(im.Comments, func(a, b CommentImage) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(im.Runs, func(a, b RunImage) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(im.Jobs, func(a, b JobImage) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(im.Artifacts, func(a, b ArtifactImage) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(im.Apps, func(a, b AppImage) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(im.Installs, func(a, b InstallationImage) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(im.Hooks, func(a, b HookImage) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(im.Reactions, func(a, b ReactionImage) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(im.Events, func(a, b IssueEventImage) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(im.Checks, func(a, b CheckImage) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(im.Suites, func(a, b SuiteImage) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(im.Statuses, func(a, b StatusImage) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(im.Deliveries, func(a, b DeliveryImage) int { return cmp.Compare(a.ID, b.ID) })
}

func imageOfAccount(a *account) AccountImage {
	out := AccountImage{ID: a.id, Login: a.login, Name: a.name, Kind: a.kind, Created: a.created,
		Invited: maps.Clone(a.invited), ConfigImage: imageOfConfig(a.config),
		Base: a.base, Roles: imagesOfRoles(a.roles), RepoRoles: imagesOfRoles(a.repoRoles), Granted: maps.Clone(a.granted), Teams: imagesOfTeams(a),
		ActionsPulls: a.actionsPulls, ActionsImage: ActionsImage{ActionsTokens: a.actionsTokens, Approval: a.approval}}
	for _, m := range a.members {
		out.Members = append(out.Members, MemberImage{Login: m.login, Owner: m.owner, Role: m.role, Public: m.public})
	}
	slices.SortFunc(out.Members, func(a, b MemberImage) int { return cmp.Compare(key(a.Login), key(b.Login)) })
	return out
}

func imageOfToken(t *token) TokenImage {
	out := TokenImage{Digest: hex.EncodeToString(t.digest[:]), Login: t.login, Kit: t.kit, Quiet: t.quiet, Cause: t.cause, Repo: t.repo,
		Permissions: maps.Clone(t.permissions), Scopes: slices.Clone(t.scopes), Owner: t.owner, App: t.app, NoRuns: t.noRuns, Name: t.name}
	out.Narrowed, out.Only, out.Expires = t.only != nil, sortedKeys(t.only), t.expires
	if t.install != nil {
		out.Install = t.install.id
	}
	if t.parent != nil {
		out.Parent = hex.EncodeToString(t.parent.digest[:])
	}
	return out
}

func imageOfRepo(r *repo) RepoImage {
	out := RepoImage{ID: r.id, Owner: r.owner.id, Name: r.name, Description: r.description, Private: r.private, DefaultBranch: r.defaultBranch,
		Created: r.created, Updated: r.updated, Pushed: r.pushed, Refs: maps.Clone(r.refs), Members: maps.Clone(r.members), Custom: maps.Clone(r.custom), ConfigImage: imageOfConfig(r.config),
		AllowForking: r.allowForking, NoIssues: r.noIssues, Archived: r.archived, Actions: r.actions, ActionsPulls: r.actionsPulls, ActionsImage: ActionsImage{ActionsTokens: r.actionsTokens, Approval: r.approval}, Topics: slices.Clone(r.topics),
		Milestones: imageOfMilestones(r.milestones), LastMilestone: r.lastMilestone, Merging: imageOfMerging(r.merging)}
	if r.parent != nil {
		out.Parent = r.parent.id
	}
	out.Releases, out.LatestRelease = imageOfReleases(r.releases), r.latestRelease
	for _, p := range r.protections {
		out.Protections = append(out.Protections, *p)
	}
	for _, l := range r.labels {
		out.Labels = append(out.Labels, LabelImage{ID: l.id, Name: l.name, Color: l.color, Description: l.description, Standard: l.standard})
	}
	for _, e := range r.environments {
		out.Environments = append(out.Environments, EnvironmentImage{ID: e.id, Name: e.name, Created: e.created, Updated: e.updated, ConfigImage: imageOfConfig(e.config)})
	}
	slices.SortFunc(out.Environments, func(a, b EnvironmentImage) int { return cmp.Compare(a.ID, b.ID) })
	for _, c := range r.caches {
		out.Caches = append(out.Caches, CacheImage{ID: c.ID, JobID: c.JobID, Ref: c.Ref, Key: c.Key, Version: c.Version, Size: c.Size, Created: c.Created, Used: c.Used})
	}
	for _, w := range r.workflows {
		out.Workflows = append(out.Workflows, WorkflowImage{ID: w.id, Path: w.path, Name: w.name, Created: w.created, Runs: w.runs, State: stateUnlessActive(w.state)})
	}
	return out
}

// stateUnlessActive keeps the records of workflows short.
func stateUnlessActive(state string) string {
	if state == workflowActive {
		return ""
	}
	return state
}

func imageOfSettings(all settings) []SettingImage {
	var out []SettingImage
	for _, v := range all.sorted() {
		out = append(out, SettingImage{Name: v.name, Value: v.value, Created: v.created, Updated: v.updated,
			Visibility: v.visibility, Selected: slices.Clone(v.selected)})
	}
	return out
}

func imageOfConfig(c config) ConfigImage {
	var out ConfigImage
	out.Variables, out.Secrets = imageOfSettings(c.variables), imageOfSettings(c.secrets)
	if k := c.sealing; k != nil {
		out.Sealing = &SealingImage{ID: k.id, Public: k.public[:], Private: k.private[:]}
	}
	return out
}

func imageOfIssue(r *repo, i *issue) IssueImage {
	out := IssueImage{Repo: r.id, ID: i.id, Number: i.number, Title: i.title, Body: i.body, State: i.state, Reason: i.reason, Author: i.author,
		Created: i.created, Updated: i.updated, Closed: i.closed, ClosedBy: i.closedBy}
	out.More = imageOfFurniture(i)
	for _, l := range i.labels {
		out.Labels = append(out.Labels, l.id)
	}
	if i.pull != nil {
		out.Pull = imageOfPull(i.pull)
	}
	return out
}

// Encode writes the image as JSON.
func (im Image) Encode() ([]byte, error) { return json.Marshal(im) }

// DecodeImage reads what Encode wrote. What it does not know is an error.
func DecodeImage(data []byte) (Image, error) {
	var form struct{ Version int }
	if err := json.Unmarshal(data, &form); err != nil {
		return Image{}, fmt.Errorf("image: %w", err)
	}
	if form.Version != ImageVersion {
		return Image{}, fmt.Errorf("image: version %d is not %d", form.Version, ImageVersion)
	}
	var im Image
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&im); err != nil {
		return Image{}, fmt.Errorf("image: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Image{}, errors.New("image: something follows it")
	}
	return im, nil
}
