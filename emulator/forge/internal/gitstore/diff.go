package gitstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// emptyTree is the hash of a tree without entries, which git knows everywhere.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"

// maxPatch bounds the patch of one file that is shown; a longer one is left out, as at GitHub.
const maxPatch = 1 << 20

// FileDiff is what a commit did to one file.
type FileDiff struct {
	Path      string
	Previous  string // before a rename
	Status    string // added, removed, modified, renamed, changed
	SHA       string // of the content; of the old one when removed
	Additions int
	Deletions int
	Patch     string // hunks in the unified form; "" for binary content and for long ones
}

func parentOf(c *object.Commit) string {
	if c.NumParents() == 0 {
		return emptyTree
	}
	return c.ParentHashes[0].String()
}

func diffArgs(from, to string, more ...string) []string {
	args := append([]string{"diff", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames"}, more...)
	return append(args, from, to, "--")
}

// Diff lists what a commit did against its first parent, with renames.
func (r *Repo) Diff(ctx context.Context, c *object.Commit) ([]FileDiff, error) {
	return r.DiffBetween(ctx, parentOf(c), c.Hash.String())
}

// DiffBetween lists the files that differ between two commits, with renames.
func (r *Repo) DiffBetween(ctx context.Context, from, to string) ([]FileDiff, error) {
	out, err := r.run(ctx, diffArgs(from, to, "--full-index", "--no-abbrev", "--raw", "--numstat", "--patch", "-z")...)
	if err != nil {
		return nil, err
	}
	files, err := parseDiff(out)
	if err != nil {
		return nil, fmt.Errorf("diff of %s: %w", to, err)
	}
	return files, nil
}

// DiffText returns what Diff does as git shows it.
func (r *Repo) DiffText(ctx context.Context, c *object.Commit) (string, error) {
	return r.DiffTextBetween(ctx, parentOf(c), c.Hash.String())
}

// DiffTextBetween returns what DiffBetween does as git shows it.
func (r *Repo) DiffTextBetween(ctx context.Context, from, to string) (string, error) {
	return r.run(ctx, diffArgs(from, to)...)
}

// MailTextBetween returns the commits of to that from lacks, oldest first, as git sends them by mail.
func (r *Repo) MailTextBetween(ctx context.Context, from, to string) (string, error) {
	return r.run(ctx, "format-patch", "--no-color", "--stdout", "--find-renames", from+".."+to)
}

// MailText returns a commit as git sends it by mail; that of a merge is empty.
func (r *Repo) MailText(ctx context.Context, c *object.Commit) (string, error) {
	return r.run(ctx, "format-patch", "--no-color", "-1", "--stdout", "--find-renames", c.Hash.String())
}

// parseDiff reads git's output: for each file a raw line, for each a count of lines, then all patches.
func parseDiff(out string) ([]FileDiff, error) {
	var files []FileDiff
	for strings.HasPrefix(out, ":") {
		var f FileDiff
		var line string
		line, out, _ = strings.Cut(out, "\x00")
		words := strings.Fields(line) // :100644 100644 OLD NEW S
		if len(words) != 5 {
			return nil, fmt.Errorf("raw line %q", line)
		}
		f.SHA, f.Status = words[3], statusOf(words[4][0])
		if f.Status == "removed" {
			f.SHA = words[2]
		}
		f.Path, out, _ = strings.Cut(out, "\x00")
		if f.Status == "renamed" {
			f.Previous = f.Path
			f.Path, out, _ = strings.Cut(out, "\x00")
		}
		files = append(files, f)
	}
	for i := range files {
		var line string
		line, out, _ = strings.Cut(out, "\x00")
		words := strings.SplitN(line, "\t", 3)
		if len(words) != 3 {
			return nil, fmt.Errorf("count of lines %q", line)
		}
		// Binary content has "-" in both places.
		files[i].Additions, _ = strconv.Atoi(words[0])
		files[i].Deletions, _ = strconv.Atoi(words[1])
		if words[2] == "" { // a rename, with both names after it
			_, out, _ = strings.Cut(out, "\x00")
			_, out, _ = strings.Cut(out, "\x00")
		}
	}
	return files, patches(files, strings.TrimPrefix(out, "\x00"))
}

func statusOf(letter byte) string {
	switch letter {
	case 'A':
		return "added"
	case 'D':
		return "removed"
	case 'R':
		return "renamed"
	case 'T':
		return "changed"
	}
	return "modified"
}

// patches gives each file its own. No line of content begins with "diff": it has a sign before it.
func patches(files []FileDiff, text string) error {
	const head = "diff --git "
	parts := strings.Split("\n"+text, "\n"+head)[1:]
	for i := range files {
		n := 1
		if files[i].Status == "changed" { // from file to link or back: one taken away, one added
			n = 2
		}
		if len(parts) < n {
			return errors.New("fewer patches than files")
		}
		if at := strings.Index(parts[0], "\n@@ "); n == 1 && at >= 0 && len(parts[0]) <= maxPatch {
			files[i].Patch = strings.TrimSuffix(parts[0][at+1:], "\n")
		}
		parts = parts[n:]
	}
	if len(parts) > 0 {
		return errors.New("more patches than files")
	}
	return nil
}

// NewTag describes an annotated tag to make.
type NewTag struct {
	Name    string
	Message string
	Target  string
	Type    string // of the target: commit, tree, blob, tag
	Tagger  Person
}

// WriteTag stores an annotated tag object, which no ref names yet, and returns its hash.
func (r *Repo) WriteTag(in NewTag) (string, error) {
	typ, err := plumbing.ParseObjectType(in.Type)
	if err != nil {
		return "", err
	}
	t := object.Tag{Name: in.Name, Message: strings.TrimRight(in.Message, "\n") + "\n", Tagger: in.Tagger.signature(),
		TargetType: typ, Target: plumbing.NewHash(in.Target)}
	o := r.objs.NewEncodedObject()
	if err := t.Encode(o); err != nil {
		return "", err
	}
	h, err := r.objs.SetEncodedObject(o)
	return h.String(), err
}
