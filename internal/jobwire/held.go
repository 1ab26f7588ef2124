package jobwire

// Held is what "understudy-job hold" reports as JSON lines on its status descriptor: at most one
// with Started, as soon as the program runs, and then one about its end, of which exactly one of
// NotStarted, Signal and (both empty) Code counts.
type Held struct {
	Started    bool   `json:"started,omitempty"`
	PID        int    `json:"pid,omitempty"` // with Started: of the program, whose process group it leads
	Code       int    `json:"code"`
	Signal     string `json:"signal,omitempty"` // "SIGKILL"
	NotStarted string `json:"not_started,omitempty"`
}
