package actions

import "time"

// SetMinute changes how long a minute of timeout-minutes is. It must be called before the first event.
func SetMinute(e *Engine, d time.Duration) { e.minute = d }
