package state

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

type variable struct {
	name    string
	value   string
	created time.Time
	updated time.Time
}

func (v *variable) view() wire.Variable {
	return wire.Variable{Name: v.name, Value: v.value, CreatedAt: wire.Time{Time: v.created}, UpdatedAt: wire.Time{Time: v.updated}}
}

// Variables lists the Actions variables of a repository by name.
func (s *State) Variables(who Identity, full string) ([]wire.Variable, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadVariables)
	if err != nil {
		return nil, err
	}
	out := []wire.Variable{}
	for _, v := range r.variables {
		out = append(out, v.view())
	}
	slices.SortFunc(out, func(a, b wire.Variable) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// Variable returns one Actions variable.
func (s *State) Variable(who Identity, full, name string) (wire.Variable, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadVariables)
	if err != nil {
		return wire.Variable{}, err
	}
	v := r.variables[strings.ToUpper(name)]
	if v == nil {
		return wire.Variable{}, wire.NotFound()
	}
	return v.view(), nil
}

// CreateVariable adds an Actions variable.
func (s *State) CreateVariable(who Identity, full, name, value string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, WriteVariables)
	if err != nil {
		return err
	}
	if err := checkConfigName(name, "Variable"); err != nil {
		return err
	}
	if len(value) > 48<<10 {
		return wire.Unprocessable("Variable value is too large (maximum is 48 KB).")
	}
	k := strings.ToUpper(name)
	if r.variables[k] != nil {
		return wire.NewError(409, "Already exists - Variable already exists")
	}
	now := s.now()
	r.variables[k] = &variable{name: k, value: value, created: now, updated: now}
	s.led.Changed()
	return nil
}

// EditVariable changes the name or value of an Actions variable; nil leaves it as it is.
func (s *State) EditVariable(who Identity, full, name string, newName, value *string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, WriteVariables)
	if err != nil {
		return err
	}
	v := r.variables[strings.ToUpper(name)]
	if v == nil {
		return wire.NotFound()
	}
	if value != nil && len(*value) > 48<<10 {
		return wire.Unprocessable("Variable value is too large (maximum is 48 KB).")
	}
	if newName != nil && strings.ToUpper(*newName) != v.name {
		if err := checkConfigName(*newName, "Variable"); err != nil {
			return err
		}
		if r.variables[strings.ToUpper(*newName)] != nil {
			return wire.NewError(409, "Already exists - Variable already exists")
		}
		delete(r.variables, v.name)
		v.name = strings.ToUpper(*newName)
		r.variables[v.name] = v
	}
	if value != nil {
		v.value = *value
	}
	v.updated = s.now()
	s.led.Changed()
	return nil
}

// DeleteVariable removes an Actions variable.
func (s *State) DeleteVariable(who Identity, full, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, WriteVariables)
	if err != nil {
		return err
	}
	if r.variables[strings.ToUpper(name)] == nil {
		return wire.NotFound()
	}
	delete(r.variables, strings.ToUpper(name))
	s.led.Changed()
	return nil
}

var configForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func checkConfigName(name, what string) error {
	switch {
	case !configForm.MatchString(name):
		return wire.Unprocessable(what + " names can only contain alphanumeric characters ([a-z], [A-Z], [0-9]) or underscores (_). Spaces are not allowed. Must start with a letter ([a-z], [A-Z]) or underscores (_).")
	case strings.HasPrefix(strings.ToUpper(name), "GITHUB_"):
		return wire.Unprocessable(what + " names must not start with GITHUB_.")
	}
	return nil
}

// AllVariables returns the Actions variables of a repository, whoever may see them.
func (s *State) AllVariables(full string) (map[string]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.repos[key(full)]
	if r == nil {
		return nil, fmt.Errorf("repository %s: %w", full, driver.ErrNotFound)
	}
	out := map[string]string{}
	for _, v := range r.variables {
		out[v.name] = v.value
	}
	return out, nil
}
