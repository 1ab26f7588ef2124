package state

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// IssueSearch looks for issues and pull requests.
// https://docs.github.com/en/search-github/searching-on-github/searching-issues-and-pull-requests
type IssueSearch struct {
	Terms     []Term
	Sort      string // created (also ""), updated, comments, reactions
	Ascending bool
}

// Term is a word that is looked for, without a name, or a qualifier.
type Term struct {
	Name  string // lower case; "" is a word
	Value string
	Not   bool
	When  Period // of created, updated and closed
}

// Period is from one moment to another, which is not in it; a zero time bounds nothing.
type Period struct{ From, To time.Time }

func (s Period) holds(t time.Time) bool {
	return !t.IsZero() && !t.Before(s.From) && (s.To.IsZero() || t.Before(s.To))
}

// SearchIssues finds the issues that who can see and all terms hold of.
func (s *State) SearchIssues(who Identity, q IssueSearch) ([]wire.FoundIssue, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []*issue
	of := map[*issue]*repo{}
	repos, err := s.searched(who, q.Terms, ReadIssues)
	if err != nil {
		return nil, err
	}
	fields := fieldsOf(q.Terms, "title", "body", "comments")
	for _, r := range repos {
		for _, i := range r.issues {
			if !slices.ContainsFunc(q.Terms, func(t Term) bool { return t.holds(r, i, fields) == t.Not }) {
				found, of[i] = append(found, i), r
			}
		}
	}
	slices.SortFunc(found, func(a, b *issue) int {
		by := 0
		switch q.Sort {
		case "updated":
			by = a.updated.Compare(b.updated)
		case "comments":
			by = cmp.Compare(len(a.comments), len(b.comments))
		case "reactions":
			by = cmp.Compare(len(a.reacted()), len(b.reacted()))
		}
		if by = cmp.Or(by, a.created.Compare(b.created), cmp.Compare(a.id, b.id)); q.Ascending {
			return by
		}
		return -by
	})
	out := []wire.FoundIssue{}
	for _, i := range found {
		out = append(out, wire.FoundIssue{Issue: s.viewIssue(of[i], i), Body: i.body, Score: 1})
	}
	return out, nil
}

func (i *issue) reacted() []*reaction {
	if i.more == nil {
		return nil
	}
	return i.more.reactions
}

// fieldsOf are where words are looked for.
func fieldsOf(terms []Term, usual ...string) []string {
	var out []string
	for _, t := range terms {
		if t.Name == "in" {
			out = append(out, strings.Split(t.Value, ",")...)
		}
	}
	if out == nil {
		return usual
	}
	return out
}

// searched lists the repositories that who may search. One that is named and that he cannot see is an error.
func (s *State) searched(who Identity, terms []Term, need Need) ([]*repo, error) {
	for _, t := range terms {
		if r := s.repos[key(t.Value)]; t.Name == "repo" && !t.Not && (r == nil || s.roleFor(who, r) < Read) ||
			(t.Name == "org" || t.Name == "user") && !t.Not && s.accounts[key(t.Value)] == nil {
			return nil, wire.Invalid(wire.FieldError{Resource: "Search", Field: "q", Code: "invalid",
				Message: "The listed users and repositories cannot be searched either because the resources do not exist or you do not have permission to view them."})
		}
	}
	one := func(name string) []string {
		var out []string
		for _, t := range terms {
			if t.Name == name && !t.Not {
				out = append(out, key(t.Value))
			}
		}
		return out
	}
	names, owners := one("repo"), append(one("org"), one("user")...)
	var out []*repo
	for full, r := range s.repos {
		named := len(names)+len(owners) == 0 || slices.Contains(names, full) || slices.Contains(owners, key(r.owner.login))
		if named && s.roleFor(who, r) >= Read && s.allow(who, r, need) == nil {
			out = append(out, r)
		}
	}
	return out, nil
}

// holds reports whether a term, but for its negation, is true of an issue.
func (t Term) holds(r *repo, i *issue, fields []string) bool {
	switch t.Name {
	case "":
		return i.speaksOf(t.Value, fields)
	case "repo":
		return !t.Not || key(t.Value) == key(r.fullName())
	case "org", "user":
		return !t.Not || key(t.Value) == key(r.owner.login)
	case "archived":
		return r.archived == (t.Value == "true")
	case "in":
		return true
	case "is", "type", "state":
		return i.is(t.Value, r)
	case "label":
		return slices.ContainsFunc(strings.Split(t.Value, ","), func(name string) bool { return i.label(name) != nil })
	case "author":
		return key(t.Value) == key(i.author)
	case "assignee":
		return slices.ContainsFunc(i.assignees(), func(a string) bool { return key(a) == key(t.Value) })
	case "mentions":
		return i.mentions(t.Value)
	case "milestone":
		return i.milestone() != nil && key(i.milestone().title) == key(t.Value)
	case "no":
		return t.Value == "label" && len(i.labels) == 0 || t.Value == "assignee" && len(i.assignees()) == 0 || t.Value == "milestone" && i.milestone() == nil
	case "head":
		return i.pull != nil && strings.HasPrefix(i.pull.head.ref, t.Value)
	case "base":
		return i.pull != nil && i.pull.base.ref == t.Value
	case "created":
		return t.When.holds(i.created)
	case "updated":
		return t.When.holds(i.updated)
	case "closed":
		return t.When.holds(i.closed)
	}
	return false
}

// is reports whether a word of the qualifiers is, type and state fits.
func (i *issue) is(what string, r *repo) bool {
	switch what {
	case "issue":
		return i.pull == nil
	case "pr", "pull-request":
		return i.pull != nil
	case stateOpen, stateClosed:
		return i.state == what
	case "merged":
		return i.pull != nil && !i.pull.merged.IsZero()
	case "unmerged":
		return i.pull != nil && i.state == stateClosed && i.pull.merged.IsZero()
	case "draft":
		return i.pull != nil && i.pull.draft
	case "locked":
		return i.locked()
	case "unlocked":
		return !i.locked()
	case "public":
		return !r.private
	case "private":
		return r.private
	}
	return false
}

// speaksOf reports whether a word, or several together, stand in one of the fields.
func (i *issue) speaksOf(words string, fields []string) bool {
	in := func(text string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(words)) }
	for _, f := range fields {
		if f == "title" && in(i.title) || f == "body" && in(i.body) {
			return true
		}
		if f == "comments" && slices.ContainsFunc(i.comments, func(c *comment) bool { return in(c.body) }) {
			return true
		}
	}
	return false
}
