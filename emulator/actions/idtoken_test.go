package actions_test

import (
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/actions"
)

// asking is a job that leaves the address and the token for id-tokens, and waits until it is let go.
const asking = `permissions: {id-token: write}
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: echo "$ACTIONS_ID_TOKEN_REQUEST_URL $ACTIONS_ID_TOKEN_REQUEST_TOKEN" > "$DIR/ask"; read x < "$DIR/go"
`

// issuing starts an engine whose id-token service is reached under its own address.
func issuing(t *testing.T, workflow string) (*platform, string) {
	t.Helper()
	mux := http.NewServeMux()
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	dir := ""
	p := start(t, workflow, func(o *actions.Options, _ *memory) { o.ServerURL, dir = srv.URL, o.Env["DIR"] })
	mux.Handle(actions.IdentityPattern, p.engine.IdentityService())
	return p, dir
}

func getJSON(t *testing.T, url, bearer string) (status int, body map[string]any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&body); err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, body
}

func TestIDToken(t *testing.T) {
	p, dir := issuing(t, onLabel+asking)
	for _, name := range []string{"ask", "go"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p.label("bug")
	ask, err := os.ReadFile(filepath.Join(dir, "ask")) // waits for the job
	if err != nil {
		t.Fatal(err)
	}
	url, bearer, _ := strings.Cut(strings.TrimSpace(string(ask)), " ")
	status, got := getJSON(t, url+"&audience=crew-broker", bearer)
	if status != http.StatusOK {
		t.Fatal(status, got)
	}
	claims := verified(t, got["value"].(string))
	want := map[string]any{
		"aud": "crew-broker", "sub": "repo:acme/app:ref:refs/heads/main", "repository": "acme/app", "repository_owner": "acme",
		"ref": "refs/heads/main", "ref_type": "branch", "sha": sha, "event_name": "issues", "actor": "alice", "run_id": "1", "run_attempt": "1",
		"workflow": ".github/workflows/ci.yml", "workflow_ref": "acme/app/.github/workflows/ci.yml@refs/heads/main",
		"job_workflow_ref": "acme/app/.github/workflows/ci.yml@refs/heads/main", "runner_environment": "self-hosted",
	}
	for k, v := range want {
		if diff := cmp.Diff(v, claims[k]); diff != "" {
			t.Errorf("%s: %s", k, diff)
		}
	}
	if life := claims["exp"].(float64) - claims["iat"].(float64); life != 300 {
		t.Errorf("it lives %v seconds", life)
	}
	for name, wrong := range map[string]string{"no token": "", "another token": "x.y.z", "the runtime token's key": actions.SignToken([]byte("k"), 1, 1, time.Now().Add(time.Hour))} {
		if status, body := getJSON(t, url, wrong); status != http.StatusUnauthorized || !strings.Contains(body["message"].(string), "not valid") {
			t.Errorf("%s: %d %v", name, status, body)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("x\n"), 0); err != nil {
		t.Fatal(err)
	}
	p.settle()
	if status, body := getJSON(t, url, bearer); status != http.StatusUnauthorized || !strings.Contains(body["message"].(string), "does not run any more") {
		t.Errorf("after the job: %d %v", status, body)
	}
	if log := p.allLogs(); strings.Contains(log, bearer) {
		t.Errorf("the request token stands in the log:\n%s", log)
	}
}

// A job's environment stands in its token, also in place of the pull request.
// https://docs.github.com/en/actions/reference/security/oidc#filtering-for-a-specific-environment
func TestIDTokenNamesTheEnvironment(t *testing.T) {
	p, dir := issuing(t, "on: [issues, pull_request]\n"+strings.Replace(asking, "    steps:", "    environment: 'a:b'\n    steps:", 1))
	for _, name := range []string{"ask", "go"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, event := range []string{"issues.opened", "pull_request.opened"} {
		p.happen(event)
		ask, err := os.ReadFile(filepath.Join(dir, "ask"))
		if err != nil {
			t.Fatal(err)
		}
		url, bearer, _ := strings.Cut(strings.TrimSpace(string(ask)), " ")
		_, got := getJSON(t, url, bearer)
		claims := verified(t, got["value"].(string))
		if claims["sub"] != "repo:acme/app:environment:a%3Ab" || claims["environment"] != "a:b" {
			t.Errorf("%s: sub %v, environment %v", event, claims["sub"], claims["environment"])
		}
		if err := os.WriteFile(filepath.Join(dir, "go"), []byte("x\n"), 0); err != nil {
			t.Fatal(err)
		}
		p.settle()
	}
}

// A job that does not ask for it gets no id-token.
func TestIDTokenNeedsPermission(t *testing.T) {
	for _, permissions := range []string{"", "permissions: {contents: read}\n", "permissions: read-all\n"} {
		p, _ := issuing(t, onLabel+permissions+`jobs:
  a: {runs-on: ubuntu-latest, steps: [{run: 'test -z "$ACTIONS_ID_TOKEN_REQUEST_URL$ACTIONS_ID_TOKEN_REQUEST_TOKEN"'}]}
`)
		p.label("bug")
		p.settle()
		if got := p.report(); got != "run ci.yml success\n  a success\n" {
			t.Errorf("%q: %s", permissions, got)
		}
	}
}

// verified checks a token as a broker does: by discovery at its issuer.
func verified(t *testing.T, token string) map[string]any {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("no token: %s", token)
	}
	var claims, header map[string]any
	for i, to := range []*map[string]any{&header, &claims} {
		if err := json.Unmarshal(raw64(t, parts[i]), to); err != nil {
			t.Fatal(err)
		}
	}
	_, found := getJSON(t, claims["iss"].(string)+"/.well-known/openid-configuration", "")
	_, set := getJSON(t, found["jwks_uri"].(string), "")
	key := set["keys"].([]any)[0].(map[string]any)
	if key["kid"] != header["kid"] || header["alg"] != "RS256" || found["issuer"] != claims["iss"] {
		t.Errorf("header %v, key %v, discovery %v", header, key, found)
	}
	pub := &rsa.PublicKey{N: new(big.Int).SetBytes(raw64(t, key["n"].(string))), E: int(new(big.Int).SetBytes(raw64(t, key["e"].(string))).Int64())}
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err := rsa.VerifyPKCS1v15(pub, crypto.SHA256, sum[:], raw64(t, parts[2])); err != nil {
		t.Error(err)
	}
	return claims
}

func raw64(t *testing.T, s string) []byte {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
