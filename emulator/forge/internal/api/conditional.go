package api

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"time"
)

// dated is a body that knows when it changed last.
type dated interface{ LastModified() time.Time }

// validate gives an answer its validators and, where the client has the same already, makes it 304.
// See https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#use-conditional-requests-if-appropriate.
func (a *API) validate(c *call, ans *answer, data []byte, now time.Time) {
	if ans.status != http.StatusOK || c.Method != http.MethodGet && c.Method != http.MethodHead {
		return
	}
	tag := a.tag(c, data)
	c.header["Etag"] = []string{tag}
	c.header["Cache-Control"] = a.forOne
	if c.who.Anonymous() {
		c.header["Cache-Control"] = a.forAll
	}
	c.header["Vary"] = a.vary
	var modified time.Time
	if d, found := ans.body.(dated); found {
		modified = d.LastModified()
	}
	if !modified.IsZero() {
		c.header.Set("Last-Modified", modified.UTC().Format(http.TimeFormat))
	}
	if known := c.Header["If-None-Match"]; len(known) > 0 {
		if matches(known, tag) {
			ans.status = http.StatusNotModified
		}
		return // the other condition does not count then
	}
	since, err := http.ParseTime(c.Header.Get("If-Modified-Since"))
	// What changed in this second may change again in it, and its time would be the same.
	if err == nil && !modified.IsZero() && !modified.After(since) && modified.Before(now) {
		ans.status = http.StatusNotModified
	}
}

// tag is the weak entity tag of a body as one actor gets it in one form.
func (a *API) tag(c *call, data []byte) string {
	h := sha256.New()
	h.Write(data)
	h.Write([]byte("\n" + c.who.Login + "\n" + c.media.shown))
	var sum [sha256.Size]byte
	text := make([]byte, 0, 2*len(sum)+4)
	text = append(text, `W/"`...)
	text = hex.AppendEncode(text, h.Sum(sum[:0]))
	return string(append(text, '"'))
}

// matches compares weakly, as for If-None-Match.
func matches(known []string, tag string) bool {
	tag = strings.TrimPrefix(tag, "W/")
	for _, line := range known {
		for one := range strings.SplitSeq(line, ",") {
			if one = strings.TrimSpace(one); one == "*" || strings.TrimPrefix(one, "W/") == tag {
				return true
			}
		}
	}
	return false
}
