// Package drivertest is the contract of package driver as a test: one body that every driver of a forge has
// to pass, whatever forge it speaks to. A module of one's own runs it over its own driver:
//
//	func TestContract(t *testing.T) {
//		drivertest.Run(t, func(t *testing.T) drivertest.Place {
//			return drivertest.Place{Forge: mine, Owner: "acme", Admin: "admin", Writer: "write", Outsider: "outsider",
//				WriterLogin: "wanda", OutsiderLogin: "oscar"}
//		})
//	}
//
// It is no test of what workflows do: of runs it asks only what there is to ask where none ran.
package drivertest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/driver"
)

// Place is where the contract is tried. Names of actors are what Forge.As takes.
type Place struct {
	Forge         driver.Forge
	Owner         string // organisation in which the admin may make and delete repositories
	Admin         string
	Writer        string // has the role write on every repository of the organisation
	Outsider      string // has no role
	WriterLogin   string
	OutsiderLogin string
	// Patience is how long a read may be behind a write: a fork's branches, a merge. Zero is that the forge
	// answers what was written.
	Patience time.Duration
}

// Run tries the contract; each part is a subtest in a repository of its own, which it deletes. open gives the
// place, once for each part, and closes it by t.Cleanup if need be.
func Run(t *testing.T, open func(t *testing.T) Place) {
	t.Helper()
	for _, part := range []struct {
		name string
		try  func(*trial)
	}{
		{"actors", actors}, {"repositories", repositories}, {"files", files}, {"members", members}, {"config", config}, {"labels", labels},
		{"issues", issues}, {"pull requests", pulls}, {"conflicts", conflicts}, {"reviews", reviews}, {"forks", forks}, {"runs", runs},
	} {
		t.Run(part.name, func(t *testing.T) {
			c := &trial{T: t, p: open(t)}
			c.admin, c.writer, c.outsider = c.as(c.p.Admin), c.as(c.p.Writer), c.as(c.p.Outsider)
			c.repo = driver.Repo{Owner: c.p.Owner, Name: "drivertest-" + strings.ToLower(rand.Text())}
			c.must(c.admin.Repos.Create(t.Context(), driver.NewRepo{Repo: c.repo, Description: "Made by a test.", AutoInit: true}))
			t.Cleanup(func() { c.delete(c.repo) })
			part.try(c)
		})
	}
}

// trial is one part being tried.
type trial struct {
	*testing.T
	p                       Place
	admin, writer, outsider driver.Session
	repo                    driver.Repo
}

func (c *trial) as(actor string) driver.Session {
	c.Helper()
	s, err := c.p.Forge.As(actor)
	if err != nil {
		c.Fatalf("as %s: %v", actor, err)
	}
	return s
}

func (c *trial) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

// refused checks that an error is the sentinel wanted.
func (c *trial) refused(what string, err, want error) {
	c.Helper()
	if !errors.Is(err, want) {
		c.Errorf("%s: got %v, want %v", what, err, want)
	}
}

