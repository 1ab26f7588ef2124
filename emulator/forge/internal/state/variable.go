package state

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func (s *State) viewVariable(v *setting, o *account) wire.Variable {
	out := wire.Variable{Name: v.name, Value: v.value, CreatedAt: wire.Time{Time: v.created}, UpdatedAt: wire.Time{Time: v.updated}}
	out.Visibility, out.SelectedURL = s.viewAudience(o, "variables", v.name, v.visibility)
	return out
}

// Variables lists the Actions variables of a level by name.
func (s *State) Variables(who Identity, at Level) ([]wire.Variable, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, o, err := s.listSettings(who, at, ReadVariables, variablesOf)
	return s.viewVariables(all, o), err
}

// SharedVariables lists the variables of its organisation that a repository sees.
func (s *State) SharedVariables(who Identity, full string) ([]wire.Variable, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.sharedSettings(who, full, ReadVariables, variablesOf)
	return s.viewVariables(all, nil), err
}

func (s *State) viewVariables(all []*setting, o *account) []wire.Variable {
	out := make([]wire.Variable, len(all))
	for i, v := range all {
		out[i] = s.viewVariable(v, o)
	}
	return out
}

// Variable returns one Actions variable.
func (s *State) Variable(who Identity, at Level, name string) (wire.Variable, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, v, o, err := s.findSetting(who, at, ReadVariables, variablesOf, name)
	if err != nil {
		return wire.Variable{}, err
	}
	return s.viewVariable(v, o), nil
}

// CreateVariable adds an Actions variable; to is for an organisation's only.
func (s *State) CreateVariable(who Identity, at Level, name, value string, to Audience) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, o, err := s.config(who, at, WriteVariables)
	if err != nil {
		return err
	}
	if err := checkConfigName(name, "Variable"); err != nil {
		return err
	}
	if err := checkVariable(value); err != nil {
		return err
	}
	if to, err = s.checkAudience(o, to, Audience{}); err != nil {
		return err
	}
	if c.variables[upper(name)] != nil {
		return wire.NewError(409, "Already exists - Variable already exists")
	}
	now := s.now()
	c.variables[upper(name)] = &setting{name: upper(name), value: value, created: now, updated: now, visibility: to.Visibility, selected: to.Selected}
	s.led.Changed()
	return nil
}

// VariableEdit changes what is not nil.
type VariableEdit struct {
	Name  *string
	Value *string
	To    *Audience // of an organisation's; an empty Visibility stays
}

// EditVariable changes an Actions variable.
func (s *State) EditVariable(who Identity, at Level, name string, e VariableEdit) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, v, o, err := s.findSetting(who, at, WriteVariables, variablesOf, name)
	if err != nil {
		return err
	}
	if e.Value != nil {
		if err := checkVariable(*e.Value); err != nil {
			return err
		}
	}
	to := Audience{v.visibility, v.selected}
	if e.To != nil {
		want := Audience{cmp.Or(e.To.Visibility, v.visibility), e.To.Selected}
		if to, err = s.checkAudience(o, want, to); err != nil {
			return err
		}
	}
	if e.Name != nil && upper(*e.Name) != v.name {
		if err := checkConfigName(*e.Name, "Variable"); err != nil {
			return err
		}
		if all[upper(*e.Name)] != nil {
			return wire.NewError(409, "Already exists - Variable already exists")
		}
		delete(all, v.name)
		v.name = upper(*e.Name)
		all[v.name] = v
	}
	if e.Value != nil {
		v.value = *e.Value
	}
	v.visibility, v.selected, v.updated = to.Visibility, to.Selected, s.now()
	s.led.Changed()
	return nil
}

// DeleteVariable removes an Actions variable.
func (s *State) DeleteVariable(who Identity, at Level, name string) error {
	return s.deleteSetting(who, at, WriteVariables, variablesOf, name)
}

func upper(name string) string { return strings.ToUpper(name) }

func checkVariable(value string) error {
	if len(value) > 48<<10 {
		return wire.Unprocessable("Variable value is too large (maximum is 48 KB).")
	}
	return nil
}

var configForm = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func checkConfigName(name, what string) error {
	switch {
	case !configForm.MatchString(name):
		return wire.Unprocessable(what + " names can only contain alphanumeric characters ([a-z], [A-Z], [0-9]) or underscores (_). Spaces are not allowed. Must start with a letter ([a-z], [A-Z]) or underscores (_).")
	case strings.HasPrefix(upper(name), "GITHUB_"):
		return wire.Unprocessable(what + " names must not start with GITHUB_.")
	}
	return nil
}
