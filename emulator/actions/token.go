package actions

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// runtimeClaims are what ACTIONS_RUNTIME_TOKEN says: which job of which run its holder is.
type runtimeClaims struct {
	Run, Job        int64
	Repo            string
	Caches          []cacheScope // whose cache entries it may see, best first
	Issued, Expires time.Time
}

// tokenBody is the wire form. The official client takes the two ids from the scope that starts with
// Actions.Results (toolkit, packages/artifact, getBackendIdsFromToken).
type tokenBody struct {
	Scope   string `json:"scp"`
	Repo    string `json:"repository"`
	Caches  string `json:"ac,omitempty"` // JSON in JSON, as in GitHub's tokens
	Issuer  string `json:"iss"`
	Issued  int64  `json:"iat"`
	Expires int64  `json:"exp"`
}

var errToken = errors.New("the token is not valid")

const tokenHeader = `{"alg":"HS256","typ":"JWT"}`

// cacheScope lets a job see the cache entries of a ref, and with write make some.
type cacheScope struct {
	Ref        string `json:"Scope"`
	Permission int    // 1 to read, 2 to write
}

func (c cacheScope) writes() bool { return c.Permission&2 != 0 }

func signToken(key []byte, c runtimeClaims) (string, error) {
	scopes, err := json.Marshal(c.Caches)
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(tokenBody{
		Scope: fmt.Sprintf("Actions.Results:%d:%d", c.Run, c.Job), Repo: c.Repo, Issuer: "understudy", Caches: string(scopes),
		Issued: c.Issued.Unix(), Expires: c.Expires.Unix(),
	})
	if err != nil {
		return "", err
	}
	b64 := base64.RawURLEncoding
	signed := b64.EncodeToString([]byte(tokenHeader)) + "." + b64.EncodeToString(body)
	return signed + "." + signature(key, signed), nil
}

func readToken(key []byte, token string, now time.Time) (runtimeClaims, error) {
	end := strings.LastIndexByte(token, '.')
	if end < 0 || len(key) == 0 {
		return runtimeClaims{}, errToken
	}
	if !hmac.Equal([]byte(signature(key, token[:end])), []byte(token[end+1:])) {
		return runtimeClaims{}, errToken
	}
	header, body, _ := strings.Cut(token[:end], ".")
	b64 := base64.RawURLEncoding
	if header != b64.EncodeToString([]byte(tokenHeader)) {
		return runtimeClaims{}, errToken
	}
	raw, err := b64.DecodeString(body)
	if err != nil {
		return runtimeClaims{}, errToken
	}
	var b tokenBody
	if err := json.Unmarshal(raw, &b); err != nil {
		return runtimeClaims{}, errToken
	}
	c := runtimeClaims{Repo: b.Repo, Issued: time.Unix(b.Issued, 0), Expires: time.Unix(b.Expires, 0)}
	if err := json.Unmarshal([]byte(b.Caches), &c.Caches); b.Caches != "" && err != nil {
		return runtimeClaims{}, errToken
	}
	if _, err := fmt.Sscanf(b.Scope, "Actions.Results:%d:%d", &c.Run, &c.Job); err != nil || now.After(c.Expires) {
		return runtimeClaims{}, errToken
	}
	return c, nil
}

// signature is an HMAC in base64 without padding: clients strip a = from the end of an address.
func signature(key []byte, text string) string {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}
