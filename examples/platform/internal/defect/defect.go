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
	None                    Name = ""
	SchemaCheckKilled       Name = "schema-check-killed"            // validation never fails
	LabelDespiteFailure     Name = "label-despite-failure"          // labels are set though validation failed
	AnyLabelTriggers        Name = "any-label-triggers"             // dispatch does not look which label it was
	PushesAnywhere          Name = "pushes-anywhere"                // the agent's branch is pushed whatever its name
	EnvironmentLeaks        Name = "environment-leaks"              // the agent gets the job's environment too
	ForkFlagLost            Name = "fork-flag-lost"                 // a pull request from a fork is taken for one of the repository
	UnauthorisedAccepted    Name = "unauthorised-accepted"          // dispatch does not look who sent the event
	KillSwitchIgnored       Name = "kill-switch-ignored"            // dispatch does not look at the kill switch
	DisabledAgentDispatched Name = "disabled-agent-dispatched"      // dispatch does not look whether an agent is enabled
	TriggerOnUnlabelled     Name = "trigger-on-unlabelled"          // taking a label off counts as putting it on
	DenialSilent            Name = "denial-silent"                  // a denial leaves no reason
	RoleLookupErrorAccepted Name = "role-lookup-error-accepted"     // who cannot be looked up may write
	LoadFailureStopsAll     Name = "harness-load-failure-stops-all" // one bad harness keeps every agent from starting
	BaseNotMerged           Name = "base-not-merged"                // a harness's base is not read
)

// Names returns all of them.
func Names() []Name {
	return []Name{
		SchemaCheckKilled, LabelDespiteFailure, AnyLabelTriggers, EnvironmentLeaks, PushesAnywhere, ForkFlagLost, UnauthorisedAccepted,
		KillSwitchIgnored, DisabledAgentDispatched, TriggerOnUnlabelled, DenialSilent, RoleLookupErrorAccepted, LoadFailureStopsAll, BaseNotMerged,
	}
}

// Parse returns the fault called s, or an error that names them all.
func Parse(s string) (Name, error) {
	if s == "" || slices.Contains(Names(), Name(s)) {
		return Name(s), nil
	}
	var known []string
	for _, n := range Names() {
		known = append(known, string(n))
	}
	return None, fmt.Errorf("unknown defect %q; known: %s", s, strings.Join(known, ", "))
}
