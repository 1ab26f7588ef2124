package gitstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Fork makes repository to of repository from: its objects, and the refs given, with HEAD at branch. The
// two share files, so that the cost is that of their names, and neither needs the other afterwards.
func (s *Store) Fork(from, to int64, branch string, refs map[string]string) error {
	if err := s.Create(to, branch); err != nil {
		return err
	}
	if err := s.Share(from, to); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.path(to), "packed-refs"), []byte(packedRefs(refs)), 0o600)
}

// packedRefs are refs as git keeps them in one file.
func packedRefs(refs map[string]string) string {
	var text strings.Builder
	for _, ref := range slices.Sorted(maps.Keys(refs)) {
		fmt.Fprintf(&text, "%s %s\n", refs[ref], ref)
	}
	return text.String()
}

// Share gives repository to all objects that repository from has, by sharing the files in which they are.
// It moves no ref. An object that a ref of from names before the call is there afterwards.
func (s *Store) Share(from, to int64) error {
	source, target := filepath.Join(s.path(from), "objects"), filepath.Join(s.path(to), "objects")
	if _, err := os.Stat(source); err != nil {
		return fmt.Errorf("repository: %w", ErrNotFound)
	}
	// Who finds the index of a pack opens the pack, so indices come last.
	for _, indices := range []bool{false, true} {
		err := linkNew(source, target, func(name string) bool { return strings.HasSuffix(name, ".idx") == indices })
		if err != nil {
			return fmt.Errorf("share objects: %w", err)
		}
	}
	return nil
}

// linkNew makes finished files of a directory of objects appear in another where they are not yet.
func linkNew(source, target string, wanted func(name string) bool) error {
	return filepath.WalkDir(source, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path != source {
			return nil // a quarantine of a push that ended
		}
		if err != nil {
			return err
		}
		name := d.Name()
		if unfinished(name) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		rel, err := filepath.Rel(source, path)
		if err != nil {
			return err
		}
		to := filepath.Join(target, rel)
		if d.IsDir() {
			return os.MkdirAll(to, 0o700)
		}
		if !d.Type().IsRegular() || !wanted(name) {
			return nil
		}
		if err := Link(path, to); !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
}

// unfinished reports whether a file or a directory of objects is one that git is still writing.
func unfinished(name string) bool {
	return strings.HasPrefix(name, "tmp_") || strings.HasPrefix(name, "incoming-") ||
		strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, ".new")
}

// Discard removes a repository that nobody came to know of.
func (s *Store) Discard(id int64) error { return os.RemoveAll(s.path(id)) }

// Merged merges two commits and returns the tree that comes of it; clean is false when they conflict.
func (r *Repo) Merged(ctx context.Context, ours, theirs string) (tree string, clean bool, err error) {
	out, err := r.run(ctx, "merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return "", false, nil
	}
	tree, _, _ = strings.Cut(out, "\x00")
	return tree, err == nil, err
}
