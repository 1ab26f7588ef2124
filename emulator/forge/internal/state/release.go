package state

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// Release is a release of a repository. Its tag is there unless it is a draft.
type Release struct {
	ID         int64
	Tag        string
	Target     string // branch or commit that the tag was to be made at
	Commit     string // that the tag names, or would; "" of a draft whose target is not there
	Name       string
	Body       string
	Draft      bool
	Prerelease bool
	Author     string
	Created    time.Time // of the commit
	Updated    time.Time
	Published  time.Time
	Assets     []Asset // as they came
}

// ReleaseEdit changes what is not nil.
type ReleaseEdit struct {
	Tag        *string
	Target     *string
	Name       *string
	Body       *string
	Draft      *bool
	Prerelease *bool
	Latest     *bool // whether it becomes the latest; nil is yes when it is published
}

// ReleasePlan is what a new or changed release needs of git: its tag at a commit.
type ReleasePlan struct {
	Tag    string
	Target string
	Draft  bool
}

// ReleaseCommit is what git says of the commit of a release.
type ReleaseCommit struct {
	SHA  string
	Date time.Time
}

// The most characters of a release's text.
const maxReleaseBody = 125_000

func (r *repo) release(id int64) *Release {
	for _, x := range r.releases {
		if x.ID == id {
			return x
		}
	}
	return nil
}

// tagged is the published release of a tag, or nil.
func (r *repo) tagged(tag string) *Release {
	for _, x := range r.releases {
		if x.Tag == tag && !x.Draft {
			return x
		}
	}
	return nil
}

// latest is the release that GitHub calls so: the one that somebody chose, or the newest that is neither a draft nor
// a prerelease.
// https://docs.github.com/en/rest/releases/releases#get-the-latest-release
func (r *repo) latest() *Release {
	if x := r.release(r.latestRelease); x != nil && !x.Draft && !x.Prerelease {
		return x
	}
	var out *Release
	for _, x := range r.releases {
		if !x.Draft && !x.Prerelease && (out == nil || !x.Created.Before(out.Created)) {
			out = x
		}
	}
	return out
}

// Releases lists the releases of a repository, newest commit first. Drafts are for those who may push.
// https://docs.github.com/en/rest/releases/releases#list-releases
func (s *State) Releases(who Identity, full string) ([]wire.Release, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadContents)
	if err != nil {
		return nil, err
	}
	list := slices.Clone(r.releases)
	if !s.drafts(who, r) {
		list = slices.DeleteFunc(list, func(x *Release) bool { return x.Draft })
	}
	slices.SortFunc(list, func(a, b *Release) int { return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.ID, a.ID)) })
	out := []wire.Release{}
	for _, x := range list {
		out = append(out, s.viewRelease(r, x))
	}
	return out, nil
}

// drafts reports whether who may see them. It is no need of the request, so nobody is told that it asked for more.
func (s *State) drafts(who Identity, r *repo) bool {
	who.asked = nil
	return s.allow(who, r, WriteContents) == nil
}

// Release returns one release: by its id, by the tag of a published one, or the latest when both are zero.
func (s *State) Release(who Identity, full string, id int64, tag string) (wire.Release, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadContents)
	if err != nil {
		return wire.Release{}, err
	}
	var x *Release
	switch {
	case id != 0:
		x = r.release(id)
	case tag != "":
		x = r.tagged(tag)
	default:
		x = r.latest()
	}
	if x == nil || x.Draft && !s.drafts(who, r) {
		return wire.Release{}, wire.NotFound()
	}
	return s.viewRelease(r, x), nil
}

// writeRelease finds a release that who may change; 0 is one to come.
func (s *State) writeRelease(who Identity, full string, id int64) (*repo, *Release, error) {
	r, err := s.open(who, full, WriteContents)
	if err != nil || id == 0 {
		return r, nil, err
	}
	if x := r.release(id); x != nil {
		return r, x, nil
	}
	return nil, nil, wire.NotFound()
}

