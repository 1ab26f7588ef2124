// Package settings changes the settings of the platform under test, as its platform file says how. What
// a step changes is one commit of the admin actor.
package settings

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/setting"
	"github.com/understudy-dev/understudy/world"
)

// admin is the actor who may change settings.
const admin = "admin"

// Change is an edit of the platform file, by its name, and what its placeholders stand for.
type Change struct {
	Edit string
	With map[string]string
}

// Missing says which of the edits that a step needs a platform file does not have.
func Missing(p driver.Platform, edits ...string) error {
	for _, name := range edits {
		if _, ok := p.Edits[name]; !ok {
			return fmt.Errorf("the platform file of %s names no edits.%s, which says how that is set", p.Name, name)
		}
	}
	return nil
}

// Commit makes the changes, and gives files their content, in one commit. A change may be one of a file
// that is given. What is so already is not changed, and nothing at all is no commit. Where the place is
// shared, what was there before is put back after the scenario.
func Commit(ctx context.Context, message string, files []driver.NewFile, changes ...Change) error {
	w := world.From(ctx)
	r, err := world.Shared[driver.Repo](ctx, world.TheRepository)
	if err != nil {
		return err
	}
	before, after := map[string][]byte{}, map[string][]byte{}
	read := func(path string) error {
		if _, ok := before[path]; ok {
			return nil
		}
		got, err := w.As(admin).Files.Read(ctx, r, "", path)
		if err != nil && !errors.Is(err, driver.ErrNotFound) {
			return err
		}
		before[path] = got // nil where it is not there
		return nil
	}
	for _, f := range files {
		if err := read(f.Path); err != nil {
			return err
		}
		after[f.Path] = f.Content
	}
	for _, c := range changes {
		if err := Missing(w.Drivers().Platform, c.Edit); err != nil {
			return err
		}
		e := w.Drivers().Platform.Edits[c.Edit]
		file := setting.Fill(e.File, c.With)
		if err := read(file); err != nil {
			return err
		}
		if _, ok := after[file]; !ok {
			if before[file] == nil {
				return fmt.Errorf("%s is not in %s, though edits.%s of the platform file is a change of it: %w", file, r, c.Edit, driver.ErrNotFound)
			}
			after[file] = before[file]
		}
		if after[file], err = Apply(e, c.With, after[file]); err != nil {
			return fmt.Errorf("make the edit %s: %w", c.Edit, err)
		}
	}
	return commit(ctx, r, message, before, after)
}

func commit(ctx context.Context, r driver.Repo, message string, before, after map[string][]byte) error {
	w := world.From(ctx)
	var now, back []driver.NewFile
	for _, path := range slices.Sorted(maps.Keys(after)) {
		if before[path] != nil && bytes.Equal(before[path], after[path]) {
			continue
		}
		now = append(now, driver.NewFile{Path: path, Content: after[path]})
		back = append(back, driver.NewFile{Path: path, Content: before[path]})
	}
	if len(now) == 0 {
		return nil
	}
	if _, err := w.As(admin).Files.Commit(ctx, r, driver.NewCommit{Message: message, Files: now}); err != nil {
		return err
	}
	if w.Drivers().Place.Shared {
		session := w.As(admin)
		w.Cleanup("undo: "+message, func(ctx context.Context) error {
			_, err := session.Files.Commit(ctx, r, driver.NewCommit{Message: "Undo: " + message, Files: back})
			return err
		})
	}
	return nil
}

// Read returns the text of the setting that an edit changes, or "" where it is not set.
func Read(ctx context.Context, c Change) (string, error) {
	w := world.From(ctx)
	r, err := world.Shared[driver.Repo](ctx, world.TheRepository)
	if err != nil {
		return "", err
	}
	if err := Missing(w.Drivers().Platform, c.Edit); err != nil {
		return "", err
	}
	e := w.Drivers().Platform.Edits[c.Edit]
	file := setting.Fill(e.File, c.With)
	data, err := w.As(admin).Files.Read(ctx, r, "", file)
	if err != nil {
		return "", fmt.Errorf("read %s, which edits.%s of the platform file names: %w", file, c.Edit, err)
	}
	path, err := setting.ParsePath(e.Path)
	if err != nil {
		return "", err
	}
	text, err := setting.Read(file, data, e.Format, path.Fill(c.With))
	if errors.Is(err, setting.ErrAbsent) {
		return "", nil
	}
	return text, err
}

// Apply makes an edit in the text of a file, with its placeholders filled. What is put into a path stays
// one key, whatever it holds.
func Apply(e driver.Edit, with map[string]string, data []byte) ([]byte, error) {
	path, err := setting.ParsePath(e.Path)
	if err != nil {
		return nil, err
	}
	value := e.Value
	if text, ok := value.(string); ok {
		value = setting.Fill(text, with)
	}
	return setting.Apply(setting.Fill(e.File, with), data, setting.Edit{Format: e.Format, Path: path.Fill(with), Value: value, Append: e.Append})
}
