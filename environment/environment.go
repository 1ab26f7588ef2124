// Package environment says what a place to run scenarios in is. environment/local is one.
package environment

import (
	"context"
	"io/fs"
	"log/slog"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/evidence"
)

// Environment is a kind of place to run scenarios in.
type Environment interface {
	Name() string
	Capabilities() []driver.Capability
	// Open prepares what all scenarios share. The caller closes the site.
	Open(ctx context.Context, s Scope) (Site, error)
}

// Scope is what a site is opened for.
type Scope struct {
	Seed     int64
	Dir      string // work directory of the run; the caller removes it after Close
	Platform Platform
	Faults   []string       // in force in each lease from the start, in the text form of docs/guide/faults.md
	Defect   string         // name of the seeded defect to install, "" for none
	Preset   *driver.Preset // on which each installation stands; nil is none
	Fixtures fs.FS          // the suite's fixtures root
	Log      *slog.Logger
	Scrubber *evidence.Scrubber // learns every secret that the site makes; nil learns none
	Progress func(text string)  // long preparations tell what they do; may be nil
}

// Site is an opened environment. It is safe for concurrent use.
type Site interface {
	// Lease gives a scenario its own place. It waits while places are scarce, until ctx ends.
	Lease(ctx context.Context, scenario string) (*Lease, error)
	// Close gives everything back. Leases that are still out are reclaimed and reported as an error.
	Close(ctx context.Context) error
	// Capacity is how many leases can be out at once.
	Capacity() int
}

// Lease is one scenario's place in a site. Release is called once; a second call is an error.
type Lease struct {
	Drivers *driver.Set
	Release func(ctx context.Context) error
}
