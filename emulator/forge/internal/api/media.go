package api

import (
	"net/http"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// The version of the API that is spoken, and the one that GitHub speaks besides.
// See https://docs.github.com/en/rest/about-the-rest-api/api-versions.
const (
	version     = "2022-11-28"
	nextVersion = "2026-03-10"
)

// checkVersion refuses a request for another version of the API.
func checkVersion(r *http.Request) error {
	switch v := first(r.Header["X-Github-Api-Version"]); v {
	case "", version:
		return nil
	case nextVersion:
		return wire.Unsupported("version " + v + " of the API; want " + version)
	default:
		return wire.NewError(http.StatusBadRequest, `The version you specified in the "X-GitHub-API-Version" request header, "`+v+
			`", is not a supported version. The following versions are currently supported: "`+version+`", "`+nextVersion+`" (most recent).`)
	}
}

// media is the form that a client wants an answer in.
type media struct {
	param string // raw, sha, …; "" is the usual form
	shown string // as in X-GitHub-Media-Type
}

// bytesMedia is the form in which an asset of a release is its bytes.
const bytesMedia = "octet-stream"

func plainMedia() media { return media{shown: "github.v3; format=json"} }

// mediaOf reads the Accept header: the first form that the dialect knows, or an error.
// See https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api#media-types.
func mediaOf(r *http.Request) (media, error) {
	lines := r.Header["Accept"]
	if len(lines) == 0 {
		return plainMedia(), nil
	}
	for _, line := range lines {
		for one := range strings.SplitSeq(line, ",") {
			one, _, _ = strings.Cut(one, ";")
			if m, known := parseMedia(strings.ToLower(strings.TrimSpace(one))); known {
				return m, nil
			}
		}
	}
	return plainMedia(), wire.NewError(http.StatusUnsupportedMediaType,
		"Unsupported 'Accept' header: '"+strings.Join(lines, ", ")+"'. Must accept 'application/json'.")
}

func parseMedia(s string) (media, bool) {
	switch s {
	case "", "*/*", "application/*", "application/json", "application/vnd.github+json", "application/vnd.github.v3+json":
		return plainMedia(), true
	}
	if s == "application/octet-stream" {
		return media{param: bytesMedia, shown: "github.v3; param=octet-stream"}, true
	}
	s, found := strings.CutPrefix(s, "application/vnd.github.")
	if !found {
		return media{}, s == "application/vnd.github"
	}
	s, json := strings.CutSuffix(s, "+json")
	if s == "v3" || s == "beta" {
		s = ""
	} else {
		s = strings.TrimPrefix(strings.TrimPrefix(s, "v3."), "beta.")
	}
	m := media{param: s, shown: "github.v3"}
	if s != "" {
		m.shown += "; param=" + s
	}
	if json {
		m.shown += "; format=json"
	}
	return m, true
}

// checkMedia refuses a form that GitHub has and this dialect has not, for this route at least. What
// GitHub has not either, such as the name of an old preview, changes nothing.
func checkMedia(rt route, m media) error {
	if m.param == "" || slices.Contains(rt.media, m.param) {
		return nil
	}
	switch m.param {
	case bytesMedia:
		return wire.NewError(http.StatusUnsupportedMediaType, "Unsupported 'Accept' header: 'application/octet-stream'. Must accept 'application/json'.")
	case "text", "html", "full", "diff", "patch", "base64":
		return wire.Unsupported("media type " + m.param + " of " + rt.method + " " + rt.pattern)
	}
	return nil
}

func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}