// PlanRelease says what git has to have before PutRelease, or why the change is refused. The caller holds the
// repository's git lock until then, so that the plan stays true.
func (s *State) PlanRelease(who Identity, full string, id int64, in ReleaseEdit) (ReleasePlan, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, x, err := s.writeRelease(who, full, id)
	if err != nil {
		return ReleasePlan{}, err
	}
	next, err := in.checked(r, x)
	return ReleasePlan{Tag: next.Tag, Target: next.Target, Draft: next.Draft}, err
}

// checked is the release as the change would make it; was is nil for a new one.
func (e ReleaseEdit) checked(r *repo, was *Release) (Release, error) {
	invalid := func(field, code, message string) (Release, error) {
		return Release{}, wire.Invalid(wire.FieldError{Resource: "Release", Field: field, Code: code, Message: message})
	}
	next := Release{Target: r.defaultBranch}
	if was != nil {
		next = *was
	}
	for _, f := range []struct{ to, from *string }{{&next.Tag, e.Tag}, {&next.Target, e.Target}, {&next.Name, e.Name}, {&next.Body, e.Body}} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	if e.Draft != nil {
		next.Draft = *e.Draft
	}
	if e.Prerelease != nil {
		next.Prerelease = *e.Prerelease
	}
	next.Target = cmp.Or(next.Target, r.defaultBranch)
	taken := r.tagged(next.Tag)
	switch {
	case strings.TrimSpace(next.Tag) == "":
		return invalid("tag_name", "missing_field", "")
	case len([]rune(next.Body)) > maxReleaseBody:
		return invalid("body", "custom", "body is too long (maximum is 125000 characters)")
	case !next.Draft && taken != nil && taken != was:
		return invalid("tag_name", "already_exists", "")
	case e.Latest != nil && *e.Latest && (next.Draft || next.Prerelease):
		return invalid("make_latest", "custom", "Latest release cannot be draft or prerelease")
	}
	return next, nil
}

// PutRelease makes a release, or changes the one of that id. Its tag is there already, at the commit, unless it is a
// draft.
func (s *State) PutRelease(who Identity, full string, id int64, in ReleaseEdit, at ReleaseCommit) (wire.Release, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, x, err := s.writeRelease(who, full, id)
	if err != nil {
		return wire.Release{}, err
	}
	next, err := in.checked(r, x)
	if err != nil {
		return wire.Release{}, err
	}
	now := s.now()
	next.Updated, next.Commit = now, at.SHA
	if next.Created = at.Date.UTC(); at.SHA == "" {
		next.Created = now
	}
	var was *Release
	if x == nil {
		next.ID, next.Author = s.nextID(nounRelease), who.Login
		x = &Release{}
		r.releases = append(r.releases, x)
	} else {
		old := *x
		was = &old
	}
	switch {
	case next.Draft:
		next.Published = time.Time{}
	case next.Published.IsZero():
		next.Published = now
	}
	before := r.latest()
	*x = next
	s.chooseLatest(r, x, was, in.Latest)
	s.releaseChanged(who, r, x, was, before != r.latest() && in.Latest != nil)
	return s.viewRelease(r, x), nil
}

// chooseLatest follows make_latest, which is true for what is newly published.
func (s *State) chooseLatest(r *repo, x, was *Release, asked *bool) {
	fresh := !x.Draft && (was == nil || was.Draft)
	switch {
	case asked != nil && !*asked && r.latestRelease == x.ID:
		r.latestRelease = 0
	case asked != nil && !*asked && fresh && r.latestRelease == 0:
		if others := r.others(x); others != nil {
			r.latestRelease = others.ID
		}
	case !x.Prerelease && (asked != nil && *asked || asked == nil && fresh):
		r.latestRelease = x.ID
	}
}

// others is what would be the latest release without x.
func (r *repo) others(x *Release) *Release {
	rest := repo{releases: slices.DeleteFunc(slices.Clone(r.releases), func(y *Release) bool { return y == x }), latestRelease: r.latestRelease}
	return rest.latest()
}

