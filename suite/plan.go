package suite

import (
	"errors"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/suite/feature"
)

// PlanOptions say which scenarios are to run. The zero value selects all of them.
type PlanOptions struct {
	Tags         string              // tag expression, such as "@triage and not @slow"; "" selects all
	Environment  string              // name; scenarios tagged @skip:NAME are skipped in it
	Capabilities []driver.Capability // what the environment offers
	Known        []driver.Capability // every name a scenario may ask for, besides those offered
}

// Planned is a plan: what runs, and what is skipped and why, in file order.
type Planned struct {
	Scenarios []PlannedScenario
}

// PlannedScenario is one selected scenario. Skip is the reason why it will not run; "" runs it.
type PlannedScenario struct {
	feature.Scenario
	Skip string
}

// Plan selects scenarios. Only the plan skips: a scenario that asks for a capability that the
// environment does not offer stays in the plan, with the reason. Asking for a name that nobody
// knows is an error; so is a plan with nothing to run (ErrNothingSelected).
func Plan(files []feature.File, o PlanOptions) (Planned, error) {
	return Planned{}, errors.New("not there yet")
}
