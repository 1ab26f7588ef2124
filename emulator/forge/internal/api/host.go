package api

import (
	"net"
	"net/http"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// serves says what is found under a host name.
type serves int

const (
	servesAPI serves = 1 << iota
	servesGit
	servesUploads
)

// locate returns the path of a request as the router knows it, and what its host serves. The host
// chooses between the services of github.com only; no address is made of it.
func locate(r *http.Request) (path string, what serves) {
	path = r.URL.EscapedPath()
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	switch strings.ToLower(host) {
	case wire.APIHost:
		return path, servesAPI
	case wire.UploadHost:
		return path, servesAPI | servesUploads
	case wire.RawHost:
		return "/raw" + path, 0
	case wire.SiteHost:
		return path, servesGit
	}
	for _, root := range []string{"/api/v3", wire.UploadRoot} {
		if rest, found := strings.CutPrefix(path, root); found && (rest == "" || rest[0] == '/') {
			path = rest
			break
		}
	}
	return path, servesAPI | servesGit | servesUploads
}
