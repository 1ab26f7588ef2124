package gitstore

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

var (
	hashForm  = regexp.MustCompile(`^[0-9a-f]{40}$`)
	shortForm = regexp.MustCompile(`^[0-9a-f]{7,39}$`)
)

// absent turns go-git's many ways to say "not there" into ErrNotFound.
func absent(err error) error {
	for _, known := range []error{plumbing.ErrObjectNotFound, plumbing.ErrReferenceNotFound,
		object.ErrDirectoryNotFound, object.ErrEntryNotFound, object.ErrFileNotFound} {
		if errors.Is(err, known) {
			return ErrNotFound
		}
	}
	return err
}

// Resolve returns the commit that rev names: a hash, a short hash, a full ref, or the name of a
// branch or a tag. refs are the refs there are.
func (r *Repo) Resolve(refs map[string]string, rev string) (string, error) {
	if hashForm.MatchString(rev) {
		return r.peel(rev)
	}
	for _, prefix := range []string{"refs/heads/", "refs/tags/", "refs/", ""} {
		if sha, ok := refs[prefix+rev]; ok {
			return r.peel(sha)
		}
	}
	if shortForm.MatchString(rev) {
		return r.expand(rev)
	}
	return "", ErrNotFound
}

// peel follows annotated tags to the commit.
func (r *Repo) peel(sha string) (string, error) {
	for {
		o, err := r.objs.EncodedObject(plumbing.AnyObject, plumbing.NewHash(sha))
		if err != nil {
			return "", absent(err)
		}
		switch o.Type() {
		case plumbing.CommitObject:
			return sha, nil
		case plumbing.TagObject:
			t, err := object.DecodeTag(r.objs, o)
			if err != nil {
				return "", err
			}
			sha = t.Target.String()
		default:
			return "", ErrNotFound
		}
	}
}

func (r *Repo) expand(short string) (string, error) {
	raw, err := hex.DecodeString(short[:len(short)/2*2])
	if err != nil {
		return "", ErrNotFound
	}
	hashes, err := r.objs.HashesWithPrefix(raw)
	if err != nil {
		return "", absent(err)
	}
	found := ""
	for _, h := range hashes {
		if !strings.HasPrefix(h.String(), short) {
			continue
		}
		if _, err := object.GetCommit(r.objs, h); err != nil {
			continue
		}
		if found != "" {
			return "", ErrNotFound // ambiguous
		}
		found = h.String()
	}
	if found == "" {
		return "", ErrNotFound
	}
	return found, nil
}

// Type returns the type of an object: commit, tree, blob or tag.
func (r *Repo) Type(sha string) (string, error) {
	if !hashForm.MatchString(sha) {
		return "", ErrNotFound
	}
	o, err := r.objs.EncodedObject(plumbing.AnyObject, plumbing.NewHash(sha))
	if err != nil {
		return "", absent(err)
	}
	return o.Type().String(), nil
}

// Commit returns a commit by its full hash.
func (r *Repo) Commit(sha string) (*object.Commit, error) {
	if !hashForm.MatchString(sha) {
		return nil, ErrNotFound
	}
	c, err := object.GetCommit(r.objs, plumbing.NewHash(sha))
	return c, absent(err)
}

// Tag returns an annotated tag by its full hash.
func (r *Repo) Tag(sha string) (*object.Tag, error) {
	if !hashForm.MatchString(sha) {
		return nil, ErrNotFound
	}
	t, err := object.GetTag(r.objs, plumbing.NewHash(sha))
	return t, absent(err)
}

// Entry is one entry of a tree.
type Entry struct {
	Path string
	Mode string // six digits, as the dialect writes them
	Type string // blob, tree, commit
	SHA  string
	Size int64 // of a blob
}

func (r *Repo) entry(p string, mode filemode.FileMode, h plumbing.Hash) Entry {
	e := Entry{Path: p, Mode: fmt.Sprintf("%06o", uint32(mode)), Type: "blob", SHA: h.String()}
	switch mode {
	case filemode.Dir:
		e.Type = "tree"
	case filemode.Submodule:
		e.Type = "commit"
	default:
		if n, err := r.objs.EncodedObjectSize(h); err == nil {
			e.Size = n
		}
	}
	return e
}

