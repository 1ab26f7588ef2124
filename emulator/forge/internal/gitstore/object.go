package gitstore

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// Object is a git object as it is, without compression.
type Object struct {
	SHA  string
	Type string // blob, tree, commit, tag
	Data []byte
}

// KeepRemoved makes the store keep the objects of repositories that are removed from now on. They go
// with the store's directory.
func (s *Store) KeepRemoved() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keepRemoved = true
}

// removedPath is where what is left of a removed repository stands.
func (s *Store) removedPath(id int64) string { return filepath.Join(s.dir, "removed", name(id)) }

// drop takes the files of a repository away.
func (s *Store) drop(id int64) error {
	s.mu.Lock()
	keep := s.keepRemoved
	s.mu.Unlock()
	// Moved first: a repository is there whole or not at all, also for who comes after a kill.
	if err := os.MkdirAll(filepath.Dir(s.removedPath(id)), 0o700); err != nil {
		return err
	}
	if err := os.Rename(s.path(id), s.removedPath(id)); err != nil || keep {
		return err
	}
	return os.RemoveAll(s.removedPath(id))
}

// Objects calls f with each object of a repository, whether or not a ref leads there, until f returns
// an error. It knows those that KeepRemoved has kept, too.
func (s *Store) Objects(id int64, f func(Object) error) error {
	path := s.path(id)
	if _, err := os.Stat(path); err != nil {
		path = s.removedPath(id)
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("repository: %w", ErrNotFound)
		}
	}
	objs := filesystem.NewStorage(newDirectory(path), cache.NewObjectLRU(cache.MiByte))
	all, err := objs.IterEncodedObjects(plumbing.AnyObject)
	if err != nil {
		return err
	}
	defer all.Close()
	return all.ForEach(func(o plumbing.EncodedObject) error {
		r, err := o.Reader()
		if err != nil {
			return err
		}
		data, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil {
			return err
		}
		return f(Object{SHA: o.Hash().String(), Type: o.Type().String(), Data: data})
	})
}

// ErrObject says that an object is not what its hash says.
var ErrObject = errors.New("the object is not the one that its hash names")

// WriteObject stores an object. One whose content is not that of its hash is ErrObject.
func (r *Repo) WriteObject(in Object) error {
	kind, err := plumbing.ParseObjectType(in.Type)
	if err != nil || kind.IsDelta() || plumbing.ComputeHash(kind, in.Data).String() != in.SHA {
		return fmt.Errorf("%s %.40q: %w", in.Type, in.SHA, ErrObject)
	}
	o := r.objs.NewEncodedObject()
	o.SetType(kind)
	w, err := o.Writer()
	if err != nil {
		return err
	}
	if _, err := w.Write(in.Data); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	_, err = r.objs.SetEncodedObject(o)
	return err
}
