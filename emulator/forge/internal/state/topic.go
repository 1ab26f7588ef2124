package state

import (
	"regexp"
	"slices"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// maxTopics is how many topics a repository can have, as at GitHub.
const maxTopics = 20

// topicForm is what a topic can be.
// https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/classifying-your-repository-with-topics
var topicForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,49}$`)

// Topics lists what a repository is about.
func (s *State) Topics(who Identity, full string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, ReadMetadata)
	if err != nil {
		return nil, err
	}
	return r.viewTopics(), nil
}

func (r *repo) viewTopics() []string {
	if r.topics == nil {
		return []string{}
	}
	return slices.Clone(r.topics)
}

// SetTopics replaces the topics of a repository.
func (s *State) SetTopics(who Identity, full string, topics []string) ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.open(who, full, EditTopics)
	if err != nil {
		return nil, err
	}
	var next []string
	for _, t := range topics {
		t = key(t)
		if !topicForm.MatchString(t) {
			return nil, wire.Unprocessable("Topics must start with a lowercase letter or number, consist of 50 characters or less, and can include hyphens.")
		}
		if !slices.Contains(next, t) {
			next = append(next, t)
		}
	}
	if len(next) > maxTopics {
		return nil, wire.Unprocessable("A repository cannot have more than 20 topics.")
	}
	if !slices.Equal(next, r.topics) {
		was := r.viewTopics()
		r.topics, r.updated = next, s.now()
		s.event(who, r, "repository", wire.Event{Action: "edited", Changes: map[string]any{"topics": map[string]any{"from": was}}}, r.fullName())
	}
	return r.viewTopics(), nil
}
