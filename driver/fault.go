package driver

import "context"

// FaultsCapability is what a scenario requires that has the code host misbehave.
const FaultsCapability Capability = "faults"

// Faults tells the code host to misbehave as the real one does. Only a local environment can.
type Faults interface {
	// Inject puts a fault in force, in the text form of docs/guide/faults.md: "delivery.twice@issues.labeled".
	// One that there is not, or that is written wrongly, is an error that says what there is.
	Inject(ctx context.Context, fault string) error
	// Clear takes all faults out, also those that were in force from the start.
	Clear(ctx context.Context) error
}

func (u unassigned) Inject(context.Context, string) error { return u.refuse("faults") }

func (u unassigned) Clear(context.Context) error { return u.refuse("faults") }