// Tree lists a tree, given by the hash of a tree or of a commit; deep descends into its trees.
// maxEntries bounds the list; truncated says that it was reached.
func (r *Repo) Tree(sha string, deep bool, maxEntries int) (tree string, entries []Entry, truncated bool, err error) {
	t, err := r.treeOf(sha)
	if err != nil {
		return "", nil, false, err
	}
	w := object.NewTreeWalker(t, deep, nil)
	defer w.Close()
	for {
		p, e, err := w.Next()
		if errors.Is(err, io.EOF) {
			return t.Hash.String(), entries, false, nil
		}
		if err != nil {
			return "", nil, false, absent(err)
		}
		if len(entries) == maxEntries {
			return t.Hash.String(), entries, true, nil
		}
		entries = append(entries, r.entry(p, e.Mode, e.Hash))
	}
}

func (r *Repo) treeOf(sha string) (*object.Tree, error) {
	if !hashForm.MatchString(sha) {
		return nil, ErrNotFound
	}
	h := plumbing.NewHash(sha)
	if c, err := object.GetCommit(r.objs, h); err == nil {
		h = c.TreeHash
	}
	t, err := object.GetTree(r.objs, h)
	return t, absent(err)
}

// Find returns the entry at a path of a commit; path "" is the whole tree.
func (r *Repo) Find(commit, p string) (Entry, error) {
	t, err := r.treeOf(commit)
	if err != nil {
		return Entry{}, err
	}
	if p == "" {
		return r.entry("", filemode.Dir, t.Hash), nil
	}
	// Not with go-git's FindEntry: it refuses names that git itself can store.
	dir, name := "", p
	for {
		seg, rest, deeper := strings.Cut(name, "/")
		i := slices.IndexFunc(t.Entries, func(e object.TreeEntry) bool { return e.Name == seg })
		if i < 0 {
			return Entry{}, ErrNotFound
		}
		e := t.Entries[i]
		if !deeper {
			return r.entry(path.Join(dir, seg), e.Mode, e.Hash), nil
		}
		if e.Mode != filemode.Dir {
			return Entry{}, ErrNotFound
		}
		if t, err = object.GetTree(r.objs, e.Hash); err != nil {
			return Entry{}, absent(err)
		}
		dir, name = path.Join(dir, seg), rest
	}
}

// List returns the entries of the directory at a path of a commit, with their full paths.
func (r *Repo) List(commit, dir string) ([]Entry, error) {
	e, err := r.Find(commit, dir)
	if err != nil {
		return nil, err
	}
	if e.Type != "tree" {
		return nil, ErrNotFound
	}
	_, entries, _, err := r.Tree(e.SHA, false, -1)
	for i := range entries {
		entries[i].Path = path.Join(dir, entries[i].Path)
	}
	return entries, err
}

// Blob returns the content of a blob of at most limit bytes.
func (r *Repo) Blob(sha string, limit int64) ([]byte, error) {
	if !hashForm.MatchString(sha) {
		return nil, ErrNotFound
	}
	b, err := object.GetBlob(r.objs, plumbing.NewHash(sha))
	if err != nil {
		return nil, absent(err)
	}
	if b.Size > limit {
		return nil, fmt.Errorf("blob %s has %d bytes, more than %d", sha, b.Size, limit)
	}
	rd, err := b.Reader()
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	return io.ReadAll(rd)
}

// Refs returns the refs on disk, without HEAD.
func (r *Repo) Refs() (map[string]string, error) {
	it, err := r.objs.IterReferences()
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	err = it.ForEach(func(ref *plumbing.Reference) error {
		if ref.Type() == plumbing.HashReference && ref.Name() != plumbing.HEAD {
			out[ref.Name().String()] = ref.Hash().String()
		}
		return nil
	})
	return out, err
}
