package driver

import (
	"context"
	"fmt"
	"io/fs"
)

// Unassigned returns a Set whose every method answers ErrUnsupported. Environments start from it
// and replace what they have, so that steps never meet a nil.
func Unassigned() *Set {
	return &Set{
		Forge: unassigned{}, Ledger: unassigned{}, Journal: unassigned{}, Marker: unassigned{}, Keeper: unassigned{},
		Launcher: unassigned{}, Installer: unassigned{}, Faults: unassigned{}, Clock: unassigned{}, Tracker: unassignedTracker{}, Poller: unassigned{},
		Fixtures: unassigned{},
	}
}

type unassigned struct{}

func (unassigned) refuse(what string) error { return fmt.Errorf("%s: %w", what, ErrUnsupported) }

func (u unassigned) As(string) (Session, error) { return Session{}, u.refuse("forge") }

func (u unassigned) Wait(context.Context, uint64) (uint64, bool, error) {
	return 0, false, u.refuse("ledger")
}

func (unassigned) Pending() []string { return nil }

func (u unassigned) Entries(context.Context, uint64) ([]Entry, error) {
	return nil, u.refuse("journal")
}

func (u unassigned) Mark(context.Context, Cause, string) error { return u.refuse("marker") }

func (u unassigned) Start(context.Context, Spec) (Process, error) {
	return nil, u.refuse("launcher")
}

func (u unassigned) Enroll(context.Context, Enrollment) error { return u.refuse("installer") }

func (u unassigned) Install(context.Context, Repo) error { return u.refuse("installer") }

func (u unassigned) Remove(context.Context, Repo) error { return u.refuse("installer") }

func (u unassigned) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: u.refuse("fixtures")}
}
