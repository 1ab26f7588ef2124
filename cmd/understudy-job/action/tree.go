package action

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// tree is where files of a cache may be: below the workspace and below the job's home. Names in an archive are
// relative to the workspace, as those of the official client. No name, and no link, leads out of it.
type tree struct {
	workspace, home string
	roots           map[string]*os.Root // by their directory
}

func newTree(c *call) (*tree, error) {
	t := &tree{workspace: filepath.Clean(c.env["GITHUB_WORKSPACE"]), home: filepath.Clean(c.env["HOME"]), roots: map[string]*os.Root{}}
	for _, dir := range []string{t.workspace, t.home} {
		if !filepath.IsAbs(dir) || dir == "/" || t.roots[dir] != nil {
			continue
		}
		r, err := os.OpenRoot(dir)
		if err != nil {
			t.close()
			return nil, err
		}
		t.roots[dir] = r
	}
	return t, nil
}

func (t *tree) close() {
	for _, r := range t.roots {
		r.Close() // it was only read, or each file in it was closed
	}
}

// in finds the root of an absolute path, and the path's name there.
func (t *tree) in(file string) (*os.Root, string, error) {
	for _, dir := range []string{t.workspace, t.home} {
		if r := t.roots[dir]; r != nil && (file == dir || strings.HasPrefix(file, dir+"/")) {
			name, err := filepath.Rel(dir, file)
			return r, name, err
		}
	}
	return nil, "", fmt.Errorf("%s is neither in the workspace nor in the home directory; caches of other places are not supported here", file)
}

// matches are the paths that the lines match, as @actions/glob finds them without implicit descendants:
// what lies below a directory comes with it, also where a line with ! names it.
func (t *tree) matches(paths []string) ([]string, error) {
	f := &finder{workspace: t.workspace, home: t.home}
	for _, line := range paths {
		if strings.HasPrefix(line, "#") {
			continue // a comment, though it is part of the version
		}
		if strings.TrimPrefix(line, "!") == "~" {
			line += "/"
		}
		p, err := f.parse(line)
		if err != nil {
			return nil, err
		}
		f.patterns = append(f.patterns, p)
	}
	found := map[string]bool{}
	for _, p := range f.patterns {
		if p.not {
			continue
		}
		if _, _, err := t.in(p.root); err != nil {
			return nil, err
		}
		err := filepath.WalkDir(p.root, func(name string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err == nil && f.names(name) {
				found[name] = true
			}
			if err == nil && d.IsDir() && !slices.ContainsFunc(p.segments, func(s string) bool { return strings.ContainsAny(s, `*?[\`) }) {
				return filepath.SkipDir // the pattern is a path
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	var out []string
	for name := range found {
		out = append(out, name)
	}
	slices.Sort(out)
	return out, nil
}

// names says whether the last pattern that is this very path takes it.
func (f *finder) names(name string) bool {
	segments := strings.Split(strings.TrimPrefix(name, "/"), "/")
	wanted := false
	for _, p := range f.patterns {
		if matchWhole(p.segments, segments) {
			wanted = !p.not
		}
	}
	return wanted
}

func matchWhole(pat, segs []string) bool {
	switch {
	case len(pat) == 0:
		return len(segs) == 0
	case pat[0] == "**":
		return matchWhole(pat[1:], segs) || len(segs) > 0 && matchWhole(pat, segs[1:])
	case len(segs) == 0:
		return false
	}
	ok, err := path.Match(pat[0], segs[0])
	return err == nil && ok && matchWhole(pat[1:], segs[1:])
}

// pack writes what the paths match, with all below it, and returns how many entries that are.
func (t *tree) pack(to io.Writer, paths []string) (entries int, err error) {
	tops, err := t.matches(paths)
	if err != nil {
		return 0, err
	}
	z, err := gzip.NewWriterLevel(to, gzip.BestSpeed)
	if err != nil {
		return 0, err
	}
	w, done := tar.NewWriter(z), map[string]bool{}
	for _, top := range tops {
		err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
			if err != nil || done[name] {
				return err
			}
			done[name] = true
			if entries++; entries > maxEntries {
				return fmt.Errorf("there are more than %d files", maxEntries)
			}
			return t.add(w, name, d)
		})
		if err != nil {
			return 0, err
		}
	}
	return entries, errors.Join(w.Close(), z.Close())
}

func (t *tree) add(w *tar.Writer, name string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil || !info.Mode().IsRegular() && !info.IsDir() && info.Mode()&fs.ModeSymlink == 0 {
		return err // sockets and the like are left out
	}
	link := ""
	if info.Mode()&fs.ModeSymlink != 0 {
		if link, err = os.Readlink(name); err != nil {
			return err
		}
	}
	rel, err := filepath.Rel(t.workspace, name)
	if err != nil {
		return err
	}
	h := &tar.Header{Name: rel, Mode: int64(info.Mode().Perm()), ModTime: info.ModTime().Truncate(time.Second), Linkname: link, Format: tar.FormatPAX}
	switch {
	case link != "":
		h.Typeflag = tar.TypeSymlink
	case info.IsDir():
		h.Typeflag, h.Name = tar.TypeDir, rel+"/"
	default:
		h.Typeflag, h.Size = tar.TypeReg, info.Size()
	}
	if err := w.WriteHeader(h); err != nil || h.Typeflag != tar.TypeReg {
		return err
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.CopyN(w, f, h.Size)
	return err
}

// unpack writes the entries of an archive, over what is there.
func (t *tree) unpack(from io.Reader) (files int, err error) {
	z, err := gzip.NewReader(from)
	if err != nil {
		return 0, err
	}
	r, left := tar.NewReader(z), int64(maxUnpacked)
	for n := 0; ; n++ {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return files, err
		}
		if n >= maxEntries {
			return files, fmt.Errorf("the archive has more than %d entries", maxEntries)
		}
		if left -= h.Size; left < 0 {
			return files, fmt.Errorf("unpacked, the archive has more than %d bytes", int64(maxUnpacked))
		}
		if err := t.write(h, r); err != nil {
			return files, fmt.Errorf("entry %q: %w", h.Name, err)
		}
		if h.Typeflag == tar.TypeReg {
			files++
		}
	}
}

func (t *tree) write(h *tar.Header, from io.Reader) error {
	if path.IsAbs(h.Name) {
		return errors.New("its name is absolute")
	}
	root, name, err := t.in(filepath.Join(t.workspace, h.Name))
	if err != nil {
		return err
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(h.Mode).Perm()
	switch h.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(name, mode|0o700)
	case tar.TypeSymlink:
		if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return root.Symlink(h.Linkname, name)
	case tar.TypeReg:
	default:
		return fmt.Errorf("it is of type %q", h.Typeflag)
	}
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	err = errors.Join(err, f.Chmod(mode), f.Close())
	if err == nil {
		err = root.Chtimes(name, h.ModTime, h.ModTime)
	}
	return err
}
