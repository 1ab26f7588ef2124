package api

import (
	"errors"
	"net/http"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/gitstore"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// guarded says which refs a push may not move, and why.
func (a *API) guarded(g gitCall, spool *gitstore.Spool) ([]gitstore.Guarded, error) {
	var out []gitstore.Guarded
	for _, branch := range g.only {
		out = append(out, gitstore.Guarded{Ref: "refs/heads/" + branch, When: "only"})
	}
	if len(a.State.ProtectedBranches(g.repo.FullName)) == 0 {
		return out, nil
	}
	moves, err := spool.Commands()
	if errors.Is(err, gitstore.ErrTooManyRefs) {
		return nil, wire.Unprocessable(err.Error())
	}
	if err != nil {
		return nil, err
	}
	for _, m := range moves {
		x := a.State.Guard(g.who, g.repo.FullName, m.Ref, m.Before, m.After)
		for _, why := range x.Always {
			out = append(out, gitstore.Guarded{Ref: m.Ref, When: "always", Reason: why})
		}
		if x.Force != "" {
			out = append(out, gitstore.Guarded{Ref: m.Ref, When: "forced", Reason: x.Force})
		}
		if x.Merges != "" {
			out = append(out, gitstore.Guarded{Ref: m.Ref, When: "merges", Reason: x.Merges})
		}
	}
	return out, nil
}

// guard refuses to move a branch against its protection.
func (a *API) guard(c *call, g *gitstore.Repo, repo state.Repo, ref, before, after string) error {
	x := a.State.Guard(c.who, repo.FullName, ref, before, after)
	why := x.Always
	if before != state.Zero && after != state.Zero {
		if x.Force != "" {
			if forward, err := g.IsAncestor(before, after); err != nil || !forward {
				why = append(why, x.Force)
			}
		}
		if x.Merges != "" {
			rel, err := g.Relate(lasting(c.Request), before, after)
			if err != nil {
				return err
			}
			if !rel.Linear {
				why = append(why, x.Merges)
			}
		}
	}
	if len(why) == 0 {
		return nil
	}
	return wire.Unprocessable(strings.Join(why, " "))
}

// ofFile is the refusal of guard as the contents API says it.
func ofFile(err error, isNew bool) error {
	var e *wire.Error
	if !errors.As(err, &e) {
		return err
	}
	verb := map[bool]string{true: "create", false: "update"}[isNew]
	return wire.NewError(http.StatusConflict, "Could not "+verb+" file: "+e.Message)
}

// summarize says in a branch how it is protected.
func summarize(v *wire.BranchProtection, p state.Protection) {
	v.Enabled = true
	if p.Checks == nil {
		return
	}
	v.Checks.Enforcement = map[bool]string{true: "everyone", false: "non_admins"}[p.Admins]
	for _, x := range p.Checks.Checks {
		one := wire.RequiredCheck{Context: x.Context}
		if x.App != 0 {
			one.AppID = &x.App
		}
		v.Checks.Contexts, v.Checks.Checks = append(v.Checks.Contexts, x.Context), append(v.Checks.Checks, one)
	}
}
