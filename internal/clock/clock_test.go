package clock_test

import (
	"testing"
	"time"

	"github.com/understudy-dev/understudy/internal/clock"
)

func TestNowIsWholeAndNeverDecreases(t *testing.T) {
	base := time.Date(2026, 1, 2, 3, 4, 5, 1, time.UTC)
	times := []time.Time{base, base.Add(-time.Hour), base.Add(time.Second)}
	c := clock.New(func() time.Time { t := times[0]; times = times[1:]; return t })
	for i, want := range []string{"03:04:06", "03:04:06", "03:04:07"} {
		if got := c.Now(); got.Format("15:04:05") != want || got.Nanosecond() != 0 {
			t.Errorf("Now() number %d = %v, want %s", i, got, want)
		}
	}
}

func TestAdvance(t *testing.T) {
	base := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c := clock.New(func() time.Time { return base })
	c.Advance(time.Hour)
	c.Advance(-time.Hour)
	if got := c.Now(); !got.Equal(base.Add(time.Hour)) {
		t.Errorf("Now() = %v, want an hour after %v", got, base)
	}
	c.AdvanceTo(base)
	c.AdvanceTo(base.Add(3 * time.Hour))
	if now, added, wall := c.Now(), c.Advanced(), c.Wall(); !now.Equal(base.Add(3*time.Hour)) || added != 3*time.Hour || !wall.Equal(base) {
		t.Errorf("Now() = %v, Advanced() = %v, Wall() = %v", now, added, wall)
	}
}
