package state

import (
	"fmt"
	"slices"
)

func imageOfReleases(all []*Release) []Release {
	var out []Release
	for _, x := range all {
		one := *x
		one.Assets = slices.Clone(x.Assets)
		out = append(out, one)
	}
	return out
}

func (r reader) readReleases(x *repo, in RepoImage) error {
	for _, rel := range in.Releases {
		n := rel
		n.Assets = slices.Clone(rel.Assets)
		if n.Tag == "" || !n.Draft && x.tagged(n.Tag) != nil {
			return fmt.Errorf("release %d has the tag %q", n.ID, n.Tag)
		}
		if err := put(r, nounRelease, r.releases, n.ID, &n); err != nil {
			return err
		}
		for i := range n.Assets {
			f := &n.Assets[i]
			if assetName(f.Name) != f.Name || f.Name == "" || f.Size < 0 {
				return fmt.Errorf("asset %d is called %q and has %d bytes", f.ID, f.Name, f.Size)
			}
			if err := put(r, nounAsset, r.assets, f.ID, f); err != nil {
				return err
			}
		}
		x.releases = append(x.releases, &n)
	}
	if in.LatestRelease != 0 && x.release(in.LatestRelease) == nil {
		return fmt.Errorf("its latest release is %d, which is not there", in.LatestRelease)
	}
	x.latestRelease = in.LatestRelease
	return nil
}
