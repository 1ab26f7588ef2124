package cli

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/understudy-dev/understudy/steps/playback"
	"github.com/understudy-dev/understudy/suite/feature"
	"github.com/understudy-dev/understudy/trial"
)

// Where a suite says what its fixtures are for, by where the fixtures root is.
const declaredBelow, declaredHere = "fixtures/fixtures.yaml", "fixtures.yaml"

// declarations is the file that says what the fixtures are for, or would.
func (l *linter) declarations() string {
	if _, err := fs.Stat(l.fixtures.FS(), declaredHere); err == nil {
		return l.place(declaredHere)
	}
	return l.place(declaredBelow)
}

// unusedFixtures finds the files below fixtures/, or below a fixtures root that holds fixtures.yaml
// itself, which no step names.
func (l *linter) unusedFixtures() error {
	if _, err := os.Stat(filepath.Join(l.config.Fixtures, trial.ConfigFile)); err == nil && l.config.Fixtures != l.config.Root {
		return nil // they are those of another suite, which may use them
	}
	if l.wordless {
		return nil
	}
	fsys := l.fixtures.FS()
	file, dir := declaredBelow, "fixtures"
	if _, err := fs.Stat(fsys, declaredHere); err == nil {
		file, dir = declaredHere, "."
	}
	lines, err := declaredLines(fsys, file)
	if err != nil {
		return err
	}
	named := l.named()
	err = fs.WalkDir(fsys, dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && name == dir:
			return nil // no fixtures
		case err != nil:
			return err
		case strings.HasPrefix(d.Name(), ".") && name != ".":
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular() || name == file || named[name] || l.published(name):
			return nil
		}
		f := lintFinding{File: l.place(name), Line: 1, Rule: "unused-fixture", What: "no scenario names this fixture"}
		if line := lines[name]; line > 0 {
			f.File, f.Line, f.What = l.place(file), line, "no scenario names fixture "+name
		}
		l.findings = append(l.findings, f)
		return nil
	})
	return err
}

// published reports whether a step compares a directory that holds the fixture with what was published.
func (l *linter) published(name string) bool {
	for _, s := range l.scenarios() {
		for _, step := range s.Steps {
			if dir, ok := playback.Published(step.Text); ok && strings.HasPrefix(name, path.Clean(dir)+"/") {
				return true
			}
		}
	}
	return false
}

// declaredLines are the lines of the keys in a declaration file; none when it is not there.
func declaredLines(fsys fs.FS, file string) (map[string]int, error) {
	data, err := fs.ReadFile(fsys, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	lines := map[string]int{}
	for i, line := range strings.Split(string(data), "\n") {
		if key, _, ok := strings.Cut(line, ":"); ok && key != "" && key[0] != ' ' && key[0] != '#' {
			lines[strings.Trim(key, `"'`)] = i + 1
		}
	}
	return lines, err
}

// named is every word of the scenarios that could be a path, wherever a step has it, and every word
// of a feature that cannot be read.
func (l *linter) named() map[string]bool {
	all := map[string]bool{}
	add := func(text string) {
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n,;:=\"'`(){}", r) }) {
			all[path.Clean(word)] = true
		}
	}
	for _, text := range l.unread {
		add(text)
	}
	tables := map[*feature.Table]bool{}
	for _, s := range l.scenarios() {
		for _, step := range s.Steps {
			add(step.Text)
			if step.DocString != nil {
				add(step.DocString.Content)
			}
			if step.Table == nil || tables[step.Table] {
				continue
			}
			tables[step.Table] = true
			for _, row := range step.Table.Rows {
				for _, cell := range row.Cells {
					add(cell.Value)
				}
			}
		}
	}
	return all
}
