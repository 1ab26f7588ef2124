package tracker

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// store is all that the tracker knows. Its methods want mu held.
type store struct {
	mu          sync.Mutex
	base        string
	now         func() time.Time
	mark        string
	last        int64 // id
	lastComment int64

	accounts map[string]*Account
	tokens   map[[sha256.Size]byte]TokenSpec
	groups   []*group
	roles    []*role
	projects []*project
	issues   []*issue // in the order in which they were made
}

type group struct {
	id, name string
	members  []string // account ids
}

type role struct {
	id                int64
	name, description string
}

type project struct {
	id        int64
	key, name string
	private   bool
	last      int // issue's number
	actors    map[int64]*actors
}

// actors are who has a role in a project.
type actors struct{ groups, accounts []string }

type issue struct {
	id               int64
	project          *project
	number           int
	summary, kind    string
	description      json.RawMessage // a document, or nil
	labels           []string        // sorted
	creator          string
	created, updated time.Time
	comments         []*comment
	history          []change
	properties       map[string]json.RawMessage
}

type comment struct {
	id               int64
	author           string
	body             json.RawMessage // a document
	created, updated time.Time
}

// change is one edit: an entry of the changelog.
type change struct {
	id     int64
	author string
	at     time.Time
	items  []changed
}

type changed struct{ field, from, to string }

func newStore(base string, now func() time.Time) *store {
	s := &store{base: base, now: now, last: 10000, lastComment: 20000, accounts: map[string]*Account{}, tokens: map[[sha256.Size]byte]TokenSpec{}}
	s.addRole("Administrators", "A project role that represents administrators in a project")
	return s
}

func (s *store) next() int64 {
	s.last++
	return s.last
}

// nextComment counts comments by themselves, as Jira does: their ids say nothing of what came before a change.
func (s *store) nextComment() int64 {
	s.lastComment++
	return s.lastComment
}

func (s *store) addRole(name, description string) *role {
	r := &role{id: s.next(), name: name, description: description}
	s.roles = append(s.roles, r)
	return r
}

var projectKey = regexp.MustCompile(`^[A-Z][A-Z0-9_]{1,9}$`)

func (s *store) addProject(key, name string) (*project, error) {
	switch {
	case !projectKey.MatchString(key):
		return nil, fmt.Errorf("project keys must start with an uppercase letter, followed by one to nine uppercase alphanumeric characters; %q does not", key)
	case s.project(key) != nil:
		return nil, fmt.Errorf("a project with the key %s is there already", key)
	}
	if name == "" {
		name = key
	}
	p := &project{id: s.next(), key: key, name: name, actors: map[int64]*actors{}}
	s.projects = append(s.projects, p)
	return p, nil
}

// project finds a project by key or id; nil is none.
func (s *store) project(keyOrID string) *project {
	for _, p := range s.projects {
		if p.key == keyOrID || strconv.FormatInt(p.id, 10) == keyOrID {
			return p
		}
	}
	return nil
}

func (s *store) role(id string) *role {
	for _, r := range s.roles {
		if strconv.FormatInt(r.id, 10) == id {
			return r
		}
	}
	return nil
}

func (s *store) group(nameOrID string) *group {
	for _, g := range s.groups {
		if g.name == nameOrID || g.id == nameOrID {
			return g
		}
	}
	return nil
}

// sees reports whether an account may see a project's issues.
func (s *store) sees(who *Account, p *project) bool {
	if !p.private || who.Admin {
		return true
	}
	for _, a := range p.actors {
		if slices.Contains(a.accounts, who.ID) {
			return true
		}
		for _, name := range a.groups {
			if g := s.group(name); g != nil && slices.Contains(g.members, who.ID) {
				return true
			}
		}
	}
	return false
}

// issue finds one that an account may see, by key or id; nil is none. Keys are found in any case.
func (s *store) issue(who *Account, keyOrID string) *issue {
	for _, i := range s.issues {
		if (strings.EqualFold(i.key(), keyOrID) || strconv.FormatInt(i.id, 10) == keyOrID) && s.sees(who, i.project) {
			return i
		}
	}
	return nil
}

func (i *issue) key() string { return i.project.key + "-" + strconv.Itoa(i.number) }

func (i *issue) propertyKeys() []string { return slices.Sorted(maps.Keys(i.properties)) }

// stamp is how Jira writes a time.
func stamp(t time.Time) string { return t.Format("2006-01-02T15:04:05.000-0700") }
