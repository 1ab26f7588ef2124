package state

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// setting is an Actions variable or a secret.
type setting struct {
	name       string
	value      string
	created    time.Time
	updated    time.Time
	visibility string // of an organisation's
	selected   []int64
}

// settings are the variables or the secrets of one level, by upper-case name.
type settings map[string]*setting

// kind chooses the variables or the secrets of a level.
type kind func(*config) settings

func variablesOf(c *config) settings { return c.variables }
func secretsOf(c *config) settings   { return c.secrets }

func (s settings) sorted() []*setting {
	return slices.SortedFunc(maps.Values(s), func(a, b *setting) int { return cmp.Compare(a.name, b.name) })
}

func (s settings) values() map[string]string {
	out := make(map[string]string, len(s))
	for name, v := range s {
		out[name] = v.value
	}
	return out
}

// sharedWith are those that a repository sees of its organisation's.
func (s settings) sharedWith(r *repo) settings {
	out := settings{}
	for name, v := range s {
		if r.sees(v.visibility, v.selected) {
			out[name] = v
		}
	}
	return out
}

// listSettings opens a level and returns what it has by name; the caller holds the lock.
func (s *State) listSettings(who Identity, at Level, need Need, of kind) ([]*setting, *account, error) {
	c, o, err := s.config(who, at, need)
	if err != nil {
		return nil, nil, err
	}
	return of(c).sorted(), o, nil
}

// sharedSettings are an organisation's that one of its repositories sees, by name; the caller holds the lock.
func (s *State) sharedSettings(who Identity, full string, need Need, of kind) ([]*setting, error) {
	r, err := s.open(who, full, need)
	if err != nil {
		return nil, err
	}
	return of(&r.owner.config).sharedWith(r).sorted(), nil
}

// findSetting returns one setting with those that it stands among; the caller holds the lock.
func (s *State) findSetting(who Identity, at Level, need Need, of kind, name string) (settings, *setting, *account, error) {
	c, o, err := s.config(who, at, need)
	if err != nil {
		return nil, nil, nil, err
	}
	v := of(c)[upper(name)]
	if v == nil {
		return nil, nil, nil, wire.NotFound()
	}
	return of(c), v, o, nil
}

func (s *State) deleteSetting(who Identity, at Level, need Need, of kind, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, v, _, err := s.findSetting(who, at, need, of, name)
	if err != nil {
		return err
	}
	delete(all, v.name)
	s.led.Changed()
	return nil
}

// AllVariables returns the Actions variables that a repository sees, its own before its
// organisation's, whoever may see them.
func (s *State) AllVariables(full string) (map[string]string, error) {
	return s.allSettings(full, variablesOf)
}

// AllSecrets returns the secrets that a repository sees in the clear, its own before its
// organisation's, for the jobs that may use them.
func (s *State) AllSecrets(full string) (map[string]string, error) {
	return s.allSettings(full, secretsOf)
}

func (s *State) allSettings(full string, of kind) (map[string]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.repos[key(full)]
	if r == nil {
		return nil, fmt.Errorf("repository %s: %w", full, driver.ErrNotFound)
	}
	out := of(&r.owner.config).sharedWith(r).values()
	maps.Copy(out, of(&r.config).values())
	return out, nil
}
