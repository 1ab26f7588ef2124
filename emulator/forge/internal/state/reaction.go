package state

import (
	"slices"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

type reaction struct {
	id      int64
	login   string
	content string
	created time.Time
}

// ReactionContents are the reactions there are.
// https://docs.github.com/en/rest/reactions/reactions#about-reactions
func ReactionContents() []string {
	return []string{"+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"}
}

// Reacted is what somebody reacts to: an issue, or a comment.
type Reacted struct {
	Issue   int
	Comment int64
}

// reactions finds the reactions to an issue or a comment, to be changed.
func (s *State) reactions(who Identity, full string, to Reacted, need Need) (*repo, *issue, *[]*reaction, error) {
	if to.Comment != 0 {
		r, i, c, err := s.comment(who, full, to.Comment, need)
		if err != nil {
			return nil, nil, nil, err
		}
		return r, i, &c.reactions, nil
	}
	r, i, err := s.issue(who, full, to.Issue, need)
	if err != nil {
		return nil, nil, nil, err
	}
	if i.more == nil && need == ReadIssues {
		return r, i, &[]*reaction{}, nil
	}
	return r, i, &i.furnished().reactions, nil
}

// Reactions lists the reactions of a kind, or all for "".
func (s *State) Reactions(who Identity, full string, to Reacted, content string) ([]wire.Reaction, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _, all, err := s.reactions(who, full, to, ReadIssues)
	if err != nil {
		return nil, err
	}
	out := []wire.Reaction{}
	for _, x := range *all {
		if content == "" || content == x.content {
			out = append(out, s.viewReaction(x))
		}
	}
	return out, nil
}

// React adds a reaction; isNew is false when who has reacted so already.
func (s *State) React(who Identity, full string, to Reacted, content string) (v wire.Reaction, isNew bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(ReactionContents(), content) {
		return v, false, wire.Invalid(wire.FieldError{Resource: "Reaction", Field: "content", Code: "invalid"})
	}
	r, i, all, err := s.reactions(who, full, to, WriteIssues)
	if err != nil {
		return v, false, err
	}
	if err := s.speak(who, r, i); err != nil {
		return v, false, err
	}
	for _, x := range *all {
		if x.content == content && key(x.login) == key(who.Login) {
			return s.viewReaction(x), false, nil
		}
	}
	x := &reaction{id: s.nextID(nounReaction), login: who.Login, content: content, created: s.now()}
	*all = append(*all, x)
	s.led.Changed()
	return s.viewReaction(x), true, nil
}

// Unreact takes a reaction away, which is one's own unless one administers the repository.
func (s *State) Unreact(who Identity, full string, to Reacted, id int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, _, all, err := s.reactions(who, full, to, WriteIssues)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(*all, func(x *reaction) bool { return x.id == id })
	if at < 0 {
		return wire.NotFound()
	}
	if key((*all)[at].login) != key(who.Login) && s.roleFor(who, r) < Admin {
		return wire.NotFound()
	}
	*all = slices.Delete(*all, at, at+1)
	s.led.Changed()
	return nil
}

func (s *State) viewReaction(x *reaction) wire.Reaction {
	return wire.Reaction{ID: x.id, NodeID: wire.NodeID("Reaction", x.id), User: s.viewLogin(x.login), Content: x.content, CreatedAt: wire.Time{Time: x.created}}
}

// count adds up reactions.
func count(v *wire.Reactions, all []*reaction) {
	for _, x := range all {
		v.Total++
		switch x.content {
		case "+1":
			v.PlusOne++
		case "-1":
			v.MinusOne++
		case "laugh":
			v.Laugh++
		case "hooray":
			v.Hooray++
		case "confused":
			v.Confused++
		case "heart":
			v.Heart++
		case "rocket":
			v.Rocket++
		case "eyes":
			v.Eyes++
		}
	}
}
