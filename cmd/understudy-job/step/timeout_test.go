package step_test

import (
	"testing"
	"time"

	"github.com/understudy-dev/understudy/cmd/understudy-job/step"
)

func TestTimeLimits(t *testing.T) {
	const year = 365 * 24 * time.Hour
	for text, want := range map[string]time.Duration{
		"": 0, "0": 0, "0.9": 0, " 2 ": 2 * time.Minute, "1.9": time.Minute, "525600": year,
		"525601": year, "153722868": year, "2147483647": year, // as nanoseconds, the last two are more than an int64 holds
	} {
		t.Setenv(step.Timeout, text)
		if got, err := (step.Control{Dir: t.TempDir()}).TimeLimit(); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"main", "NaN", "Inf", "2147483648", "-1e99", "1 2"} {
		t.Setenv(step.Timeout, text)
		if got, err := (step.Control{Dir: t.TempDir()}).TimeLimit(); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}
