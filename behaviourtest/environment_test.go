package behaviourtest_test

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/understudy-dev/understudy/behaviourtest"
	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/environment"
	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
)

// lab is an environment with a driver of its own.
type lab struct{}

func (lab) Name() string                      { return "lab" }
func (lab) Capabilities() []driver.Capability { return []driver.Capability{"lamp"} }
func (lab) Capacity() int                     { return 1 }
func (lab) Close(context.Context) error       { return nil }

func (l lab) Open(context.Context, environment.Scope) (environment.Site, error) { return l, nil }

func (lab) Lease(context.Context, string) (*environment.Lease, error) {
	set := driver.Unassigned()
	set.Place.Repo = "mine"
	set.Fixtures = fstest.MapFS{}
	set.Installer = lamp{}
	return &environment.Lease{Drivers: set, Release: func(context.Context) error { return nil }}, nil
}

type lamp struct{ driver.Installer }

func (lamp) Install(context.Context, driver.Repo) error { return nil }

// TestOwnEnvironment runs a suite with drivers that are not the kit's; nothing of the kit's is needed.
func TestOwnEnvironment(t *testing.T) {
	behaviourtest.RunSuite(t, behaviourtest.SuiteOptions{
		FeaturePaths: []string{"testdata/lab.feature"},
		Environment:  lab{},
		Packs: []suite.Pack{{Name: "lab", Steps: []suite.Step{{
			Pattern: `the lamp is installed in "([^"]*)"`, Doc: "Installs.", Example: `the lamp is installed in "mine"`,
			Do: func(ctx context.Context, repo string) error {
				w := world.From(ctx)
				if err := w.Drivers().Installer.Install(ctx, driver.Repo{}); err != nil {
					return err
				}
				return w.Expect(ctx, "place.repo", w.Drivers().Place.Repo, match.Equal(repo))
			},
		}}}},
	})
}
