package state

import (
	"cmp"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// RepoSearch looks for repositories.
// https://docs.github.com/en/search-github/searching-on-github/searching-for-repositories
type RepoSearch struct {
	Terms     []Term
	Sort      string // "" is by how well they fit, then as updated; stars, forks, updated
	Ascending bool
	// Language returns the language that most of a repository is in, or "". It is called without the lock.
	Language func(Repo) string
}

// SearchRepos finds the repositories that who can see and all terms hold of, without their languages. Forks are found only
// when they are asked for.
func (s *State) SearchRepos(who Identity, q RepoSearch) ([]wire.FoundRepo, error) {
	found, err := s.matchRepos(who, q)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(r Repo) bool { return !q.speaks(r) }) // reads git
	s.mu.Lock()
	defer s.mu.Unlock()
	var left []*repo
	for _, p := range found {
		if r := s.repos[key(p.FullName)]; r != nil && r.id == p.ID {
			left = append(left, r)
		}
	}
	slices.SortFunc(left, q.compare)
	out := []wire.FoundRepo{}
	for _, r := range left {
		out = append(out, wire.FoundRepo{Repository: s.viewRepoFor(who, r), Score: 1})
	}
	return out, nil
}

// speaks reports whether a repository is in one of the languages that are looked for, and in none of those that are not.
func (q RepoSearch) speaks(r Repo) bool {
	var wanted, unwanted []string
	for _, t := range q.Terms {
		switch {
		case t.Name == "language" && t.Not:
			unwanted = append(unwanted, t.Value)
		case t.Name == "language":
			wanted = append(wanted, t.Value)
		}
	}
	if wanted == nil && unwanted == nil {
		return true
	}
	language := q.Language(r)
	is := func(name string) bool { return strings.EqualFold(name, language) }
	return (wanted == nil || slices.ContainsFunc(wanted, is)) && !slices.ContainsFunc(unwanted, is)
}

// matchRepos finds the repositories of which all terms but those about languages hold.
func (s *State) matchRepos(who Identity, q RepoSearch) ([]Repo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.searched(who, q.Terms, ReadMetadata)
	if err != nil {
		return nil, err
	}
	fields := fieldsOf(q.Terms, "name", "description", "topics")
	forks := slices.ContainsFunc(q.Terms, func(t Term) bool { return t.Name == "fork" && !t.Not })
	var found []Repo
	for _, r := range all {
		fails := func(t Term) bool { return t.Name != "language" && t.holdsOfRepo(r, fields) == t.Not }
		if (forks || r.parent == nil) && !slices.ContainsFunc(q.Terms, fails) {
			found = append(found, r.plain())
		}
	}
	return found, nil
}

// compare orders what was found. Nobody here gives stars, so that they are all alike.
func (q RepoSearch) compare(a, b *repo) int {
	by := 0
	switch q.Sort {
	case "":
		by = cmp.Compare(q.fit(a), q.fit(b))
	case "forks":
		by = cmp.Compare(len(a.forks), len(b.forks))
	}
	if by = cmp.Or(by, a.updated.Compare(b.updated), cmp.Compare(a.id, b.id)); q.Ascending && q.Sort != "" {
		return by
	}
	return -by
}

// fit is how many of the words stand in a name.
func (q RepoSearch) fit(r *repo) (n int) {
	for _, t := range q.Terms {
		if t.Name == "" && !t.Not && r.speaksOf(t.Value, []string{"name"}) {
			n++
		}
	}
	return n
}

// holdsOfRepo reports whether a term, but for its negation, is true of a repository.
func (t Term) holdsOfRepo(r *repo, fields []string) bool {
	switch t.Name {
	case "":
		return r.speaksOf(t.Value, fields)
	case "in":
		return true
	case "repo", "org", "user", "archived":
		return t.holds(r, nil, nil)
	case "topic":
		return slices.Contains(r.topics, key(t.Value))
	case "fork":
		return t.Value == "true" && !t.Not || r.parent != nil
	case "is":
		return r.private == (t.Value == "private")
	case "created":
		return t.When.holds(r.created)
	case "pushed":
		return t.When.holds(r.pushed)
	}
	return false
}

// speaksOf reports whether a word, or several together, stand in one of the fields.
func (r *repo) speaksOf(words string, fields []string) bool {
	in := func(text string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(words)) }
	return slices.ContainsFunc(fields, func(f string) bool {
		return f == "name" && in(r.name) || f == "description" && in(r.description) || f == "topics" && slices.ContainsFunc(r.topics, in)
	})
}
