// Package wire holds the JSON shapes of the GitHub dialect: what answers and webhook bodies look
// like, and the addresses in them. It holds no state and no rules.
//
// The shapes follow https://docs.github.com/en/rest, with one addition: a workflow run says in
// understudy_cause what started it.
package wire

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Base is the one source of every address in bodies and headers. The zero value has none.
type Base struct {
	site, api, raw, uploads, avatars string // no slash at the end
}

// github is the site whose API and raw files have hosts of their own.
const github = "https://github.com"

// The hosts of github.com that serve the API, raw files and uploads at their root.
const (
	APIHost    = "api.github.com"
	RawHost    = "raw.githubusercontent.com"
	UploadHost = "uploads.github.com"
)

// SiteHost is where github.com has pages and git, but no API.
const SiteHost = "github.com"

// ParseBase reads the address at which the outside sees the forge: https://github.com, whose API is
// at https://api.github.com, or any other scheme://host[:port], whose API is below it at /api/v3 as
// for GitHub Enterprise Server.
func ParseBase(public string) (Base, error) {
	bad := func(why string) (Base, error) {
		return Base{}, fmt.Errorf("public URL %q: %s; want scheme://host[:port], such as http://forge.localhost:8080, or %s", public, why, github)
	}
	u, err := url.Parse(public)
	switch {
	case err != nil:
		return bad("it is no URL")
	case u.Scheme != "http" && u.Scheme != "https":
		return bad("the scheme is neither http nor https")
	case u.User != nil:
		return Base{}, errors.New("public URL: it holds a user name; want scheme://host[:port]") // not shown: it may be a secret
	case !hostForm.MatchString(u.Hostname()) && net.ParseIP(u.Hostname()) == nil:
		return bad("the host is no name and no address")
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.ForceQuery || strings.Contains(public, "#"):
		return bad("there is more than scheme and host")
	}
	if p := u.Port(); p != "" || strings.HasSuffix(u.Host, ":") {
		if n, err := strconv.Atoi(p); err != nil || n < 1 || n > 65535 {
			return bad("the port is not between 1 and 65535")
		}
	}
	site := u.Scheme + "://" + strings.ToLower(u.Host)
	switch name := strings.ToLower(u.Hostname()); {
	case site == github:
		return Base{site: site, api: "https://" + APIHost, raw: "https://" + RawHost, uploads: "https://" + UploadHost, avatars: "https://avatars.githubusercontent.com"}, nil
	case name == SiteHost || strings.HasSuffix(name, "."+SiteHost) || strings.HasSuffix(name, ".githubusercontent.com"):
		return bad("GitHub's own name is only known as " + github)
	}
	return Base{site: site, api: site + "/api/v3", raw: site + "/raw", uploads: site + UploadRoot, avatars: site + "/avatars"}, nil
}

// UploadRoot is where a site that is not github.com takes the files of releases, as GitHub Enterprise Server does.
const UploadRoot = "/api/uploads"

// hostForm is a host name; an underscore is no part of the standard but of many container networks.
var hostForm = regexp.MustCompile(`^[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?$`)

// String returns the address of the site.
func (b Base) String() string { return b.site }

// API returns the address of an API path such as "/repos/acme/app"; "" is the API's root.
func (b Base) API(format string, args ...any) string {
	return b.api + fmt.Sprintf(format, args...)
}

// HTML returns the address of a page.
func (b Base) HTML(format string, args ...any) string {
	return b.site + fmt.Sprintf(format, args...)
}

// Raw returns the address of a file's bytes, given "/owner/name/ref/path".
func (b Base) Raw(format string, args ...any) string {
	return b.raw + fmt.Sprintf(format, args...)
}

// Uploads returns the address that takes the bytes of an API path.
func (b Base) Uploads(format string, args ...any) string {
	return b.uploads + fmt.Sprintf(format, args...)
}

// Avatar returns the address of an account's picture.
func (b Base) Avatar(id int64) string {
	return b.avatars + "/u/" + strconv.FormatInt(id, 10)
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
