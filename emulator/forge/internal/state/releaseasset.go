package state

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// Asset is a file of a release. Its bytes are kept elsewhere, by ID.
type Asset struct {
	ID        int64
	Name      string
	Label     string
	Type      string // of content
	Size      int64
	Digest    string
	Uploader  string
	Downloads int
	Created   time.Time
	Updated   time.Time
}

// AssetEdit changes what is not nil.
type AssetEdit struct {
	Name  *string
	Label *string
}

var unusual = regexp.MustCompile(`\.*[^A-Za-z0-9._+@~-][^A-Za-z0-9_+@~-]*`)

// assetName is a file's name as GitHub keeps it: without special characters, and without periods at its ends.
// https://docs.github.com/en/rest/releases/assets#upload-a-release-asset
func assetName(name string) string { return strings.Trim(unusual.ReplaceAllString(name, "."), ".") }

// checkAsset says why a release cannot have a file of this name. but is the id of the one that gets it.
func (x *Release) checkAsset(name string, but int64) error {
	invalid := func(code string) error {
		return wire.Invalid(wire.FieldError{Resource: "ReleaseAsset", Field: "name", Code: code})
	}
	switch {
	case name == "":
		return invalid("missing_field")
	case len(name) > 255:
		return invalid("invalid")
	case slices.ContainsFunc(x.Assets, func(f Asset) bool { return f.Name == name && f.ID != but }):
		return invalid("already_exists")
	}
	return nil
}

// ClaimAsset returns the ID of an asset to come, when who may add it and the release has none of that name.
func (s *State) ClaimAsset(who Identity, full string, release int64, name string) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, x, err := s.writeRelease(who, full, release)
	if err != nil {
		return 0, err
	}
	if x == nil {
		return 0, wire.NotFound()
	}
	if err := x.checkAsset(assetName(name), 0); err != nil {
		return 0, err
	}
	return s.nextID(nounAsset), nil
}

// AddAsset registers an asset whose bytes are stored, under an ID from ClaimAsset.
func (s *State) AddAsset(who Identity, full string, release int64, in Asset) (wire.ReleaseAsset, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, x, err := s.writeRelease(who, full, release)
	if err != nil {
		return wire.ReleaseAsset{}, err
	}
	if x == nil {
		return wire.ReleaseAsset{}, wire.NotFound()
	}
	in.Name = assetName(in.Name)
	if err := x.checkAsset(in.Name, 0); err != nil {
		return wire.ReleaseAsset{}, err
	}
	in.Uploader, in.Created, in.Updated = who.Login, s.now(), s.now()
	x.Assets = append(slices.Clip(x.Assets), in)
	s.led.Changed()
	return s.linkedAsset(r, x, in.ID), nil
}

// findAsset finds an asset with its release. Those of drafts are for who may push.
func (s *State) findAsset(who Identity, full string, id int64, need Need) (*repo, *Release, *Asset, error) {
	r, err := s.open(who, full, need)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, x := range r.releases {
		if at := slices.IndexFunc(x.Assets, func(f Asset) bool { return f.ID == id }); at >= 0 && (!x.Draft || s.drafts(who, r)) {
			return r, x, &x.Assets[at], nil
		}
	}
	return nil, nil, nil, wire.NotFound()
}

// ReleaseAsset returns one asset.
func (s *State) ReleaseAsset(who Identity, full string, id int64) (wire.ReleaseAsset, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, x, _, err := s.findAsset(who, full, id, ReadContents)
	if err != nil {
		return wire.ReleaseAsset{}, err
	}
	return s.linkedAsset(r, x, id), nil
}

// NamedAsset returns the id of a file of a published release by the release's tag, "" for the latest.
func (s *State) NamedAsset(who Identity, full, tag, name string) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadContents)
	if err != nil {
		return 0, err
	}
	x := r.tagged(tag)
	if tag == "" {
		x = r.latest()
	}
	if x != nil {
		for _, f := range x.Assets {
			if f.Name == name {
				return f.ID, nil
			}
		}
	}
	return 0, wire.NotFound()
}

// DownloadAsset counts a download and returns the asset, whoever asks: the address was signed.
func (s *State) DownloadAsset(id int64) (Asset, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.repos {
		for _, x := range r.releases {
			if at := slices.IndexFunc(x.Assets, func(f Asset) bool { return f.ID == id }); at >= 0 {
				x.Assets = slices.Clone(x.Assets)
				x.Assets[at].Downloads++
				s.led.Changed()
				return x.Assets[at], true
			}
		}
	}
	return Asset{}, false
}

// EditAsset changes an asset.
func (s *State) EditAsset(who Identity, full string, id int64, in AssetEdit) (wire.ReleaseAsset, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, x, f, err := s.findAsset(who, full, id, WriteContents)
	if err != nil {
		return wire.ReleaseAsset{}, err
	}
	next := *f
	if in.Name != nil {
		next.Name = assetName(*in.Name)
		if err := x.checkAsset(next.Name, id); err != nil {
			return wire.ReleaseAsset{}, err
		}
	}
	if in.Label != nil {
		next.Label = *in.Label
	}
	next.Updated = s.now()
	x.Assets = slices.Clone(x.Assets)
	for i := range x.Assets {
		if x.Assets[i].ID == id {
			x.Assets[i] = next
		}
	}
	s.led.Changed()
	return s.linkedAsset(r, x, id), nil
}

// DeleteAsset removes an asset from its release.
func (s *State) DeleteAsset(who Identity, full string, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, x, _, err := s.findAsset(who, full, id, WriteContents)
	if err != nil {
		return err
	}
	x.Assets = slices.DeleteFunc(slices.Clone(x.Assets), func(f Asset) bool { return f.ID == id })
	s.led.Changed()
	return nil
}

// linkedAsset is an asset of a release with its addresses.
func (s *State) linkedAsset(r *repo, x *Release, id int64) wire.ReleaseAsset {
	for _, v := range s.viewRelease(r, x).Assets {
		if v.ID == id {
			return v
		}
	}
	return wire.ReleaseAsset{}
}

func (s *State) viewAsset(f Asset) wire.ReleaseAsset {
	return wire.ReleaseAsset{ID: f.ID, NodeID: wire.NodeID("ReleaseAsset", f.ID), Name: f.Name, Label: optional(f.Label), State: "uploaded",
		ContentType: f.Type, Size: f.Size, Digest: optional(f.Digest), DownloadCount: f.Downloads, CreatedAt: wire.Time{Time: f.Created},
		UpdatedAt: wire.Time{Time: f.Updated}, Uploader: s.viewLogin(f.Uploader)}
}
