package gitstore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// WriteBlob stores content and returns its hash.
func (r *Repo) WriteBlob(content []byte) (string, error) {
	o := r.objs.NewEncodedObject()
	o.SetType(plumbing.BlobObject)
	w, err := o.Writer()
	if err != nil {
		return "", err
	}
	if _, err := io.Copy(w, bytes.NewReader(content)); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	h, err := r.objs.SetEncodedObject(o)
	return h.String(), err
}

// Edit puts an object at a path of a tree; SHA "" deletes the path.
type Edit struct {
	Path string
	Mode string // "100644", "100755", "120000", "040000", "160000"
	SHA  string
}

// node is an entry while a tree is edited.
type node struct {
	mode filemode.FileMode
	hash plumbing.Hash
}

// CleanPath reports whether p is a path that git allows in a tree: relative, without empty, "."
// or ".." segments, and without .git in any case.
func CleanPath(p string) bool {
	if p == "" || len(p) > 4096 || strings.ContainsRune(p, 0) {
		return false
	}
	for seg := range strings.SplitSeq(p, "/") {
		if seg == "" || seg == "." || seg == ".." || strings.EqualFold(seg, ".git") {
			return false
		}
	}
	return true
}

// WriteTree applies edits to the tree base ("" is empty) and returns the hash of the new tree.
// Deleting what is not there is ErrNotFound.
func (r *Repo) WriteTree(base string, edits []Edit) (string, error) {
	h := plumbing.ZeroHash
	if base != "" {
		t, err := r.treeOf(base)
		if err != nil {
			return "", err
		}
		h = t.Hash
	}
	out, _, err := r.editTree(h, edits)
	return out.String(), err
}

// editTree returns the edited tree; empty says that nothing is left in it.
func (r *Repo) editTree(base plumbing.Hash, edits []Edit) (h plumbing.Hash, empty bool, err error) {
	nodes := map[string]node{}
	if base != plumbing.ZeroHash {
		t, err := object.GetTree(r.objs, base)
		if err != nil {
			return h, false, absent(err)
		}
		for _, e := range t.Entries {
			nodes[e.Name] = node{e.Mode, e.Hash}
		}
	}
	below := map[string][]Edit{}
	for _, e := range edits {
		name, rest, nested := strings.Cut(e.Path, "/")
		if nested {
			below[name] = append(below[name], Edit{Path: rest, Mode: e.Mode, SHA: e.SHA})
			continue
		}
		if e.SHA == "" {
			if _, ok := nodes[name]; !ok {
				return h, false, ErrNotFound
			}
			delete(nodes, name)
			continue
		}
		mode, err := filemode.New(e.Mode)
		if err != nil {
			return h, false, fmt.Errorf("mode %q of %s: %w", e.Mode, e.Path, err)
		}
		nodes[name] = node{mode, plumbing.NewHash(e.SHA)}
	}
	for name, inner := range below {
		if err := r.editBelow(nodes, name, inner); err != nil {
			return h, false, err
		}
	}
	h, err = r.storeTree(nodes)
	return h, len(nodes) == 0, err
}

func (r *Repo) editBelow(nodes map[string]node, name string, inner []Edit) error {
	sub := plumbing.ZeroHash
	if n, ok := nodes[name]; ok && n.mode == filemode.Dir {
		sub = n.hash
	}
	h, empty, err := r.editTree(sub, inner)
	if err != nil {
		return err
	}
	delete(nodes, name)
	if !empty {
		nodes[name] = node{filemode.Dir, h}
	}
	return nil
}

func (r *Repo) storeTree(nodes map[string]node) (plumbing.Hash, error) {
	t := object.Tree{}
	for name, n := range nodes {
		t.Entries = append(t.Entries, object.TreeEntry{Name: name, Mode: n.mode, Hash: n.hash})
	}
	sort.Sort(object.TreeEntrySorter(t.Entries))
	o := r.objs.NewEncodedObject()
	if err := t.Encode(o); err != nil {
		return plumbing.ZeroHash, err
	}
	return r.objs.SetEncodedObject(o)
}

// Person is an author or a committer.
type Person struct {
	Name  string
	Email string
	When  time.Time
}

func (p Person) signature() object.Signature {
	// Angle brackets and line ends would break out of the commit's header.
	clean := strings.NewReplacer("<", "", ">", "", "\n", " ", "\x00", "")
	return object.Signature{Name: clean.Replace(p.Name), Email: clean.Replace(p.Email), When: p.When}
}

// NewCommit describes a commit object.
type NewCommit struct {
	Tree      string
	Parents   []string
	Message   string
	Author    Person
	Committer Person
}

// WriteCommit stores a commit and returns its hash. It moves no ref.
func (r *Repo) WriteCommit(in NewCommit) (string, error) {
	c := object.Commit{
		Author: in.Author.signature(), Committer: in.Committer.signature(),
		Message: in.Message, TreeHash: plumbing.NewHash(in.Tree),
	}
	for _, p := range in.Parents {
		c.ParentHashes = append(c.ParentHashes, plumbing.NewHash(p))
	}
	o := r.objs.NewEncodedObject()
	if err := c.Encode(o); err != nil {
		return "", err
	}
	h, err := r.objs.SetEncodedObject(o)
	return h.String(), err
}

// ErrRefConflict says that a ref cannot stand beside one that is there: a/b beside a.
var ErrRefConflict = errors.New("another ref is in the way")

// SetRef makes a ref name a commit. Call it within Update.
func (r *Repo) SetRef(name, sha string) error {
	// Not with go-git: it writes in place, and a git that reads meanwhile sees half a ref.
	root := r.store.path(r.id)
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("%w: %v", ErrRefConflict, err)
	}
	tmp := filepath.Join(root, "ref.new")
	if err := os.WriteFile(tmp, []byte(sha+"\n"), 0o600); err != nil {
		return err
	}
	removeEmpty(path)
	if err := os.Rename(tmp, path); err != nil {
		return fmt.Errorf("%w: %v", ErrRefConflict, err)
	}
	return nil
}

// removeEmpty removes the directories that deleted refs have left at path; what is not empty stays.
func removeEmpty(path string) {
	list, err := os.ReadDir(path)
	if err != nil {
		return
	}
	for _, e := range list {
		if e.IsDir() {
			removeEmpty(filepath.Join(path, e.Name()))
		}
	}
	os.Remove(path)
}

// RemoveRef deletes a ref. Call it within Update.
func (r *Repo) RemoveRef(name string) error {
	return r.objs.RemoveReference(plumbing.ReferenceName(name))
}

// RefName reports whether name is a full ref name that git accepts below refs/.
func RefName(name string) bool {
	if !strings.HasPrefix(name, "refs/") || strings.Count(name, "/") < 2 {
		return false
	}
	if plumbing.ReferenceName(name).Validate() != nil {
		return false
	}
	return !slices.Contains(strings.Split(name, "/"), "..")
}

// OfPulls reports whether a ref is one of those that the forge keeps for pull requests.
func OfPulls(ref string) bool { return strings.HasPrefix(ref, "refs/pull/") }
