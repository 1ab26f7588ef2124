package api

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"regexp"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// maxAsset is the most bytes of one file of a release, as at GitHub.
// https://docs.github.com/en/repositories/releasing-projects-on-github/about-releases#storage-and-bandwidth-quotas
const maxAsset = 2 << 30

func (a *API) releaseAssetRoutes() []route {
	const releases = "/repos/{owner}/{repo}/releases"
	const one = releases + "/assets/{asset}"
	return []route{
		{method: http.MethodGet, pattern: releases + "/{release}/assets", list: true, do: func(c *call) (answer, error) {
			id, err := c.release()
			if err != nil {
				return answer{}, err
			}
			v, err := a.State.Release(c.who, c.repo(), id, "")
			return list(c, a.Base, v.Assets, err)
		}},
		{method: http.MethodPost, pattern: releases + "/{release}/assets", query: []string{"name", "label"}, do: a.uploadAsset},
		{method: http.MethodGet, pattern: one, media: []string{bytesMedia}, do: a.getAsset},
		{method: http.MethodPatch, pattern: one, do: a.editAsset},
		{method: http.MethodDelete, pattern: one, do: func(c *call) (answer, error) {
			id, err := c.number("asset")
			if err != nil {
				return answer{}, err
			}
			if err := a.State.DeleteAsset(c.who, c.repo(), id); err != nil {
				return answer{}, err
			}
			return done(a.DropAsset(id))
		}},
	}
}

// uploadAsset stores the body as it is. Of github.com only the host of uploads takes it.
func (a *API) uploadAsset(c *call) (answer, error) {
	release, err := c.release()
	if err != nil {
		return answer{}, err
	}
	if c.where&servesUploads == 0 {
		return answer{}, wire.NotFound()
	}
	q := c.URL.Query()
	id, err := a.State.ClaimAsset(c.who, c.repo(), release, q.Get("name"))
	if err != nil {
		return answer{}, err
	}
	if c.ContentLength == 0 {
		return answer{}, wire.NewError(http.StatusBadRequest, "Bad Content-Length: 0")
	}
	in := state.Asset{ID: id, Name: q.Get("name"), Label: q.Get("label"), Type: cmp.Or(c.Header.Get("Content-Type"), "application/octet-stream")}
	if in.Size, in.Digest, err = a.PutAsset(id, http.MaxBytesReader(nil, c.Body, maxAsset)); err != nil {
		return answer{}, err
	}
	v, err := a.State.AddAsset(c.who, c.repo(), release, in)
	if err != nil {
		return answer{}, errors.Join(err, a.DropAsset(id))
	}
	return created(v)
}

// getAsset answers with what is known of an asset or, when bytes are asked for, with where they are.
func (a *API) getAsset(c *call) (answer, error) {
	id, err := c.number("asset")
	if err != nil {
		return answer{}, err
	}
	v, err := a.State.ReleaseAsset(c.who, c.repo(), id)
	if err != nil {
		return answer{}, err
	}
	if c.media.param == bytesMedia {
		return a.redirect(c, signedAsset, id)
	}
	return ok(v)
}

func (a *API) editAsset(c *call) (answer, error) {
	var in struct {
		Name  *string       `json:"name"`
		Label given[string] `json:"label"`
	}
	id, err := c.number("asset")
	if err != nil {
		return answer{}, err
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	edit := state.AssetEdit{Name: in.Name}
	if in.Label.set {
		edit.Label = &in.Label.value
	}
	return answered(a.State.EditAsset(c.who, c.repo(), id, edit))
}

// assetBytes serves what a signed address of an asset stands for.
func (a *API) assetBytes(id int64) (answer, error) {
	r, err := a.OpenAsset(id)
	if err != nil {
		return answer{}, wire.NotFound()
	}
	x, found := a.State.DownloadAsset(id)
	if !found {
		return answer{}, errors.Join(wire.NotFound(), r.Close())
	}
	return answer{status: http.StatusOK, file: r, kind: x.Type}, nil
}

// releaseFile is the address by which people download: of a tag, or of the latest release.
// https://docs.github.com/en/repositories/releasing-projects-on-github/linking-to-releases
var releaseFile = regexp.MustCompile(`^/([^/]+)/([^/]+)/releases/(?:download/(.+)|latest/download)/([^/]+)$`)

func (a *API) downloadReleaseFile(c *call) (answer, error) {
	parts := releaseFile.FindStringSubmatch(c.path)
	for i, p := range parts {
		plain, err := url.PathUnescape(p)
		if err != nil {
			return answer{}, wire.NotFound()
		}
		parts[i] = plain
	}
	if c.Method != http.MethodGet && c.Method != http.MethodHead {
		return answer{}, wire.NotFound()
	}
	id, err := a.State.NamedAsset(c.who, parts[1]+"/"+parts[2], parts[3], parts[4])
	if err != nil {
		return answer{}, err
	}
	return a.redirect(c, signedAsset, id)
}
