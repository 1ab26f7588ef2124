package actions

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/understudy-dev/understudy/internal/journal"
)

// IdentityPattern is the pattern of http.ServeMux that IdentityService answers.
const IdentityPattern = identityPrefix + "/"

const (
	identityPrefix = "/_oidc"
	idTokenLife    = 5 * time.Minute
	keyBits        = 2048
)

// IdentityService returns the issuer of id-tokens for this engine's jobs: discovery, keys, and the
// address at which a job with `permissions: {id-token: write}` asks for a token. It is mounted under
// IdentityPattern at Options.ServerURL. A token is signed with RS256, holds the claims that GitHub's has,
// and is given only while its job runs.
//
// https://docs.github.com/en/actions/reference/security/oidc
func (e *Engine) IdentityService() http.Handler { return e.identity }

// identity is the issuer. Its key is made when it is first needed: that takes a while.
type identity struct {
	e    *Engine
	mux  *http.ServeMux
	make func() (*rsa.PrivateKey, error)
}

func newIdentity(e *Engine) *identity {
	i := &identity{e: e, mux: http.NewServeMux(), make: sync.OnceValues(func() (*rsa.PrivateKey, error) {
		return rsa.GenerateKey(rand.Reader, keyBits)
	})}
	i.mux.HandleFunc("GET "+identityPrefix+"/.well-known/openid-configuration", i.discover)
	i.mux.HandleFunc("GET "+identityPrefix+"/.well-known/jwks", i.keys)
	i.mux.HandleFunc("GET "+identityPrefix+"/token", i.token)
	return i
}

// ServeHTTP implements http.Handler.
func (i *identity) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, pattern := i.mux.Handler(r); pattern == "" {
		idFail(w, http.StatusNotImplemented, "the issuer does not have "+r.Method+" "+r.URL.Path)
		return
	}
	i.mux.ServeHTTP(w, r)
}

func (i *identity) issuer() string { return i.e.o.ServerURL + identityPrefix }

func (i *identity) discover(w http.ResponseWriter, _ *http.Request) {
	writeID(w, http.StatusOK, map[string]any{
		"issuer": i.issuer(), "jwks_uri": i.issuer() + "/.well-known/jwks",
		"subject_types_supported": []string{"public", "pairwise"}, "response_types_supported": []string{"id_token"},
		"id_token_signing_alg_values_supported": []string{"RS256"}, "scopes_supported": []string{"openid"},
		"claims_supported": []string{
			"sub", "aud", "exp", "iat", "iss", "jti", "nbf", "ref", "sha", "repository", "repository_id", "repository_owner",
			"repository_owner_id", "run_id", "run_number", "run_attempt", "actor", "actor_id", "workflow", "workflow_ref",
			"workflow_sha", "head_ref", "base_ref", "event_name", "ref_type", "ref_protected", "job_workflow_ref",
			"job_workflow_sha", "repository_visibility", "runner_environment", "environment",
		},
	})
}

func (i *identity) keys(w http.ResponseWriter, _ *http.Request) {
	key, err := i.make()
	if err != nil {
		idFail(w, http.StatusInternalServerError, err.Error())
		return
	}
	writeID(w, http.StatusOK, map[string]any{"keys": []any{map[string]string{
		"kty": "RSA", "alg": "RS256", "use": "sig", "kid": keyID(key), "n": b64(key.N.Bytes()), "e": b64(big.NewInt(int64(key.E)).Bytes()),
	}}})
}

// token answers a job. The official client adds "&audience=…" to the address that the job was given.
func (i *identity) token(w http.ResponseWriter, r *http.Request) {
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	claims, err := readToken(i.e.idKey, given, i.e.o.Now())
	if !strings.EqualFold(scheme, "bearer") || err != nil {
		i.refuse(w, "", "the request token is not valid")
		return
	}
	c := i.e.running(claims.Job)
	if c == nil {
		i.refuse(w, fmt.Sprintf("job:%d", claims.Job), "the job does not run any more")
		return
	}
	audience := r.URL.Query().Get("audience")
	if audience == "" {
		owner, _, _ := strings.Cut(c.rec.Repo, "/")
		audience = i.e.o.ServerURL + "/" + owner
	}
	body := c.idClaims(audience, i.issuer(), i.e.o.Wall())
	token, err := i.sign(body)
	if err != nil {
		idFail(w, http.StatusInternalServerError, err.Error())
		return
	}
	if i.e.o.Secret != nil {
		if err := i.e.o.Secret(token, "id-token"); err != nil {
			idFail(w, http.StatusInternalServerError, err.Error())
			return
		}
	}
	i.note("identity.token", fmt.Sprintf("job:%d", claims.Job), map[string]string{"audience": audience, "subject": body["sub"].(string), "repo": c.rec.Repo})
	writeID(w, http.StatusOK, map[string]string{"value": token})
}