// releaseChanged tells what became of a release.
// https://docs.github.com/en/webhooks/webhook-events-and-payloads#release
func (s *State) releaseChanged(who Identity, r *repo, x, was *Release, latest bool) {
	if was == nil {
		s.releaseEvent(who, r, x, "created", nil)
	}
	if was != nil {
		changes := map[string]any{}
		for name, v := range map[string][2]string{"name": {was.Name, x.Name}, "body": {was.Body, x.Body}, "tag_name": {was.Tag, x.Tag}} {
			if v[0] != v[1] {
				changes[name] = map[string]any{"from": v[0]}
			}
		}
		if latest {
			changes["make_latest"] = map[string]any{"to": r.latest() == x}
		}
		other := was.Target != x.Target || !was.Prerelease && x.Prerelease
		if len(changes) > 0 || other {
			s.releaseEvent(who, r, x, "edited", changes)
		}
	}
	switch {
	case x.Draft && was != nil && !was.Draft:
		s.releaseEvent(who, r, x, "unpublished", nil)
	case !x.Draft && (was == nil || was.Draft):
		s.releaseEvent(who, r, x, "published", nil)
		if !x.Prerelease {
			s.releaseEvent(who, r, x, "released", nil)
		} else if was == nil { // one that was a draft is published only
			s.releaseEvent(who, r, x, "prereleased", nil)
		}
	case !x.Draft && was.Prerelease && !x.Prerelease:
		s.releaseEvent(who, r, x, "released", nil)
	}
}

// releaseEvent appends an event of a release; those of drafts start no workflows.
// https://docs.github.com/en/actions/reference/workflows-and-actions/events-that-trigger-workflows#release
func (s *State) releaseEvent(who Identity, r *repo, x *Release, action string, changes map[string]any) {
	v := s.viewRelease(r, x)
	body := wire.ReleaseEvent{Action: action, Release: v, Repository: s.eventRepo(r), Organization: s.eventOrg(r), Sender: s.eventSender(who)}
	if action == "edited" {
		body.Changes = &changes
	}
	detail := map[string]string{"event": "release", "action": action, "ref": "refs/tags/" + x.Tag, "sha": x.Commit}
	if x.Draft && action != "unpublished" {
		detail["starts_runs"] = "no"
	}
	s.emit(who, r, "release."+action, r.fullName(), body, detail)
}

// untag makes drafts of the releases whose tag is deleted, as GitHub does.
func (s *State) untag(who Identity, r *repo, ref string) {
	tag, found := strings.CutPrefix(ref, "refs/tags/")
	if x := r.tagged(tag); found && x != nil {
		x.Draft, x.Published, x.Updated = true, time.Time{}, s.now()
		s.releaseEvent(who, r, x, "unpublished", nil)
	}
}

// DeleteRelease removes a release and returns the ids of its assets, whose bytes nobody needs any more. Its tag stays.
func (s *State) DeleteRelease(who Identity, full string, id int64) (assets []int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, x, err := s.writeRelease(who, full, id)
	if err != nil {
		return nil, err
	}
	if x == nil {
		return nil, wire.NotFound()
	}
	r.releases = slices.DeleteFunc(r.releases, func(y *Release) bool { return y == x })
	if r.latestRelease == id {
		r.latestRelease = 0
	}
	s.releaseEvent(who, r, x, "deleted", nil)
	for _, f := range x.Assets {
		assets = append(assets, f.ID)
	}
	return assets, nil
}

func (s *State) viewRelease(r *repo, x *Release) wire.Release {
	v := wire.Release{ID: x.ID, NodeID: wire.NodeID("Release", x.ID), TagName: x.Tag, TargetCommitish: x.Target, Name: optional(x.Name), Body: optional(x.Body),
		Draft: x.Draft, Prerelease: x.Prerelease, CreatedAt: wire.Time{Time: x.Created}, PublishedAt: wire.Time{Time: x.Published},
		UpdatedAt: wire.Time{Time: x.Updated}, Author: s.viewLogin(x.Author), Assets: []wire.ReleaseAsset{}}
	for _, f := range x.Assets {
		v.Assets = append(v.Assets, s.viewAsset(f))
	}
	v.Link(s.base, r.fullName())
	return v
}
