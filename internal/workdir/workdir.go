// Package workdir makes work directories that do not outlive their owner for long: each is held by
// a lock, and whoever makes one removes those whose owner is gone.
package workdir

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const prefix = "understudy-"

// Dir is a directory held by this process.
type Dir struct {
	Path string
	lock *os.File
}

// New removes what dead owners left below parent ("" is the system's temp directory) and makes a
// directory there. Close removes it.
func New(parent string) (*Dir, error) {
	if parent == "" {
		parent = os.TempDir()
	}
	sweep(parent)
	path, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return nil, fmt.Errorf("make work directory: %w", err)
	}
	lock, err := hold(path)
	if err != nil {
		os.RemoveAll(path)
		return nil, fmt.Errorf("make work directory: %w", err)
	}
	return &Dir{Path: path, lock: lock}, nil
}

// Close removes the directory and all below it.
func (d *Dir) Close() error {
	err := os.RemoveAll(d.Path)
	d.lock.Close()
	return err
}

// hold locks the directory itself, so that the lock cannot be removed apart from it.
func hold(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// sweep removes directories that nobody holds. What it cannot remove it leaves: another user's, or
// one that another sweep is removing just now.
func sweep(parent string) {
	found, err := filepath.Glob(filepath.Join(parent, prefix+"*"))
	if err != nil {
		return
	}
	for _, path := range found {
		if strings.TrimLeft(strings.TrimPrefix(filepath.Base(path), prefix), "0123456789") != "" {
			continue // not one of MkdirTemp's names
		}
		if info, err := os.Lstat(path); err != nil || !info.IsDir() || young(info) {
			continue
		}
		f, err := hold(path)
		if err != nil {
			continue
		}
		os.RemoveAll(path)
		f.Close()
	}
}

// young tells a directory whose owner may be between making it and locking it.
func young(info fs.FileInfo) bool { return time.Since(info.ModTime()) < time.Second }
