package conformance

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
)

// general is an answer that GitHub documents for the API as a whole. The description declares it for
// some operations only. An error that is neither declared nor here takes an exception with evidence.
type general struct {
	schema string
	page   string   // that says so
	says   []string // how its message begins; nil is anyhow
}

// admits reports whether an answer is of the kind that is documented.
func (g general) admits(body []byte) bool {
	if g.says == nil || body == nil {
		return true
	}
	var is struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal(body, &is); err != nil {
		return false
	}
	return slices.ContainsFunc(g.says, func(begin string) bool { return strings.HasPrefix(is.Message, begin) })
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
		http.StatusNotModified:           {page: best},
		http.StatusBadRequest:            {schema: "basic-error", page: versions, says: []string{"Problems parsing JSON", "Body should be a JSON", `The version you specified in the "X-GitHub-API-Version"`}},
		http.StatusUnauthorized:          {schema: "basic-error", page: credentials},
		http.StatusForbidden:             {schema: "basic-error", page: credentials},
		http.StatusNotFound:              {schema: "basic-error", page: trouble},
		http.StatusUnsupportedMediaType:  {schema: "basic-error", page: started},
		http.StatusUnprocessableEntity:   {schema: "validation-error", page: trouble, says: []string{"Validation Failed", "Invalid request."}},
		http.StatusTooManyRequests:       {schema: "basic-error", page: limits},
		http.StatusRequestEntityTooLarge: {schema: "basic-error", page: started},
	}
}
