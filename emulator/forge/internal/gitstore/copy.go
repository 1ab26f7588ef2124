package gitstore

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Hold keeps everybody else from moving refs of a repository until release is called. Whoever holds
// several takes them by rising id.
func (s *Store) Hold(id int64) (release func()) {
	l := s.lock(id)
	l.Lock()
	return l.Unlock
}

// Freeze copies repository id, which the caller holds, into dir. The copy shares the files of the
// original: git never writes into a file that it has finished, it replaces it. All refs of the copy
// stand in one file.
func (s *Store) Freeze(id int64, dir string) error {
	refs, err := s.Open(id).Refs()
	if err != nil {
		return err
	}
	to := filepath.Join(dir, name(id))
	skip := func(path string) bool {
		base := filepath.Base(path)
		return path == "refs" || path == "packed-refs" || strings.HasPrefix(base, "tmp_") ||
			strings.HasSuffix(base, ".lock") || strings.HasSuffix(base, ".new")
	}
	if err := LinkTree(s.path(id), to, skip); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(to, "refs"), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, "packed-refs"), []byte(packedRefs(refs)), 0o600)
}

// Pack puts all objects of a frozen repository into one file, so that a copy of it is few files.
func (s *Store) Pack(ctx context.Context, id int64, dir string) error {
	frozen := filepath.Join(dir, name(id))
	loose, err := filepath.Glob(filepath.Join(frozen, "objects", "??", "*"))
	if err != nil || len(loose) == 0 {
		return err
	}
	cmd := exec.CommandContext(ctx, s.git, "-c", "repack.writeBitmaps=false", "-c", "pack.threads=1", "repack", "-a", "-d", "-k", "-n", "-q")
	cmd.Dir, cmd.Env, cmd.WaitDelay = frozen, s.env, waitDelay
	return pipe(cmd, nil, io.Discard)
}

// Adopt makes a copy of a repository that was frozen into dir. It shares files with it, and neither
// sees what becomes of the other.
func (s *Store) Adopt(id int64, dir string) error {
	to := s.path(id)
	if err := LinkTree(filepath.Join(dir, name(id)), to, nil); err != nil {
		return err
	}
	for _, d := range []string{"refs", "objects"} { // without these it is none to git
		if err := os.MkdirAll(filepath.Join(to, d), 0o700); err != nil {
			return err
		}
	}
	return nil
}

func name(id int64) string { return strconv.FormatInt(id, 10) + ".git" }

// LinkTree makes the files below from appear below to, by hard links where the file system allows,
// else by copies; skip, which may be nil, leaves out what it names by its path below from. What
// disappears meanwhile is left out too. A directory without files is not made.
func LinkTree(from, to string, skip func(path string) bool) error {
	made := map[string]bool{}
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path != from {
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if skip != nil && rel != "." && skip(rel) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		target := filepath.Join(to, rel)
		if parent := filepath.Dir(target); !made[parent] {
			if err := os.MkdirAll(parent, 0o700); err != nil {
				return err
			}
			made[parent] = true
		}
		if err := Link(path, target); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

// Link makes the file from appear as to, by a hard link or else by a copy.
func Link(from, to string) error {
	err := os.Link(from, to)
	for _, refused := range []error{syscall.EXDEV, syscall.EPERM, syscall.EMLINK, syscall.ENOTSUP} {
		if errors.Is(err, refused) {
			return copyFile(from, to)
		}
	}
	return err
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
