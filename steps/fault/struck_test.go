package fault_test

import (
	"context"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/ledger"
	"github.com/understudy-dev/understudy/steps/fault"
	"github.com/understudy-dev/understudy/world"
)

// entries is a journal.
type entries []driver.Entry

func (e entries) Entries(context.Context, uint64) ([]driver.Entry, error) { return e, nil }

// TestStruck counts the strikes of one fault, and nothing else that is said of it.
func TestStruck(t *testing.T) {
	set := driver.Unassigned()
	l := ledger.New()
	set.Ledger = l
	set.Journal = entries{
		{Type: "fault.set", Detail: map[string]string{"fault": "delivery.late"}},
		{Type: "fault.struck", Detail: map[string]string{"fault": "delivery.late"}},
		{Type: "fault.struck", Detail: map[string]string{"fault": "delivery.twice"}},
		{Type: "fault.struck", Detail: map[string]string{"fault": "delivery.late"}},
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	ctx = world.Into(ctx, world.New(world.Options{Drivers: set}))
	struck, ok := fault.Pack.Steps[len(fault.Pack.Steps)-1].Do.(func(context.Context, string, int) error)
	if !ok {
		t.Fatal("the last step counts no strikes")
	}
	once, ok := fault.Pack.Steps[len(fault.Pack.Steps)-2].Do.(func(context.Context, string) error)
	if !ok {
		t.Fatal("the last step but one waits for no strike")
	}
	for name, want := range map[string]bool{"delivery.late": true, "api.cut": false} {
		if err := once(ctx, name); (err == nil) != want {
			t.Errorf("%s has struck: %v", name, err)
		}
	}
	for name, want := range map[string]int{"delivery.late": 2, "delivery.twice": 1, "api.cut": 0} {
		if err := struck(ctx, name, want); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := struck(ctx, name, want+1); err == nil {
			t.Errorf("%s struck %d times", name, want+1)
		}
	}
}
