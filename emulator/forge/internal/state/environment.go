package state

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// environment is what a repository deploys to: variables and secrets for the jobs that name it. It has no
// protection rules: they are refused before they get here.
type environment struct {
	id      int64
	name    string
	created time.Time
	updated time.Time
	config  config
}

const maxEnvironmentName = 255 // characters, as at GitHub

func (s *State) viewEnvironment(r *repo, e *environment) wire.Environment {
	return wire.NewEnvironment(s.base, r.fullName(), e.id, e.name, e.created, e.updated)
}

// Environments lists the environments of a repository by name.
func (s *State) Environments(who Identity, full string) ([]wire.Environment, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadActions)
	if err != nil {
		return nil, err
	}
	out := []wire.Environment{}
	for _, e := range r.environments {
		out = append(out, s.viewEnvironment(r, e))
	}
	slices.SortFunc(out, func(a, b wire.Environment) int { return cmp.Compare(key(a.Name), key(b.Name)) })
	return out, nil
}

// Environment returns one environment; its name is without regard to case.
func (s *State) Environment(who Identity, full, name string) (wire.Environment, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadActions)
	if err != nil {
		return wire.Environment{}, err
	}
	e := r.environments[key(name)]
	if e == nil {
		return wire.Environment{}, wire.NotFound()
	}
	return s.viewEnvironment(r, e), nil
}

// PutEnvironment creates an environment, or notes that it was looked after.
func (s *State) PutEnvironment(who Identity, full, name string) (wire.Environment, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, Administer)
	if err != nil {
		return wire.Environment{}, err
	}
	if err := checkEnvironmentName(name); err != nil {
		return wire.Environment{}, wire.Unprocessable(err.Error())
	}
	e := s.environment(r, name)
	e.updated = s.now()
	s.led.Changed()
	return s.viewEnvironment(r, e), nil
}

// DeleteEnvironment removes an environment with its variables and secrets.
func (s *State) DeleteEnvironment(who Identity, full, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, Administer)
	if err != nil {
		return err
	}
	if r.environments[key(name)] == nil {
		return wire.NotFound()
	}
	delete(r.environments, key(name))
	s.led.Changed()
	return nil
}

// environment finds or makes an environment; the caller holds the lock.
func (s *State) environment(r *repo, name string) *environment {
	if e := r.environments[key(name)]; e != nil {
		return e
	}
	now := s.now()
	e := &environment{id: s.nextID(nounEnvironment), name: name, created: now, updated: now, config: newConfig()}
	if r.environments == nil {
		r.environments = map[string]*environment{}
	}
	r.environments[key(name)] = e
	s.led.Changed()
	return e
}

func checkEnvironmentName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return errors.New("environment name is blank")
	case len([]rune(name)) > maxEnvironmentName:
		return fmt.Errorf("environment name is longer than %d characters", maxEnvironmentName)
	case strings.ContainsFunc(name, func(c rune) bool { return c < ' ' || c == 0x7f }):
		return errors.New("environment name has a control character in it")
	}
	return nil
}

// Deploy returns what a job that names an environment gets from it, in the clear: its own variables and
// secrets and none of the repository. As at GitHub, an environment that is not there is made.
func (s *State) Deploy(full, name string) (variables, secrets map[string]string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.repos[key(full)]
	if r == nil {
		return nil, nil, fmt.Errorf("repository %s: %w", full, driver.ErrNotFound)
	}
	if err := checkEnvironmentName(name); err != nil {
		return nil, nil, err
	}
	e := s.environment(r, name)
	return e.config.variables.values(), e.config.secrets.values(), nil
}
