package state

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/internal/journal"
)

// ErrUnlike says that a state is not what an addition was made for.
var ErrUnlike = errors.New("the forge is not like the one that this was added to")

// Added is a repository with its issues, as it was added to a state that had none.
type Added struct {
	Last     map[string]int64
	Repo     RepoImage
	Issues   []IssueImage
	Comments []CommentImage
}

// Likeness is a digest of the image, equal for states that are alike in all but the times of their
// accounts and apps, the values of tokens, the cause of the step and the place in the journal.
func (im Image) Likeness() (string, error) {
	im.Journal, im.Mark = 0, ""
	im.Accounts, im.Tokens = slices.Clone(im.Accounts), slices.Clone(im.Tokens)
	for i := range im.Accounts {
		im.Accounts[i].Created = time.Time{}
	}
	im.Apps, im.Installs = slices.Clone(im.Apps), slices.Clone(im.Installs)
	for i := range im.Apps {
		im.Apps[i].Created = time.Time{}
	}
	for i := range im.Installs {
		im.Installs[i].Created, im.Installs[i].Updated = time.Time{}, time.Time{}
	}
	for i := range im.Tokens {
		im.Tokens[i].Digest, im.Tokens[i].Parent = "", ""
	}
	slices.SortFunc(im.Tokens, func(a, b TokenImage) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Login, b.Login)) })
	data, err := im.Encode()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// Added returns what the image has and old, an earlier one of the same state, has not: a repository
// with its issues. What else is new, changed or gone is an error that names it.
func (im Image) Added(old Image) (Added, error) {
	if len(old.Repos)+len(old.Hooks) > 0 {
		return Added{}, errors.New("there were repositories or hooks before")
	}
	d, _ := im.Since(old)
	if what := other(d); what != "" {
		return Added{}, fmt.Errorf("it made or changed %s", what)
	}
	if len(d.Repos) != 1 {
		return Added{}, fmt.Errorf("%d repositories were made, not one", len(d.Repos))
	}
	if slices.ContainsFunc(d.Repos[0].Releases, func(x Release) bool { return len(x.Assets) > 0 }) {
		return Added{}, errors.New("it made a release with assets")
	}
	return Added{Last: im.Last, Repo: d.Repos[0], Issues: d.Issues, Comments: d.Comments}, nil
}

// other names a part of the delta that Added does not have. What images learn to hold is another part
// until Added has it too.
func other(d Delta) string {
	d.Version, d.Journal, d.Mark, d.Last = 0, 0, "", nil
	d.Repos, d.Issues, d.Comments = nil, nil, nil
	for _, part := range []reflect.Value{reflect.ValueOf(d.Image), reflect.ValueOf(d)} {
		for i := range part.NumField() {
			if f := part.Type().Field(i); !f.Anonymous && !part.Field(i).IsZero() {
				return strings.ToLower(f.Name)
			}
		}
	}
	return ""
}

// Add puts an addition into a state of the given likeness, with the entries that came with it: their
// number and time, and the cause of those that have one, they get here. A state of another likeness is ErrUnlike.
func (s *State) Add(likeness string, in Added, entries []journal.Entry) error {
	ob := s.led.Open("addition of " + in.Repo.Name)
	defer ob.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	is, err := s.image().Likeness()
	if err != nil {
		return err
	}
	if is != likeness {
		return ErrUnlike
	}
	before := s.last
	if err := s.add(in); err != nil {
		clear(s.repos) // there were none
		s.last = before
		return fmt.Errorf("add repository: %w", err)
	}
	for _, e := range entries {
		e.Seq, e.Time, e.Copied = 0, time.Time{}, true
		if e.Cause != "" {
			e.Cause = s.mark
		}
		s.jour.Append(e)
	}
	return nil
}

func (s *State) add(in Added) error {
	s.last = map[noun]int64{}
	r := newReader(s)
	for _, a := range s.accounts {
		r.accounts[a.id] = a
	}
	im := Image{Last: in.Last, Repos: []RepoImage{in.Repo}, Issues: in.Issues, Comments: in.Comments}
	for _, step := range []func(Image) error{r.counters, r.readRepos, r.readIssues, r.readComments} {
		if err := step(im); err != nil {
			return err
		}
	}
	return nil
}
