package feature

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// target is one path as asked for: a file, whole or at one line.
type target struct {
	asked string // as given, for errors
	uri   string
	line  int // 0 is the whole file
	named bool
}

func load(fsys fs.FS, paths []string) ([]File, error) {
	if len(paths) == 0 {
		return nil, errors.New("no feature file or directory is given")
	}
	var targets []target
	var problems []error
	for _, p := range paths {
		ts, err := resolve(fsys, p)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		targets = append(targets, ts...)
	}
	chosen, order := map[string][]target{}, []string{}
	for _, t := range targets {
		if _, ok := chosen[t.uri]; !ok {
			order = append(order, t.uri)
		}
		chosen[t.uri] = append(chosen[t.uri], t)
	}
	var files []File
	for _, uri := range order {
		f, err := loadFile(fsys, uri, chosen[uri])
		if err != nil {
			problems = append(problems, err)
			continue
		}
		files = append(files, f)
	}
	if err := unique(files); err != nil {
		problems = append(problems, err)
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return files, nil
}

// resolve finds the files of one path.
func resolve(fsys fs.FS, asked string) ([]target, error) {
	name, line, err := splitLine(asked)
	if err != nil {
		return nil, err
	}
	name = path.Clean(name)
	if !fs.ValidPath(name) {
		return nil, fmt.Errorf("%s: the path must lie below the suite's root", asked)
	}
	info, err := fs.Stat(fsys, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no such file or directory", asked)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", asked, err)
	}
	if !info.IsDir() {
		if path.Ext(name) != ".feature" {
			return nil, fmt.Errorf("%s: a feature file's name ends in .feature", asked)
		}
		return []target{{asked: asked, uri: name, line: line, named: true}}, nil
	}
	if line > 0 {
		return nil, fmt.Errorf("%s: a directory has no lines", asked)
	}
	var ts []target
	err = fs.WalkDir(fsys, name, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Ext(p) == ".feature" {
			ts = append(ts, target{asked: asked, uri: p})
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", asked, err)
	}
	if len(ts) == 0 {
		return nil, fmt.Errorf("%s: there is no feature file in it", asked)
	}
	return ts, nil
}

// splitLine takes "file:12" apart; without a line it is 0.
func splitLine(asked string) (name string, line int, err error) {
	i := strings.LastIndexByte(asked, ':')
	if i < 0 {
		return asked, 0, nil
	}
	line, err = strconv.Atoi(asked[i+1:])
	if err != nil || line < 1 {
		return "", 0, fmt.Errorf("%s: what follows the colon is not a line number", asked)
	}
	return asked[:i], line, nil
}

func loadFile(fsys fs.FS, uri string, targets []target) (File, error) {
	src, err := fs.ReadFile(fsys, uri)
	if err != nil {
		return File{}, fmt.Errorf("read %s: %w", uri, err)
	}
	if !utf8.Valid(src) || bytes.IndexByte(src, 0) >= 0 {
		return File{}, fmt.Errorf("%s:1: this is no text in UTF-8", uri)
	}
	f := File{URI: uri, Source: strings.TrimPrefix(string(src), "\ufeff")}
	found, err := parse(uri, f.Source)
	if err != nil {
		return File{}, err
	}
	lines := strings.Count(f.Source, "\n") + 1
	keep := map[int]bool{}
	for _, t := range targets {
		n := 0
		for i, l := range found {
			if t.line == 0 || t.line <= lines && l.holds(t.line) {
				keep[i] = true
				n++
			}
		}
		switch {
		case n > 0:
		case t.line > 0:
			return File{}, fmt.Errorf("%s: no scenario at this line", t.asked)
		case t.named || len(found) == 0:
			return File{}, fmt.Errorf("%s: there is no scenario in it", uri)
		}
	}
	for i, l := range found {
		if keep[i] {
			f.Scenarios = append(f.Scenarios, l.Scenario)
		}
	}
	return f, nil
}

// located is a scenario with the lines that select it.
type located struct {
	Scenario
	spans []span
}

type span struct{ first, last int } // both included

func (l located) holds(line int) bool {
	return slices.ContainsFunc(l.spans, func(s span) bool { return s.first <= line && line <= s.last })
}

func unique(files []File) error {
	seen := map[string]bool{}
	var problems []error
	for _, f := range files {
		for _, s := range f.Scenarios {
			if seen[s.ID] {
				problems = append(problems, fmt.Errorf("%s: two scenarios have this id", s.ID))
			}
			seen[s.ID] = true
		}
	}
	return errors.Join(problems...)
}
