package policy

import "slices"

// Own tells whether Judge gives findings of that name; the others are made while a scenario runs,
// and judging again does not change them.
func Own(name string) bool {
	return slices.Contains([]string{UnclaimedOperation, UnexpectedRun, UnknownRoute, InternalError, IdleFault, UnreadOutput}, name)
}
