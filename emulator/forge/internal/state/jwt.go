package state

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// The longest that a JSON Web Token of an app may live, and how far clocks may differ.
// https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
const (
	jwtLife  = 10 * time.Minute
	jwtDrift = time.Minute
)

// undecodable is the answer to what is no JSON Web Token of an app.
func undecodable() error {
	return wire.NewError(http.StatusUnauthorized, "A JSON web token could not be decoded")
}

// jwt is a JSON Web Token whose signature nobody has looked at yet.
type jwt struct {
	issuer    string
	issued    json.Number
	expires   json.Number
	signed    string
	signature []byte
}

// parseJWT reads what an app proves itself with; only RS256 is taken.
func parseJWT(value string) (jwt, error) {
	head, rest, _ := strings.Cut(value, ".")
	body, sig, found := strings.Cut(rest, ".")
	if !found || len(value) > 8192 {
		return jwt{}, undecodable()
	}
	var header struct {
		Alg string `json:"alg"`
	}
	var claims struct {
		Issuer  any         `json:"iss"`
		Issued  json.Number `json:"iat"`
		Expires json.Number `json:"exp"`
	}
	signature, err := base64.RawURLEncoding.DecodeString(sig)
	if err != nil || decodePart(head, &header) != nil || header.Alg != "RS256" || decodePart(body, &claims) != nil {
		return jwt{}, undecodable()
	}
	t := jwt{issued: claims.Issued, expires: claims.Expires, signed: head + "." + body, signature: signature}
	switch iss := claims.Issuer.(type) {
	case string:
		t.issuer = iss
	case json.Number:
		t.issuer = iss.String()
	}
	return t, nil
}

func decodePart(text string, into any) error {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return err
	}
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	return dec.Decode(into)
}

func (t jwt) verify(key *rsa.PublicKey) error {
	sum := sha256.Sum256([]byte(t.signed))
	if rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], t.signature) != nil {
		return undecodable()
	}
	return nil
}

// current holds the token's times to GitHub's rules.
func (t jwt) current(now time.Time) error {
	refuse := func(why string) error { return wire.NewError(http.StatusUnauthorized, why) }
	expires, err := strconv.ParseFloat(t.expires.String(), 64)
	if end := time.Unix(int64(expires), 0); err != nil || !end.After(now) {
		return refuse("'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires")
	} else if end.After(now.Add(jwtLife + jwtDrift)) {
		return refuse("'Expiration time' claim ('exp') is too far in the future")
	}
	issued, err := strconv.ParseInt(t.issued.String(), 10, 64)
	if err != nil || time.Unix(issued, 0).After(now.Add(jwtDrift)) {
		return refuse("'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued")
	}
	return nil
}

// IdentifyApp returns the app that a JSON Web Token belongs to.
func (s *State) IdentifyApp(value string) (Identity, error) {
	t, err := parseJWT(value)
	if err != nil {
		return Identity{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var a *app
	for _, x := range s.apps {
		if t.issuer == strconv.FormatInt(x.id, 10) || t.issuer == x.clientID() {
			a = x
		}
	}
	if a == nil {
		return Identity{}, wire.NewError(http.StatusNotFound, "Integration not found")
	}
	if err := t.verify(a.key); err != nil {
		return Identity{}, err
	}
	if err := t.current(s.wall()); err != nil {
		return Identity{}, err
	}
	return Identity{Login: a.bot.login, app: a}, nil
}