func (i *identity) refuse(w http.ResponseWriter, cause, why string) {
	i.note("identity.refused", cause, map[string]string{"message": why})
	idFail(w, http.StatusUnauthorized, why)
}

func (i *identity) note(typ, cause string, detail map[string]string) {
	i.e.o.Journal.Append(journal.Entry{Kind: journal.Change, Type: typ, Cause: cause, Subject: detail["subject"], Detail: detail})
}

func (i *identity) sign(claims map[string]any) (string, error) {
	key, err := i.make()
	if err != nil {
		return "", err
	}
	header, err := json.Marshal(map[string]string{"typ": "JWT", "alg": "RS256", "kid": keyID(key)})
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(claims)
	if err != nil {
		return "", err
	}
	text := b64(header) + "." + b64(body)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		return "", errors.New("sign id-token: " + err.Error())
	}
	return text + "." + b64(signature), nil
}

func keyID(key *rsa.PrivateKey) string {
	sum := sha256.Sum256(key.N.Bytes())
	return hex.EncodeToString(sum[:16])
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func writeID(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client is gone when this fails
}

func idFail(w http.ResponseWriter, status int, why string) {
	writeID(w, status, map[string]string{"message": why})
}

// idClaims are what GitHub says about a job.
// https://docs.github.com/en/actions/reference/security/oidc#standard-audience-issuer-and-subject-claims
func (c *cell) idClaims(audience, issuer string, now time.Time) map[string]any {
	r := c.node.r
	owner, _, _ := strings.Cut(c.rec.Repo, "/")
	ref := func(key string) any { v, _ := r.github().Get(key); return v }
	visibility := "public"
	if at(r.h.payload, "repository", "private") == true {
		visibility = "private"
	}
	subject := "repo:" + c.rec.Repo + ":ref:" + r.h.ref
	if r.h.name == "pull_request" || strings.HasPrefix(r.h.name, "pull_request_review") {
		subject = "repo:" + c.rec.Repo + ":pull_request"
	}
	if c.rec.Environment != "" {
		subject = "repo:" + c.rec.Repo + ":environment:" + strings.ReplaceAll(c.rec.Environment, ":", "%3A")
	}
	file := c.node.g.ref()
	claims := map[string]any{
		"iss": issuer, "aud": audience, "sub": subject, "jti": rand.Text(),
		"iat": now.Unix(), "nbf": now.Add(-2 * idTokenLife).Unix(), "exp": now.Add(idTokenLife).Unix(),
		"ref": r.h.ref, "sha": r.h.sha, "repository": c.rec.Repo, "repository_owner": owner,
		"repository_id": ref("repository_id"), "repository_owner_id": ref("repository_owner_id"), "repository_visibility": visibility,
		"run_id": strconv.FormatInt(r.rec.ID, 10), "run_number": strconv.Itoa(r.rec.Number), "run_attempt": strconv.Itoa(r.rec.Attempt),
		"actor": r.rec.Actor, "actor_id": ref("actor_id"), "workflow": r.wf.Name, "event_name": r.h.name,
		"head_ref": ref("head_ref"), "base_ref": ref("base_ref"), "ref_type": ref("ref_type"), "ref_protected": "false",
		"workflow_ref": ref("workflow_ref"), "workflow_sha": r.h.sha, "job_workflow_ref": file, "job_workflow_sha": c.node.g.sha,
		"runner_environment": "self-hosted",
	}
	if c.rec.Environment != "" {
		claims["environment"] = c.rec.Environment
	}
	return claims
}

// ref names the graph's file at its commit, as tokens do.
func (g *graph) ref() string {
	at := g.at
	if at == "" {
		at = g.r.h.ref
	}
	return g.repo + "/" + g.file.Path + "@" + at
}
