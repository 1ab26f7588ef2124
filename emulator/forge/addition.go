package forge

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/internal/journal"
	"github.com/understudy-dev/understudy/internal/outline"
)

// ErrUnlike says that a forge is not like the one that an addition was made to.
var ErrUnlike = state.ErrUnlike

// Base is what a forge held at one moment, to tell later what was added: see Server.Addition.
type Base struct {
	image    state.Image
	likeness string
}

// Base returns what the forge holds now.
func (a *Admin) Base() (Base, error) {
	im := a.state.Image()
	likeness, err := im.Likeness()
	return Base{im, likeness}, err
}

// Likeness is equal for forges that are alike in all but times, the values of tokens and the journal.
func (b Base) Likeness() string { return b.likeness }

// Cause is what the kit's tokens acted for.
func (b Base) Cause() string { return b.image.Mark }

// Repositories reports whether there were any.
func (b Base) Repositories() bool { return len(b.image.Repos) > 0 }

// Runs reports whether there were runs of workflows.
func (b Base) Runs() bool { return len(b.image.Runs) > 0 }

// Addition is a repository that was added to a forge, with all that came with it: git objects, labels,
// variables, secrets in the clear, issues, journal entries. Any number of forges like that one can be
// given it with Admin.Add, at once as well, while its directory is there.
type Addition struct {
	dir      string // ID.git
	likeness string
	host     string // host and port of the forge that it was made on
	id       int64
	added    []byte // state.Added as JSON
	entries  []byte // []journal.Entry as JSON
}

// AdditionOptions say where an addition is kept, and what belongs to its first forge alone.
type AdditionOptions struct {
	Dir    string   // empty, and the caller's
	Tokens []string // may stand in secrets and variables, where Admin.Add replaces them
	Own    []string // may stand nowhere, such as the path of a directory
	Alone  bool     // nothing else went on since base: what has no cause, as a request to the door, is part of it
}

// Addition returns what was added to the forge since base, when it had no repositories then: one
// repository. It is an error that says why when there is more, when the forge's address or a text of
// the options is somewhere where it cannot be replaced, when something else than the step of base
// caused a part of it, or when it is not over. Ask when the ledger is quiet.
func (s *Server) Addition(ctx context.Context, base Base, o AdditionOptions) (*Addition, error) {
	if !s.enter() {
		return nil, errors.New("the forge is closed")
	}
	defer s.running.Done()
	a := s.admin
	im := a.state.Image()
	added, err := im.Added(base.image)
	if err != nil {
		return nil, err
	}
	out := &Addition{dir: o.Dir, likeness: base.likeness, host: strings.TrimPrefix(s.url, "http://"), id: added.Repo.ID}
	if out.added, err = json.Marshal(added); err != nil {
		return nil, err
	}
	// What an engine says of workflow files it will say again, when it hears of the copy.
	entries := slices.DeleteFunc(a.journal.Entries(base.image.Journal), func(e journal.Entry) bool { return outline.Ours(e.Type) })
	for _, e := range entries {
		if e.Cause != base.image.Mark && !(o.Alone && e.Cause == "") {
			return nil, fmt.Errorf("%s %s was not caused by it", e.Type, e.Subject)
		}
		if e.Seq > im.Journal && e.Kind == journal.Change {
			return nil, errors.New("it is not over")
		}
	}
	if out.entries, err = json.Marshal(entries); err != nil {
		return nil, err
	}
	if err := out.freeze(ctx, a.git, added, o); err != nil {
		return nil, err
	}
	return out, nil
}

// freeze copies the git objects, and looks for texts that nobody could replace in a copy.
func (x *Addition) freeze(ctx context.Context, git *gitstore.Store, added state.Added, o AdditionOptions) error {
	own := slices.Concat(o.Own, o.Tokens, []string{x.host})
	plain, coded := needles(o.Own), needles(nil)
	for _, text := range own {
		coded = append(coded, encodings(text)...)
	}
	for _, text := range append(plain, coded...) {
		if bytes.Contains(x.added, text) || bytes.Contains(x.entries, text) {
			return errors.New("what belongs to its place alone stands in it, or is encoded in it")
		}
	}
	all := append(needles(own), coded...)
	err := git.Objects(x.id, func(object gitstore.Object) error {
		for _, text := range all {
			if bytes.Contains(object.Data, text) {
				return fmt.Errorf("%s %s holds what belongs to its place alone: its address, a token or a path", object.Type, object.SHA)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	release := git.Hold(x.id)
	refs, err := git.Open(x.id).Refs()
	if err == nil {
		err = git.Freeze(x.id, x.dir)
	}
	release()
	if err != nil {
		return err
	}
	for ref, sha := range added.Repo.Refs {
		if refs[ref] != sha {
			return errors.New("it is not over")
		}
	}
	return git.Pack(ctx, x.id, x.dir)
}

func needles(texts []string) (out [][]byte) {
	for _, t := range texts {
		out = append(out, []byte(t))
	}
	return out
}

// encodings are what base64 of any text that holds the given one has in it.
func encodings(text string) (out [][]byte) {
	for skip := range 3 {
		padded := append(make([]byte, skip), text...)
		padded = padded[:len(padded)-len(padded)%3]
		for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			coded := enc.EncodeToString(padded)
			out = append(out, []byte(coded[min(len(coded), 4*((skip+2)/3)):]))
		}
	}
	return slices.DeleteFunc(out, func(b []byte) bool { return len(b) < 8 })
}

// Add gives the forge an addition, as if what made it had happened here and now: ids are the same,
// the entries of the journal come with it, and those that had a cause have the one that the kit's tokens act for. The texts
// that replace maps, and the address of the other forge, are replaced in all that is not git. A forge
// that is not like the other was is ErrUnlike, and unchanged.
func (a *Admin) Add(x *Addition, replace map[string]string) error {
	if err := a.addition(x, replace); err != nil {
		return fmt.Errorf("add a copy: %w", err)
	}
	return nil
}

func (a *Admin) addition(x *Addition, replace map[string]string) error {
	if a.server.keeper != nil {
		return errors.New("a forge that is kept takes no additions")
	}
	base, err := a.Base()
	if err != nil {
		return err
	}
	if base.likeness != x.likeness {
		return ErrUnlike
	}
	pairs := []string{x.host, strings.TrimPrefix(a.server.url, "http://")}
	for from, to := range replace {
		pairs = append(pairs, from, to)
	}
	words := strings.NewReplacer(pairs...)
	var added state.Added
	if err := json.Unmarshal([]byte(words.Replace(string(x.added))), &added); err != nil {
		return err
	}
	var entries []journal.Entry
	if err := json.Unmarshal([]byte(words.Replace(string(x.entries))), &entries); err != nil {
		return err
	}
	if err := a.git.Adopt(x.id, x.dir); err != nil {
		return err
	}
	if err := a.state.Add(x.likeness, added, entries); err != nil {
		return errors.Join(err, a.git.Remove(x.id))
	}
	return nil
}
