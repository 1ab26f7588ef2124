package wire

import (
	"net/http"
	"strconv"
	"strings"
)

const docs = "https://docs.github.com/rest"

// Error is an error answer. It is also the error value that the state gives, so that a rule and
// its wording stand in one place.
type Error struct {
	Message string       `json:"message"`
	Errors  []FieldError `json:"errors,omitempty"`
	Docs    string       `json:"documentation_url"`
	Status  string       `json:"status"`
}

// FieldError says what is wrong with one field of a request.
type FieldError struct {
	Resource string `json:"resource"`
	Field    string `json:"field,omitempty"`
	Code     string `json:"code"` // missing, missing_field, invalid, already_exists, custom
	Message  string `json:"message,omitempty"`
}

// Error implements error.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Status + " " + e.Message)
	for _, f := range e.Errors {
		b.WriteString("; " + f.Resource + "." + f.Field + " " + f.Code)
		if f.Message != "" {
			b.WriteString(": " + f.Message)
		}
	}
	return b.String()
}

// Code returns the HTTP status.
func (e *Error) Code() int {
	n, err := strconv.Atoi(e.Status)
	if err != nil {
		return http.StatusInternalServerError
	}
	return n
}

// NewError returns an error answer.
func NewError(status int, message string) *Error {
	return &Error{Message: message, Docs: docs, Status: strconv.Itoa(status)}
}

// NotFound is the answer for what is absent, or hidden from who asks.
func NotFound() *Error { return NewError(http.StatusNotFound, "Not Found") }

// BadCredentials is the answer to a token that is not alive.
func BadCredentials() *Error { return NewError(http.StatusUnauthorized, "Bad credentials") }

// RequiresAuthentication is the answer to an anonymous request that needs somebody.
func RequiresAuthentication() *Error {
	return NewError(http.StatusUnauthorized, "Requires authentication")
}

// NotByIntegration is the answer to a token whose permissions do not suffice.
func NotByIntegration() *Error {
	return NewError(http.StatusForbidden, "Resource not accessible by integration")
}

// NotByToken is the answer to a fine-grained token whose permissions do not suffice.
func NotByToken() *Error {
	return NewError(http.StatusForbidden, "Resource not accessible by personal access token")
}

// Forbidden is the answer to a known actor who may not do this.
func Forbidden(message string) *Error { return NewError(http.StatusForbidden, message) }

// Archived is the answer to a change in an archived repository. A push to one is told otherwise.
func Archived() *Error { return Forbidden("Repository was archived so is read-only.") }

// NeedsAdmin is the answer to somebody who would have to be an administrator.
func NeedsAdmin() *Error { return Forbidden("Must have admin rights to Repository.") }

// Unprocessable is a 422 answer with a message of its own.
func Unprocessable(message string) *Error {
	return NewError(http.StatusUnprocessableEntity, message)
}

// Invalid is the 422 answer that names fields.
func Invalid(fields ...FieldError) *Error {
	e := Unprocessable("Validation Failed")
	e.Errors = fields
	return e
}

// Unsupported is the answer to what this dialect does not speak. It is never mistaken for GitHub's.
func Unsupported(what string) *Error {
	return NewError(http.StatusNotImplemented, "understudy: not supported: "+what)
}
