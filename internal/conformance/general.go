package conformance

import "net/http"

// general is an answer that GitHub documents for the API as a whole. The description declares it for
// some operations only.
type general struct {
	schema string
	page   string // that says so
}

func generalAnswers() map[int]general {
	const (
		started     = "https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api"
		trouble     = "https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api"
		limits      = "https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api"
		best        = "https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api"
		versions    = "https://docs.github.com/en/rest/about-the-rest-api/api-versions"
		credentials = "https://docs.github.com/en/rest/authentication/authenticating-to-the-rest-api"
	)
	return map[int]general{
		http.StatusNotModified:           {"", best},
		http.StatusBadRequest:            {"basic-error", versions},
		http.StatusUnauthorized:          {"basic-error", credentials},
		http.StatusForbidden:             {"basic-error", credentials},
		http.StatusNotFound:              {"basic-error", trouble},
		http.StatusUnsupportedMediaType:  {"basic-error", started},
		http.StatusUnprocessableEntity:   {"validation-error", trouble},
		http.StatusTooManyRequests:       {"basic-error", limits},
		http.StatusRequestEntityTooLarge: {"basic-error", started},
	}
}
