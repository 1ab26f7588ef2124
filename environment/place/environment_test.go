package place_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/nacl/box"

	"github.com/understudy-dev/understudy/driver/job"
	"github.com/understudy-dev/understudy/environment/place"
)

// TestEnvironmentReachesJobs goes the whole way: REST, sealed boxes, a push, real jobs.
func TestEnvironmentReachesJobs(t *testing.T) {
	p := open(t)
	c := client{t, p}
	c.do(201, "POST", "/orgs/acme/repos", map[string]any{"name": "app"})
	c.do(200, "PUT", "/repos/acme/app/environments/Production", map[string]any{})
	for at, value := range map[string]string{
		"/orgs/acme/actions": "org", "/repos/acme/app/actions": "repo", "/repos/acme/app/environments/production": "env",
	} {
		more := map[string]any{}
		if value == "org" {
			more["visibility"] = "all"
		}
		for _, name := range []string{"ALL", strings.ToUpper(value) + "_ONLY"} {
			c.do(201, "POST", at+"/variables", with(more, "name", name, "value", value))
			c.seal(at+"/secrets", name, value+"-secret", more)
		}
	}
	c.do(201, "PUT", "/repos/acme/app/contents/.github/workflows/ci.yml", map[string]any{"message": "m", "content": base64.StdEncoding.EncodeToString([]byte(`
on: push
jobs:
  deploy:
    runs-on: ubuntu-latest
    environment: {name: "${{ github.ref_name == 'main' && 'production' || '' }}", url: 'https://example.org'}
    env: {GOT: "${{ vars.ALL }} ${{ vars.ORG_ONLY }} ${{ vars.REPO_ONLY }} ${{ vars.ENV_ONLY }}", SECRETS: "${{ secrets.ALL }} ${{ secrets.ORG_ONLY }} ${{ secrets.REPO_ONLY }} ${{ secrets.ENV_ONLY }}"}
    steps: [{run: 'test "$GOT" = "env org repo env" && test "$SECRETS" = "env-secret org-secret repo-secret env-secret"'}]
  build:
    runs-on: ubuntu-latest
    environment: ''
    env: {GOT: "${{ vars.ALL }}${{ vars.ENV_ONLY }} ${{ secrets.ALL }}${{ secrets.ENV_ONLY }}"}
    steps: [{run: 'test "$GOT" = "repo repo-secret"'}]
  fresh:
    needs: [deploy, build]
    runs-on: ubuntu-latest
    environment: fresh
    steps: [{run: 'true'}]
`))})
	quiet(t, p)
	if runs := c.do(200, "GET", "/repos/acme/app/actions/runs", nil); !strings.Contains(runs, `"conclusion":"success"`) {
		t.Errorf("the run did not succeed: %s\n%s", runs, c.do(200, "GET", "/repos/acme/app/actions/runs/1/jobs", nil))
	}
	if all := c.do(200, "GET", "/repos/acme/app/environments", nil); !strings.Contains(all, `"total_count":2`) || !strings.Contains(all, `"fresh"`) {
		t.Errorf("the environment that a job named was not made: %s", all)
	}
}

func open(t *testing.T) *place.Place {
	t.Helper()
	runner, err := job.Find(t.Context(), job.Options{Explicit: os.Getenv("UNDERSTUDY_JOB")})
	if err != nil {
		t.Fatal(err)
	}
	p, err := place.New(place.Options{
		Dir: t.TempDir(), Org: "acme", People: []place.Person{{Name: "ada", Login: "ada", Role: "owner"}},
		JobRunner: runner, Path: os.Getenv("PATH"),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := p.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return p
}

func quiet(t *testing.T, p *place.Place) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	for seq, done := uint64(0), false; !done; {
		var err error
		if seq, done, err = p.Ledger.Wait(ctx, seq); err != nil {
			t.Fatalf("no quiet: %v; open: %q", err, p.Ledger.Pending())
		}
	}
}

// client asks the forge as ada.
type client struct {
	t *testing.T
	p *place.Place
}

func (c client) do(status int, method, path string, body any) string {
	c.t.Helper()
	return c.as(c.p.Tokens["ada"], status, method, path, body)
}

// as is do by whoever has the token.
func (c client) as(token string, status int, method, path string, body any) string {
	c.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.p.Forge.APIURL()+path, bytes.NewReader(data))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != status {
		c.t.Fatalf("%s %s: %d, want %d: %s %v", method, path, resp.StatusCode, status, text, err)
	}
	return string(text)
}

func (c client) seal(at, name, value string, more map[string]any) {
	c.t.Helper()
	var key struct {
		ID  string `json:"key_id"`
		Key []byte `json:"key"`
	}
	if err := json.Unmarshal([]byte(c.do(200, "GET", at+"/public-key", nil)), &key); err != nil {
		c.t.Fatal(err)
	}
	sealed, err := box.SealAnonymous(nil, []byte(value), (*[32]byte)(key.Key), rand.Reader)
	if err != nil {
		c.t.Fatal(err)
	}
	c.do(201, "PUT", at+"/"+name, with(more, "encrypted_value", base64.StdEncoding.EncodeToString(sealed), "key_id", key.ID))
}

func with(more map[string]any, pairs ...string) map[string]any {
	out := map[string]any{}
	for k, v := range more {
		out[k] = v
	}
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i]] = pairs[i+1]
	}
	return out
}
