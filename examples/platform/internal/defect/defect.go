// Package defect names the faults that can be planted in crew on purpose, so that a test suite can
// show that it notices them.
package defect

import (
	"fmt"
	"slices"
	"strings"
)

// Name is one seeded fault; None is crew as it should be.
type Name string

// The seeded faults.
const (
	None                 Name = ""
	SchemaCheckKilled    Name = "schema-check-killed"   // validation never fails
	LabelDespiteFailure  Name = "label-despite-failure" // labels are set though validation failed
	AnyLabelTriggers     Name = "any-label-triggers"    // dispatch does not look which label it was
	PushesAnywhere       Name = "pushes-anywhere"       // the agent's branch is pushed whatever its name
	EnvironmentLeaks     Name = "environment-leaks"     // the agent gets the job's environment too
	ForkFlagLost         Name = "fork-flag-lost"        // a pull request from a fork is taken for one of the repository
	UnauthorisedAccepted Name = "unauthorised-accepted" // dispatch does not look who sent the event
)

// Parse returns the fault called s, or an error that names them all.
func Parse(s string) (Name, error) {
	known := []string{string(SchemaCheckKilled), string(LabelDespiteFailure), string(AnyLabelTriggers), string(EnvironmentLeaks), string(PushesAnywhere),
		string(ForkFlagLost), string(UnauthorisedAccepted)}
	if s != "" && !slices.Contains(known, s) {
		return None, fmt.Errorf("unknown defect %q; known: %s", s, strings.Join(known, ", "))
	}
	return Name(s), nil
}
