package cron

import "time"

// Between returns when the schedule is due after from and until to, at most limit times: the first ones. It is due
// once in each five minutes at most, GitHub's shortest interval: at the first of the minutes that it names there.
//
// A minute that the clocks of the time zone skip is due when they go on, once for all that were skipped. One
// that they show twice is due the first time; where the hour is `*`, both times.
func (s Schedule) Between(from, to time.Time, limit int) (due []time.Time) {
	if s.zone == nil {
		return nil
	}
	// The window in which from stands may have been used up before it.
	t, last := from.Truncate(window), time.Time{}
	for !t.After(to) && len(due) < limit {
		if !s.at(t) {
			t = s.later(t)
			continue
		}
		if w := t.Truncate(window); !w.Equal(last) {
			if last = w; t.After(from) {
				due = append(due, t)
			}
		}
		t = t.Add(time.Minute)
	}
	return due
}

// later is a minute after t that no minute between which is due precedes.
func (s Schedule) later(t time.Time) time.Time {
	local := t.In(s.zone)
	if s.onDay(local) && s.hour&(1<<local.Hour()) != 0 {
		return t.Add(time.Minute)
	}
	// Nothing is due in the rest of this hour, unless the clocks change in it.
	next := t.Add(time.Duration(60-local.Minute()) * time.Minute)
	if offset(next.In(s.zone)) != offset(local) {
		return t.Add(time.Minute)
	}
	return next
}

// at reports whether the schedule names the minute t.
func (s Schedule) at(t time.Time) bool {
	local := t.In(s.zone)
	if s.zone == time.UTC {
		return s.names(local)
	}
	skipped := offset(local) - offset(t.Add(-time.Minute).In(s.zone))
	for back := skipped; back >= time.Minute; back -= time.Minute {
		// As the clock would have been, had it not been put forward.
		if s.names(local.Add(-back).In(time.FixedZone("", int((offset(local))/time.Second)))) {
			return true
		}
	}
	return s.names(local) && (s.anyHour || !again(local))
}

// again reports whether the clocks showed this time before, since they were put back.
func again(local time.Time) bool {
	for _, back := range []time.Duration{30 * time.Minute, time.Hour, 2 * time.Hour} { // what zones put them back by
		before := local.Add(-back)
		if offset(before)-offset(local) == back {
			return true
		}
	}
	return false
}

func offset(local time.Time) time.Duration {
	_, seconds := local.Zone()
	return time.Duration(seconds) * time.Second
}

func (s Schedule) names(local time.Time) bool {
	return s.minute&(1<<local.Minute()) != 0 && s.hour&(1<<local.Hour()) != 0 && s.onDay(local)
}

// onDay looks at the month and at both days: with both given, one of them is enough.
func (s Schedule) onDay(local time.Time) bool {
	if s.month&(1<<local.Month()) == 0 {
		return false
	}
	day, weekday := s.day&(1<<local.Day()) != 0, s.weekday&(1<<local.Weekday()) != 0
	if s.anyDay || s.anyWeekday {
		return day && weekday
	}
	return day || weekday
}
