package gitstore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Keep says that the store outlives the program: pushes that a killed program left behind are known by
// a lock that git holds.
func (s *Store) Keep() { s.pushing = filepath.Join(s.dir, "pushing.lock") }

// pushLock is held by a push as long as its git runs, whoever started it; nil without Keep.
func (s *Store) pushLock() (*os.File, error) {
	if s.pushing == "" {
		return nil, nil
	}
	return flocked(s.pushing, syscall.LOCK_SH)
}

func flocked(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), how); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Recover makes the store usable after a program that was killed: it waits for pushes that it left
// behind, removes the locks and unfinished files of those that were cut off, and every repository
// that known does not name. It returns the refs of each repository that is there whole.
func (s *Store) Recover(known map[int64]bool) (map[int64]map[string]string, error) {
	f, err := flocked(s.pushing, syscall.LOCK_EX)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for _, d := range []string{"spool", "removed"} {
		if err := os.RemoveAll(filepath.Join(s.dir, d)); err != nil {
			return nil, err
		}
	}
	if err := os.Mkdir(filepath.Join(s.dir, "spool"), 0o700); err != nil {
		return nil, err
	}
	list, err := os.ReadDir(filepath.Join(s.dir, "repos"))
	if err != nil {
		return nil, err
	}
	out := map[int64]map[string]string{}
	for _, e := range list {
		path := filepath.Join(s.dir, "repos", e.Name())
		id, err := strconv.ParseInt(strings.TrimSuffix(e.Name(), ".git"), 10, 64)
		if err != nil || !known[id] {
			if err := os.RemoveAll(path); err != nil {
				return nil, err
			}
			continue
		}
		if err := sweep(path); err != nil {
			return nil, err
		}
		if out[id], err = s.Open(id).Refs(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sweep removes what a git that was cut off left in a repository.
func sweep(repo string) error {
	return filepath.WalkDir(repo, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		half := strings.HasSuffix(base, ".lock") || strings.HasPrefix(base, "tmp_") || strings.HasPrefix(base, "incoming-")
		switch {
		case half && d.IsDir():
			if err := os.RemoveAll(path); err != nil {
				return err
			}
			return fs.SkipDir
		case half:
			return os.Remove(path)
		case d.IsDir() && len(base) == 2 && filepath.Base(filepath.Dir(path)) == "objects":
			return fs.SkipDir // finished objects, of which there may be many
		}
		return nil
	})
}
