package gitstore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
)

// directory is a repository's directory as go-git reads it. Others write there meanwhile, and a file that one of
// them renames while a directory is listed (objects come as temporary files beside the packs) must not hide the
// rest: osfs fails the whole listing, which go-git takes for a repository without packs.
type directory struct {
	billy.Filesystem
	path string
}

func newDirectory(path string) directory { return directory{osfs.New(path), path} }

// Capabilities are those of the file system below.
func (d directory) Capabilities() billy.Capability { return billy.Capabilities(d.Filesystem) }

// ReadDir lists what is there; what disappears meanwhile is left out.
func (d directory) ReadDir(path string) ([]os.FileInfo, error) {
	entries, err := os.ReadDir(filepath.Join(d.path, filepath.FromSlash(path)))
	if err != nil {
		return nil, err
	}
	infos := make([]os.FileInfo, 0, len(entries))
	for _, entry := range entries {
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		infos = append(infos, info)
	}
	return infos, nil
}
