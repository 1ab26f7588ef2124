package actions

import "time"

// SetMinute changes how long a minute of timeout-minutes is. It must be called before the first event.
func SetMinute(e *Engine, d time.Duration) { e.minute = d }

// SignToken makes the ACTIONS_RUNTIME_TOKEN of a job of acme/app.
func SignToken(key []byte, run, job int64, expires time.Time) string {
	token, err := signToken(key, runtimeClaims{Run: run, Job: job, Repo: "acme/app", Expires: expires})
	if err != nil {
		panic(err)
	}
	return token
}
