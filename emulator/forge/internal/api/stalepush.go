package api

import (
	"bytes"
	"errors"
	"net/http"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
	"github.com/understudy-dev/understudy/internal/fault"
)

// beforePush is what the API showed of the refs that a push is about to move.
type beforePush struct {
	c    *call
	full string
	seen map[string]seen
}

// lookBefore reads what a push may change. Without the fault there is nothing to look at.
func (a *API) lookBefore(r *http.Request, g gitCall, spool *gitstore.Spool) (*beforePush, error) {
	if !a.Faults.Has(fault.StaleRead) {
		return nil, nil
	}
	moves, err := spool.Commands()
	if errors.Is(err, gitstore.ErrTooManyRefs) {
		return nil, nil // which is seen at once
	}
	if err != nil {
		return nil, err
	}
	plain := r.Clone(r.Context())
	plain.Header = http.Header{"Authorization": r.Header["Authorization"]} // the rest is for git
	b := &beforePush{c: &call{Request: plain, who: g.who, where: servesAPI}, full: g.repo.FullName, seen: map[string]seen{}}
	for _, m := range moves {
		for _, at := range b.paths(m.Ref) {
			a.look(b.c, at, b.seen)
		}
	}
	return b, nil
}

// paths are those by which the API shows a ref.
func (b *beforePush) paths(ref string) []string {
	repo := "/repos/" + wire.EscapePath(b.full)
	short := strings.TrimPrefix(ref, "refs/")
	out := []string{repo + "/git/ref/" + wire.EscapePath(short), repo + "/git/matching-refs/" + wire.EscapePath(short)}
	if branch, ok := strings.CutPrefix(ref, "refs/heads/"); ok {
		return append(out, repo+"/branches", repo+"/branches/"+wire.EscapePath(branch), repo+"/commits", repo+"/commits/"+wire.EscapePath(branch), repo+"/contents")
	}
	return append(out, repo+"/tags")
}

// keepPush remembers what a push has made different: that of the refs, and that the files that it brought to the
// default branch were absent.
func (a *API) keepPush(b *beforePush, g gitCall, moves []gitstore.RefMove) {
	if b == nil {
		return
	}
	pusher, now := b.c.who.Credential(), map[string]seen{}
	for _, m := range moves {
		for _, at := range b.paths(m.Ref) {
			a.look(b.c, at, now)
		}
	}
	for at, was := range b.seen {
		is, ok := now[at]
		if !ok || is.status == was.status && bytes.Equal(is.raw, was.raw) {
			continue
		}
		was.change, was.pusher = "push", pusher
		put(a, a.past.seen, at, was)
	}
	for _, m := range moves {
		if m.Ref != "refs/heads/"+g.repo.DefaultBranch {
			continue
		}
		for _, commit := range m.Commits {
			for _, file := range commit.Added {
				a.keepAbsent("/repos/"+wire.EscapePath(b.full)+"/contents/"+wire.EscapePath(file), seen{login: b.c.who.Login, change: "push", pusher: pusher})
			}
		}
	}
}
