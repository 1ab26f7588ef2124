package forge

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
)

func assetPath(dir string, id int64) string {
	return filepath.Join(dir, "assets", strconv.FormatInt(id, 10))
}

// putAsset stores the bytes of a release's asset, all or none.
func (a *Admin) putAsset(id int64, from io.Reader) (size int64, digest string, err error) {
	size, digest, err = store(assetPath(a.dir, id), from)
	if err != nil {
		err = errors.Join(err, a.removeAsset(id))
	}
	return size, digest, err
}

func (a *Admin) openAsset(id int64) (io.ReadCloser, error) { return openStored(assetPath(a.dir, id)) }

// removeAsset removes the bytes of an asset. There are none in a forge of an archive.
func (a *Admin) removeAsset(id int64) error {
	if err := os.Remove(assetPath(a.dir, id)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// assetsOf lists the assets of all releases of a repository.
func assetsOf(r state.RepoImage) []int64 {
	var out []int64
	for _, x := range r.Releases {
		for _, f := range x.Assets {
			out = append(out, f.ID)
		}
	}
	return out
}

// linkStored gives the bytes of all cache entries and assets of an image to another directory.
func linkStored(im state.Image, from, to string) error {
	for _, r := range im.Repos {
		for _, id := range assetsOf(r) {
			err := gitstore.Link(assetPath(from, id), assetPath(to, id))
			if err != nil && !errors.Is(err, fs.ErrNotExist) { // deleted meanwhile
				return fmt.Errorf("copy asset %d: %w", id, err)
			}
		}
	}
	return linkCaches(im, from, to)
}
