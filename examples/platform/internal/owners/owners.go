// Package owners reads the files OWNERS and OWNERS_ALIASES, by which a repository says who answers for it.
// See https://www.kubernetes.dev/docs/guide/owners/.
package owners

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"example.com/crew/internal/defect"
	"example.com/crew/internal/yamldoc"
)

// The two files, at the top of the repository.
const (
	File    = "OWNERS"
	Aliases = "OWNERS_ALIASES"
)

// What somebody is in a repository. None is that the files do not name him.
const (
	None     = ""
	Reviewer = "reviewer"
	Approver = "approver"
)

// Owners are the people whom the files name, in lower case: logins are the same in either case.
type Owners struct {
	approvers, reviewers []string
	everyone             bool // a seeded defect
}

// list is OWNERS. What decides nothing here is known all the same, so that a slip of the pen is found.
type list struct {
	Approvers []string `yaml:"approvers"`
	Reviewers []string `yaml:"reviewers"`

	Labels            []string       `yaml:"labels"`
	Options           map[string]any `yaml:"options"`
	EmeritusApprovers []string       `yaml:"emeritus_approvers"`
	EmeritusReviewers []string       `yaml:"emeritus_reviewers"`
}

type aliases struct {
	Aliases map[string][]string `yaml:"aliases"`
}

// Load reads the files below a checkout. Neither has to be there; links do not lead out of it.
func Load(checkout string, d defect.Name) (Owners, error) {
	root, err := os.OpenRoot(checkout)
	if err != nil {
		return Owners{}, err
	}
	defer root.Close()
	var l list
	var a aliases
	if err := errors.Join(read(root, File, &l), read(root, Aliases, &a)); err != nil {
		return Owners{}, err
	}
	groups := map[string][]string{}
	for name, people := range a.Aliases {
		groups[strings.ToLower(name)] = lower(people)
	}
	if d == defect.OwnersAliasIgnored {
		groups = nil
	}
	return Owners{expand(l.Approvers, groups), expand(l.Reviewers, groups), d == defect.OwnersAcceptsAnyone}, nil
}

func read(root *os.Root, name string, into any) error {
	data, err := yamldoc.Read(root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		_, err = yamldoc.Decode(name, data, into)
	}
	return err
}

// expand puts the people of a group in the place of its name.
func expand(names []string, groups map[string][]string) (people []string) {
	for _, n := range lower(names) {
		if group, ok := groups[n]; ok {
			people = append(people, group...)
		} else {
			people = append(people, n)
		}
	}
	return people
}

func lower(names []string) (out []string) {
	for _, n := range names {
		out = append(out, strings.ToLower(n))
	}
	return out
}

// Of says what somebody is, by his login.
func (o Owners) Of(login string) string {
	login = strings.ToLower(login)
	switch {
	case o.everyone, slices.Contains(o.approvers, login):
		return Approver
	case slices.Contains(o.reviewers, login):
		return Reviewer
	}
	return None
}
