package agent

import (
	"testing"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/world"
)

// TestAnswered: a request that nobody answered proves nothing, neither what an answer has nor what it lacks.
func TestAnswered(t *testing.T) {
	w := world.New(world.Options{Drivers: driver.Unassigned()})
	ctx := world.Into(t.Context(), w)
	for _, tt := range []struct {
		how    string
		status int
		body   string
		holds  bool
	}{
		{"contains", 200, "hello", true}, {"contains", 200, "bye", false}, {"contains", 0, "hello", false},
		{"does not contain", 503, "bye", true}, {"does not contain", 200, "hello", false}, {"does not contain", 0, "", false},
	} {
		err := answered(tt.how, "hello")(ctx, w, runResult{}, operationResult{Status: tt.status, Body: tt.body})
		if (err == nil) != tt.holds {
			t.Errorf("%s, status %d, body %q: %v", tt.how, tt.status, tt.body, err)
		}
	}
}
