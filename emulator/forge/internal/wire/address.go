// Package wire holds the JSON shapes of the GitHub dialect: what answers and webhook bodies look
// like, and the addresses in them. It holds no state and no rules.
//
// The shapes follow https://docs.github.com/en/rest, with one addition: a workflow run says in
// understudy_cause what started it.
package wire

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Base is the one source of every address in bodies: scheme and authority, no trailing slash.
type Base string

// API returns the address of an API path such as "/repos/acme/app".
func (b Base) API(format string, args ...any) string {
	return string(b) + "/api/v3" + fmt.Sprintf(format, args...)
}

// HTML returns the address of a page.
func (b Base) HTML(format string, args ...any) string {
	return string(b) + fmt.Sprintf(format, args...)
}

// Time is a time as GitHub writes it; the zero time is null.
type Time struct{ time.Time }

// MarshalJSON implements json.Marshaler.
func (t Time) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return []byte(`"` + t.UTC().Format(time.RFC3339) + `"`), nil
}

// NodeID returns the opaque global id of a thing.
func NodeID(kind string, id int64) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%s:%d", kind, id))
}

// EscapePath escapes each segment of a slash-separated path.
func EscapePath(p string) string {
	parts := strings.Split(p, "/")
	for i, s := range parts {
		parts[i] = url.PathEscape(s)
	}
	return strings.Join(parts, "/")
}
