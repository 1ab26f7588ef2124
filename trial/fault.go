package trial

import (
	"errors"
	"fmt"
	"slices"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/fault"
)

// checkFaults refuses faults that there are not, and those that nobody could have.
func (p *Prepared) checkFaults() error {
	if len(p.o.Faults) == 0 {
		return nil
	}
	for _, text := range p.o.Faults {
		if _, err := fault.Parse(text); err != nil {
			return err
		}
	}
	if p.o.Environment == nil && p.Config.Platform == "" {
		return errors.New("the suite has no platform: there is no forge that could have faults")
	}
	if !slices.Contains(p.env.Capabilities(), driver.FaultsCapability) {
		return fmt.Errorf("environment %s has no capability %q: it cannot be told to have faults", p.env.Name(), driver.FaultsCapability)
	}
	return nil
}
