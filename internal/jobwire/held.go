package jobwire

// Held is what "understudy-job hold" reports, as one JSON line on its status descriptor, when the
// program it held has ended. Exactly one of NotStarted, Signal and (both empty) Code counts.
type Held struct {
	Code       int    `json:"code"`
	Signal     string `json:"signal,omitempty"` // "SIGKILL"
	NotStarted string `json:"not_started,omitempty"`
}
