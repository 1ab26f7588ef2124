package state

import (
	"regexp"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

type label struct {
	id          int64
	name        string
	color       string
	description string
	standard    bool
}

// LabelEdit names and colours a label; nil leaves a thing as it is.
type LabelEdit struct {
	Name        *string
	Color       *string
	Description *string
}

// defaultLabels are what a new repository has.
func defaultLabels() []label {
	return []label{
		{name: "bug", color: "d73a4a", description: "Something isn't working"},
		{name: "documentation", color: "0075ca", description: "Improvements or additions to documentation"},
		{name: "duplicate", color: "cfd3d7", description: "This issue or pull request already exists"},
		{name: "enhancement", color: "a2eeef", description: "New feature or request"},
		{name: "good first issue", color: "7057ff", description: "Good for newcomers"},
		{name: "help wanted", color: "008672", description: "Extra attention is needed"},
		{name: "invalid", color: "e4e669", description: "This doesn't seem right"},
		{name: "question", color: "d876e3", description: "Further information is requested"},
		{name: "wontfix", color: "ffffff", description: "This will not be worked on"},
	}
}

func (s *State) addLabel(r *repo, l label) *label {
	l.id = s.nextID(nounLabel)
	l.standard = slices.ContainsFunc(defaultLabels(), func(d label) bool { return d.name == l.name })
	r.labels = append(r.labels, &l)
	return &l
}

// label finds a label of a repository by name, whatever its case.
func (r *repo) label(name string) *label {
	for _, l := range r.labels {
		if key(l.name) == key(name) {
			return l
		}
	}
	return nil
}

// labelFor is label, and makes one that is missing, as GitHub does when an issue is labelled.
func (s *State) labelFor(who Identity, r *repo, name string) *label {
	if l := r.label(name); l != nil {
		return l
	}
	l := s.addLabel(r, label{name: name, color: "ededed"})
	v := s.viewLabel(r, l)
	s.event(who, r, "label", wire.Event{Action: "created", Label: &v}, r.fullName())
	return l
}

// Labels lists the labels of a repository.
func (s *State) Labels(who Identity, full string) ([]wire.Label, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadIssues)
	if err != nil {
		return nil, err
	}
	return s.viewLabels(r, r.labels), nil
}

// Label returns one label of a repository.
func (s *State) Label(who Identity, full, name string) (wire.Label, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadIssues)
	if err != nil {
		return wire.Label{}, err
	}
	l := r.label(name)
	if l == nil {
		return wire.Label{}, wire.NotFound()
	}
	return s.viewLabel(r, l), nil
}

// CreateLabel adds a label to a repository.
func (s *State) CreateLabel(who Identity, full string, in LabelEdit) (wire.Label, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, EditLabels)
	if err != nil {
		return wire.Label{}, err
	}
	if in.Name == nil {
		return wire.Label{}, wire.Invalid(wire.FieldError{Resource: "Label", Field: "name", Code: "missing_field"})
	}
	l := label{color: "ededed"}
	if err := l.edit(r, in); err != nil {
		return wire.Label{}, err
	}
	v := s.viewLabel(r, s.addLabel(r, l))
	s.event(who, r, "label", wire.Event{Action: "created", Label: &v}, r.fullName())
	return v, nil
}

// EditLabel changes a label of a repository.
func (s *State) EditLabel(who Identity, full, name string, in LabelEdit) (wire.Label, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, EditLabels)
	if err != nil {
		return wire.Label{}, err
	}
	l := r.label(name)
	if l == nil {
		return wire.Label{}, wire.NotFound()
	}
	was := *l
	if in.Name != nil && key(*in.Name) == key(l.name) {
		l.name, in.Name = *in.Name, nil // only the case changes
	}
	if err := l.edit(r, in); err != nil {
		return wire.Label{}, err
	}
	v := s.viewLabel(r, l)
	s.event(who, r, "label", wire.Event{Action: "edited", Label: &v, Changes: was.changes(l)}, r.fullName())
	return v, nil
}

// changes are what an event says of an edit: what was, where it is otherwise now.
func (l *label) changes(now *label) map[string]any {
	out := map[string]any{}
	for name, v := range map[string][2]string{"name": {l.name, now.name}, "color": {l.color, now.color}, "description": {l.description, now.description}} {
		if v[0] != v[1] {
			out[name] = map[string]any{"from": v[0]}
		}
	}
	return out
}

// DeleteLabel removes a label from a repository and from its issues.
func (s *State) DeleteLabel(who Identity, full, name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, EditLabels)
	if err != nil {
		return err
	}
	l := r.label(name)
	if l == nil {
		return wire.NotFound()
	}
	v := s.viewLabel(r, l)
	same := func(x *label) bool { return x == l }
	r.labels = slices.DeleteFunc(r.labels, same)
	for _, i := range r.issues {
		i.labels = slices.DeleteFunc(i.labels, same)
	}
	s.event(who, r, "label", wire.Event{Action: "deleted", Label: &v}, r.fullName())
	return nil
}

var colorForm = regexp.MustCompile(`^[0-9a-fA-F]{6}$`)

func (l *label) edit(r *repo, in LabelEdit) error {
	invalid := func(field, code string) error {
		return wire.Invalid(wire.FieldError{Resource: "Label", Field: field, Code: code})
	}
	next := *l
	if in.Name != nil {
		name := strings.TrimSpace(*in.Name)
		if name == "" || len(name) > 50 {
			return invalid("name", "invalid")
		}
		if r.label(name) != nil {
			return invalid("name", "already_exists")
		}
		next.name = name
	}
	if in.Color != nil {
		if !colorForm.MatchString(*in.Color) {
			return invalid("color", "invalid")
		}
		next.color = strings.ToLower(*in.Color)
	}
	if in.Description != nil {
		next.description = *in.Description
	}
	*l = next
	return nil
}

func (s *State) viewLabels(r *repo, labels []*label) []wire.Label {
	out := make([]wire.Label, len(labels))
	for i, l := range labels {
		out[i] = s.viewLabel(r, l)
	}
	return out
}

func (s *State) viewLabel(r *repo, l *label) wire.Label {
	return wire.Label{
		ID: l.id, NodeID: wire.NodeID("Label", l.id), Name: l.name, Color: l.color, Default: l.standard,
		Description: optional(l.description),
		URL:         s.base.API("/repos/%s/labels/%s", wire.EscapePath(r.fullName()), wire.EscapePath(l.name)),
	}
}
