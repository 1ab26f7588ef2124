// Package current tells whether crew's configuration is still what a job has checked out. People throw the kill
// switch, or take an agent away, while an event is on its way and while an agent works: what they say then counts.
package current

import (
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"example.com/crew/internal/config"
	"example.com/crew/internal/forge"
)

// Branch is a branch and what was checked out of it.
type Branch struct {
	Forge    *forge.Client
	Name     string // "" is the default branch
	Checkout string
	Dir      string // crew's directory in it
}

// names are the configuration's files, the one that is overridden first.
func names() []string { return []string{config.Base, config.File} }

// Hashes are those that git gives to the files of the configuration in crew's directory, by name.
func Hashes(dir string) (map[string]string, error) {
	out := map[string]string{}
	for _, name := range names() {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			out[name] = blob(data)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return out, nil
}

// Changed lists the files of the configuration that are not any more, in the branch, what they were.
func (b Branch) Changed(ctx context.Context, were map[string]string) ([]string, error) {
	there, err := b.Forge.Files(ctx, b.Name, b.Dir)
	if err != nil {
		return nil, fmt.Errorf("look at the configuration as it is now: %w", err)
	}
	var out []string
	for _, name := range names() {
		if were[name] != there[name] {
			out = append(out, path.Join(b.Dir, name))
		}
	}
	return out, nil
}

// blob is the name that git gives to a file's content.
func blob(data []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// Restrict takes away what the configuration does not allow any more: with the kill switch everything, and agents
// that are gone or disabled. What it allows newly waits for the next event.
func (b Branch) Restrict(ctx context.Context, c *config.Config) error {
	were, err := Hashes(filepath.Join(b.Checkout, filepath.FromSlash(b.Dir)))
	if err != nil {
		return err
	}
	changed, err := b.Changed(ctx, were)
	if err != nil || len(changed) == 0 {
		return err
	}
	var texts []config.Text
	for _, name := range names() {
		file := path.Join(b.Dir, name)
		data, err := b.Forge.Read(ctx, b.Name, file)
		if forge.NotFound(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read the configuration as it is now: %w", err)
		}
		texts = append(texts, config.Text{Name: file, Data: data})
	}
	if len(texts) == 0 {
		c.KillSwitch = true // crew was taken out meanwhile
		return nil
	}
	now, err := config.Parse(texts...)
	if err != nil {
		return fmt.Errorf("read the configuration as it is now: %w", err)
	}
	c.KillSwitch = c.KillSwitch || now.KillSwitch
	no := false
	for name, e := range c.Agents {
		if is, ok := now.Agents[name]; !ok || is.Disabled() {
			e.Enabled = &no
			c.Agents[name] = e
		}
	}
	return nil
}
