package api

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// What a signed address can stand for.
const (
	signedLog      = "log"
	signedArtifact = "artifact"
	signedAsset    = "asset"
	signedLogs     = "logs" // with the number of an attempt: "logs3"
)

// signedFor is how long a signed address holds.
const signedFor = time.Minute

// redirect answers with a short-lived address that needs no token: clients drop the token when
// they follow a redirect, as GitHub leads to another host.
func (a *API) redirect(c *call, kind string, id int64) (answer, error) {
	until := a.Now().Add(signedFor).Unix()
	c.header.Set("Location", a.Base.HTML("/signed/%s/%d?until=%d&sig=%s", kind, id, until, a.sign(kind, id, until)))
	return answer{status: http.StatusFound}, nil
}

func (a *API) sign(kind string, id, until int64) string {
	m := hmac.New(sha256.New, a.key)
	fmt.Fprintf(m, "%s/%d/%d", kind, id, until)
	return hex.EncodeToString(m.Sum(nil))
}

// signed serves what a signed address stands for.
func (a *API) signed(c *call, path string) (answer, error) {
	kind, num, _ := strings.Cut(strings.TrimPrefix(path, "/signed/"), "/")
	id, err := strconv.ParseInt(num, 10, 64)
	q := c.URL.Query()
	until, err2 := strconv.ParseInt(q.Get("until"), 10, 64)
	if c.Method != http.MethodGet && c.Method != http.MethodHead || err != nil || err2 != nil {
		return answer{}, wire.NotFound()
	}
	if !hmac.Equal([]byte(q.Get("sig")), []byte(a.sign(kind, id, until))) || a.Now().Unix() > until {
		return answer{}, wire.Forbidden("The address is not signed, or no longer holds.")
	}
	if kind == signedLog {
		data, err := a.State.Log(id)
		if data == nil {
			data = []byte{}
		}
		return answer{status: http.StatusOK, raw: data, kind: "text/plain; charset=utf-8"}, err
	}
	if kind == signedAsset {
		return a.assetBytes(id)
	}
	if attempt, found := strings.CutPrefix(kind, signedLogs); found {
		return a.zipLogs(id, attempt)
	}
	r, err := a.OpenArtifact(id)
	if err != nil {
		return answer{}, wire.NotFound()
	}
	return answer{status: http.StatusOK, file: r, kind: "application/zip"}, nil
}
