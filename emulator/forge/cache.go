package forge

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
)

// MaxCaches is how many bytes the cache entries of one repository may have: those that were not used for
// longest are evicted, and the journal names them (cache.evicted). At GitHub it is 10 GB.
const MaxCaches = 2 << 30

// Cache is an entry of a repository's cache: files of a job that later jobs begin with.
type Cache struct {
	ID      int64
	JobID   int64 // that made it
	Repo    string
	Ref     string // whose runs it is for: "refs/heads/main"
	Key     string
	Version string // a digest of paths and form
	Size    int64
	Created time.Time
	Used    time.Time
}

// PutCache stores the bytes of a cache entry, and returns it with ID, size and times. A repository has one
// entry of a key, version and ref, which stays as it is.
func (a *Admin) PutCache(in Cache, content io.Reader) (Cache, error) {
	out, err := a.putCache(in, content)
	return out, wrap(fmt.Sprintf("put cache %q", in.Key), err)
}

func (a *Admin) putCache(in Cache, content io.Reader) (Cache, error) {
	id, err := a.state.ClaimCache(state.Cache(in))
	if err != nil {
		return Cache{}, err
	}
	size, _, err := store(cachePath(a.dir, id), content)
	var out state.Cache
	var gone []int64
	if err == nil {
		in.ID, in.Size = id, size
		out, gone, err = a.state.AddCache(state.Cache(in), MaxCaches)
	}
	if err != nil {
		os.Remove(cachePath(a.dir, id))
		return Cache{}, err
	}
	for _, id := range gone {
		err = errors.Join(err, a.removeCache(id))
	}
	return Cache(out), err
}

func cachePath(dir string, id int64) string {
	return filepath.Join(dir, "caches", strconv.FormatInt(id, 10))
}

// Caches lists the cache entries of a repository, oldest first; none for a repository that is not there.
func (a *Admin) Caches(repo string) []Cache {
	var out []Cache
	for _, x := range a.state.RepoCaches(repo) {
		out = append(out, Cache(x))
	}
	return out
}

// UseCache notes that an entry was used. It reports false when there is none.
func (a *Admin) UseCache(repo string, id int64) bool { return a.state.UseCache(repo, id) }

// OpenCache returns the bytes of a cache entry. The caller closes them.
func (a *Admin) OpenCache(id int64) (io.ReadCloser, error) {
	f, err := openStored(cachePath(a.dir, id))
	return f, wrap(fmt.Sprintf("open cache %d", id), err)
}

// removeCache removes the bytes of an entry. There are none in a forge of an archive.
func (a *Admin) removeCache(id int64) error {
	if err := os.Remove(cachePath(a.dir, id)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// linkCaches gives the bytes of all entries of an image to another directory.
func linkCaches(im state.Image, from, to string) error {
	for _, r := range im.Repos {
		for _, c := range r.Caches {
			err := gitstore.Link(cachePath(from, c.ID), cachePath(to, c.ID))
			if err != nil && !errors.Is(err, fs.ErrNotExist) { // evicted meanwhile
				return fmt.Errorf("copy cache %d: %w", c.ID, err)
			}
		}
	}
	return nil
}
