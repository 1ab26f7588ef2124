// Package driver holds the contracts of everything a scenario may use, and the values that pass
// through them. It imports only the standard library; implementations and users meet here.
//
// Every method that can block takes a context first. What is absent is ErrNotFound; what a driver
// cannot do is ErrUnsupported. Values are plain structs without behaviour. Implementations are safe
// for use by several goroutines unless their documentation says otherwise.
package driver

import (
	"errors"
	"io/fs"
)

var (
	// ErrNotFound says that the thing asked for does not exist, or is hidden from the actor.
	ErrNotFound = errors.New("not found")
	// ErrUnsupported says that this driver cannot do what was asked. A scenario that needs it is
	// tagged @requires:capability:NAME.
	ErrUnsupported = errors.New("unsupported by this environment")
	// ErrDenied says that the actor is known but may not do this.
	ErrDenied = errors.New("permission denied")
	// ErrConflict says that the thing exists already, or has moved since it was read.
	ErrConflict = errors.New("conflict")
	// ErrUnknownActor says that the platform file names no such actor.
	ErrUnknownActor = errors.New("unknown actor")
)

// Capability is a named ability of an environment, such as "forge.fork" or "browser".
type Capability string

// Cause names what brought something about: "step:3", "event:41", "run:5", "job:7". Empty means
// unattributed; it is never guessed.
type Cause string

// Set is what one lease hands to a scenario. No field is nil: what an environment lacks is filled
// by Unassigned.
type Set struct {
	Forge     Forge
	Ledger    Ledger
	Journal   Journal
	Marker    Marker
	Keeper    Keeper
	Faults    Faults
	Clock     Clock
	Tracker   Tracker
	Poller    Poller
	Launcher  Launcher
	Installer Installer
	Platform  Platform
	Place     Place
	Fixtures  fs.FS // the suite's fixtures; never nil
}

// Place is what a lease is called and where it may keep files.
type Place struct {
	Org  string // organisation or owner that the lease's repositories live under
	Repo string // leased name of the repository under test, such as "test-repo-01"
	Dir  string // directory of this lease alone; removed on release

	// Shared is that the repository outlives the lease, so that the next scenario meets what this one leaves in it.
	Shared bool
}
