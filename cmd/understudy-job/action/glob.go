package action

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// finder finds the files that the lines of a path input mean. It follows @actions/glob: a line is a
// file, a directory with all below it, or a pattern with *, ?, [] and **; a line with ! takes away
// what earlier lines found.
type finder struct {
	workspace string
	home      string
	hidden    bool // hidden files too
	warn      func(format string, args ...any)

	patterns []pattern
	found    map[string]bool
}

type pattern struct {
	not      bool
	segments []string // of an absolute path
	root     string   // the part before the first wildcard
}

// find returns absolute paths of regular files, sorted, and the directory that names in the artifact
// are relative to.
func (f *finder) find(lines string) (files []string, root string, err error) {
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		p, err := f.parse(line)
		if err != nil {
			return nil, "", err
		}
		f.patterns = append(f.patterns, p)
	}
	f.found = map[string]bool{}
	var roots []string
	for _, p := range f.patterns {
		if p.not || slices.Contains(roots, p.root) {
			continue
		}
		roots = append(roots, p.root)
		var chain []string
		if real, err := filepath.EvalSymlinks(p.root); err == nil {
			chain = []string{real}
		}
		if err := f.walk(p.root, chain); err != nil {
			return nil, "", err
		}
	}
	if len(roots) == 0 {
		return nil, "", errors.New("input path: it names nothing")
	}
	for file := range f.found {
		files = append(files, file)
	}
	slices.Sort(files)
	if len(files) == 1 && len(roots) == 1 && files[0] == roots[0] {
		return files, filepath.Dir(files[0]), nil
	}
	return files, commonDir(roots), nil
}

func (f *finder) parse(line string) (pattern, error) {
	rest, not := strings.CutPrefix(line, "!")
	if tail, ok := strings.CutPrefix(rest, "~/"); ok {
		rest = filepath.Join(f.home, tail)
	}
	if !filepath.IsAbs(rest) {
		rest = f.workspace + "/" + rest
	}
	p := pattern{not: not}
	literal := []string{""}
	for seg := range strings.SplitSeq(rest, "/") {
		switch {
		case seg == "" || seg == ".":
			continue
		case seg == "..":
			return p, fmt.Errorf("input path: %q has a .. in it", line)
		}
		if _, err := path.Match(seg, ""); err != nil {
			return p, fmt.Errorf("input path: %q: %w", line, err)
		}
		p.segments = append(p.segments, seg)
		if len(literal) == len(p.segments) && !strings.ContainsAny(seg, `*?[\`) {
			literal = append(literal, seg)
		}
	}
	p.root = "/" + filepath.Join(literal...)
	return p, nil
}

// walk collects what is wanted from name on. chain holds where it began and the directories that
// links have led to since.
func (f *finder) walk(name string, chain []string) error {
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return f.follow(name, chain)
	}
	if info.IsDir() {
		return f.walkDir(name, name, chain)
	}
	if info.Mode().IsRegular() && f.wanted(name) {
		f.found[name] = true
	}
	return nil
}

// walkDir goes through the entries of dir, which are called as if it were name.
func (f *finder) walkDir(name, dir string, chain []string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !f.hidden && strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if err := f.walk(filepath.Join(name, e.Name()), chain); err != nil {
			return err
		}
	}
	return nil
}

// follow walks on behind a symbolic link that stays inside the workspace. What lies outside is not
// the job's to publish.
func (f *finder) follow(name string, chain []string) error {
	end, err := filepath.EvalSymlinks(name)
	workspace, wsErr := filepath.EvalSymlinks(f.workspace)
	if err != nil || wsErr != nil || !strings.HasPrefix(end+"/", workspace+"/") {
		if f.wanted(name) {
			f.warn("%s is a symbolic link that leads out of the workspace or nowhere; it is left out", name)
		}
		return nil
	}
	info, err := os.Stat(end)
	if err != nil {
		return err
	}
	if info.Mode().IsRegular() {
		if f.wanted(name) {
			f.found[name] = true
		}
		return nil
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(name))
	if err != nil {
		return err
	}
	if !info.IsDir() || strings.HasPrefix(parent+"/", end+"/") || slices.Contains(chain, end) {
		return nil // a loop, or nothing that can be read
	}
	return f.walkDir(name, end, append(slices.Clip(chain), end))
}

func (f *finder) wanted(name string) bool {
	segments := strings.Split(strings.TrimPrefix(name, "/"), "/")
	wanted := false
	for _, p := range f.patterns {
		if matchPath(p.segments, segments) {
			wanted = !p.not
		}
	}
	return wanted
}

// matchPath says whether the pattern matches the path or a directory above it.
func matchPath(pat, segs []string) bool {
	if len(pat) == 0 {
		return true // all below a matching directory
	}
	if pat[0] == "**" {
		for i := 0; i <= len(segs); i++ {
			if matchPath(pat[1:], segs[i:]) {
				return true
			}
		}
		return false
	}
	if len(segs) == 0 {
		return false
	}
	ok, err := path.Match(pat[0], segs[0])
	return err == nil && ok && matchPath(pat[1:], segs[1:])
}

func commonDir(paths []string) string {
	common := strings.Split(paths[0], "/")
	for _, p := range paths[1:] {
		segs := strings.Split(p, "/")
		n := 0
		for n < len(common) && n < len(segs) && common[n] == segs[n] {
			n++
		}
		common = common[:n]
	}
	return "/" + strings.TrimPrefix(strings.Join(common, "/"), "/")
}
