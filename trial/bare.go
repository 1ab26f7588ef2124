package trial

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/environment"
	"github.com/understudy-dev/understudy/internal/ledger"
)

// bare is the environment of a suite without a platform. A lease has a directory, the fixtures and
// a ledger in which nothing is ever open; every other driver is unassigned and says so when used.
type bare struct{ capacity int }

func (bare) Name() string { return "bare" }

func (bare) Capabilities() []driver.Capability { return []driver.Capability{"ledger"} }

func (b bare) Open(_ context.Context, s environment.Scope) (environment.Site, error) {
	if b.capacity == 0 {
		b.capacity = 2 * runtime.NumCPU()
	}
	return bareSite{b, s}, nil
}

type bareSite struct {
	bare
	scope environment.Scope
}

func (s bareSite) Capacity() int               { return s.capacity }
func (s bareSite) Close(context.Context) error { return nil }

// Lease never waits: a suite runs at most as many scenarios at once as there are places, and a
// directory is all that one takes.
func (s bareSite) Lease(context.Context, string) (*environment.Lease, error) {
	dir, err := os.MkdirTemp(s.scope.Dir, "lease-")
	if err != nil {
		return nil, err
	}
	set := driver.Unassigned()
	set.Ledger = ledger.New()
	set.Forge, set.Installer = noForge{}, noInstaller{set.Installer}
	set.Place.Dir = dir
	if s.scope.Fixtures != nil {
		set.Fixtures = s.scope.Fixtures
	}
	var released atomic.Bool
	return &environment.Lease{Drivers: set, Release: func(context.Context) error {
		if released.Swap(true) {
			return errors.New("the lease was released twice")
		}
		return os.RemoveAll(dir)
	}}, nil
}

// noForge is what steps of the kit's own vocabulary meet first.
type noForge struct{}

func (noForge) As(string) (driver.Session, error) { return driver.Session{}, errNoForge() }

type noInstaller struct{ driver.Installer }

func (noInstaller) Enroll(context.Context, driver.Enrollment) error { return errNoForge() }

func errNoForge() error {
	return fmt.Errorf("there is no forge, because the suite names no platform file: %w", driver.ErrUnsupported)
}