func equal[T comparable](c *trial, what string, got, want T) {
	c.Helper()
	if got != want {
		c.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func sameSet(c *trial, what string, got []string, want ...string) {
	c.Helper()
	got = slices.Sorted(slices.Values(got))
	slices.Sort(want)
	if !slices.Equal(got, want) {
		c.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// eventually tries again as long as the place's patience lasts.
func (c *trial) eventually(what string, try func() error) {
	c.Helper()
	ctx, cancel := context.WithTimeout(c.Context(), c.p.Patience)
	defer cancel()
	for {
		err := try()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			c.Fatalf("%s: %v", what, err)
		case <-time.After(min(time.Second, c.p.Patience/10+time.Millisecond)):
		}
	}
}

func (c *trial) delete(r driver.Repo) {
	// The test's own context has ended by now.
	if err := c.admin.Repos.Delete(contextOf(c.T), r); err != nil && !errors.Is(err, driver.ErrNotFound) {
		c.Errorf("clean up: %v", err)
	}
}

func actors(c *trial) {
	_, err := c.p.Forge.As("nobody knows this actor")
	c.refused("an unknown actor", err, driver.ErrUnknownActor)
}

func repositories(c *trial) {
	ctx := c.Context()
	info, err := c.writer.Repos.Get(ctx, c.repo)
	c.must(err)
	equal(c, "repository", info.Repo, c.repo)
	equal(c, "parent", info.Parent, driver.Repo{})
	if info.DefaultBranch == "" || info.CloneURL == "" || info.Private {
		c.Errorf("repository %+v", info)
	}
	branches, err := c.writer.Repos.Branches(ctx, c.repo)
	c.must(err)
	sameSet(c, "branches", slices.Collect(maps.Keys(branches)), info.DefaultBranch)
	c.refused("a name that is taken", c.admin.Repos.Create(ctx, driver.NewRepo{Repo: c.repo}), driver.ErrConflict)
	if err := c.writer.Repos.Delete(ctx, c.repo); err == nil {
		c.Error("deleted by one who may only write")
	}
	gone := driver.Repo{Owner: c.repo.Owner, Name: c.repo.Name + "-gone"}
	_, err = c.admin.Repos.Get(ctx, gone)
	c.refused("a repository that is not there", err, driver.ErrNotFound)
	c.must(c.admin.Repos.Create(ctx, driver.NewRepo{Repo: gone, Private: true, AutoInit: true}))
	_, err = c.outsider.Repos.Get(ctx, gone)
	c.refused("a private one, to an outsider", err, driver.ErrNotFound)
	c.must(c.admin.Repos.Delete(ctx, gone))
	c.eventually("deleted", func() error {
		if _, err := c.admin.Repos.Get(ctx, gone); !errors.Is(err, driver.ErrNotFound) {
			return fmt.Errorf("still there: %w", err)
		}
		return nil
	})
}

func files(c *trial) {
	ctx := c.Context()
	sha, err := c.writer.Files.Commit(ctx, c.repo, driver.NewCommit{Message: "Two files", Files: []driver.NewFile{
		{Path: "a/b.txt", Content: []byte("one\x00two")}, {Path: "run.sh", Content: []byte("#!/bin/sh\n"), Executable: true},
	}})
	c.must(err)
	got, err := c.outsider.Files.Read(ctx, c.repo, "", "a/b.txt")
	c.must(err)
	equal(c, "content", string(got), "one\x00two")
	_, err = c.writer.Files.Commit(ctx, c.repo, driver.NewCommit{Branch: "side/one", New: true, Message: "Away", Files: []driver.NewFile{{Path: "run.sh"}}})
	c.must(err)
	_, err = c.writer.Files.Read(ctx, c.repo, "side/one", "run.sh")
	c.refused("a file that was deleted", err, driver.ErrNotFound)
	_, err = c.writer.Files.Read(ctx, c.repo, sha, "run.sh")
	c.must(err)
	branches, err := c.writer.Repos.Branches(ctx, c.repo)
	c.must(err)
	if branches["side/one"] == "" || branches["side/one"] == sha {
		c.Errorf("branches %v", branches)
	}
	_, err = c.writer.Files.Commit(ctx, c.repo, driver.NewCommit{Branch: "side/one", New: true, Message: "Again", Files: []driver.NewFile{{Path: "x", Content: []byte("x")}}})
	c.refused("a new branch that is there", err, driver.ErrConflict)
	_, err = c.writer.Files.Commit(ctx, c.repo, driver.NewCommit{Branch: "nowhere", Message: "m", Files: []driver.NewFile{{Path: "x", Content: []byte("x")}}})
	c.refused("a branch that is not there", err, driver.ErrNotFound)
	if _, err := c.outsider.Files.Commit(ctx, c.repo, driver.NewCommit{Message: "m", Files: []driver.NewFile{{Path: "x", Content: []byte("x")}}}); err == nil {
		c.Error("committed by an outsider")
	}
}

func members(c *trial) {
	ctx := c.Context()
	role, err := c.admin.Members.Role(ctx, c.repo, c.p.WriterLogin)
	c.must(err)
	equal(c, "role of the writer", role, "write")
	if err := c.writer.Members.SetRole(ctx, c.repo, c.p.WriterLogin, "admin"); err == nil {
		c.Error("a writer made himself admin")
	}
}

func config(c *trial) {
	ctx := c.Context()
	c.must(c.admin.Config.SetVariable(ctx, c.repo, "COLOUR", "red"))
	c.must(c.admin.Config.SetVariable(ctx, c.repo, "COLOUR", "blue"))
	all, err := c.admin.Config.Variables(ctx, c.repo)
	c.must(err)
	if !maps.Equal(all, map[string]string{"COLOUR": "blue"}) {
		c.Errorf("variables %v", all)
	}
	c.must(c.admin.Config.SetSecret(ctx, c.repo, "KEY", "first"))
	c.must(c.admin.Config.SetSecret(ctx, c.repo, "KEY", "second"))
	if err := c.outsider.Config.SetVariable(ctx, c.repo, "COLOUR", "black"); err == nil {
		c.Error("set by an outsider")
	}
}

func labels(c *trial) {
	ctx := c.Context()
	l := driver.Label{Name: "a label/with: all", Color: "0e8a16", Description: "first"}
	c.must(c.writer.Labels.Set(ctx, c.repo, l))
	l.Color = "ffffff"
	c.must(c.writer.Labels.Set(ctx, c.repo, l))
	if err := c.outsider.Labels.Set(ctx, c.repo, driver.Label{Name: "mine", Color: "000000"}); err == nil {
		c.Error("set by an outsider")
	}
}
