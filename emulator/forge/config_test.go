package forge_test

import (
	"crypto/rand"
	"encoding/base64"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/nacl/box"
)

func TestVariables(t *testing.T) {
	w := newWorld(t)
	const at = actions + "/variables"
	w.ada.want(201, "POST", at, map[string]any{"name": "Mode", "value": "fast"})
	w.ada.want(409, "POST", at, map[string]any{"name": "MODE", "value": "x"})
	w.ada.want(422, "POST", at, map[string]any{"name": "GITHUB_X", "value": "x"})
	w.ada.want(422, "POST", at, map[string]any{"name": "1-x", "value": "x"})
	w.ada.want(422, "POST", at, map[string]any{"name": "EMPTY"})
	w.ada.want(204, "PATCH", at+"/mode", map[string]any{"value": "slow"})
	w.ada.want(200, "GET", at+"/MODE", nil).is("value", "slow")
	w.ada.want(200, "GET", at, nil).is("variables.0.name", "MODE")
	w.user("rea", "read").want(403, "GET", at, nil)
	got, err := w.admin.Variables("acme/app")
	if d := cmp.Diff(map[string]string{"MODE": "slow"}, got); d != "" || err != nil {
		t.Errorf("Variables: %v (-want +got):\n%s", err, d)
	}
	w.ada.want(204, "DELETE", at+"/MODE", nil)
	w.ada.want(404, "PATCH", at+"/MODE", map[string]any{"value": "x"})
}

// seal seals a value with the public key of the secrets at a path.
func seal(t testing.TB, a actor, secrets, value string) string {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(a.want(200, "GET", secrets+"/public-key", nil).at("key").(string))
	must(t, err)
	sealed, err := box.SealAnonymous(nil, []byte(value), (*[32]byte)(raw), rand.Reader)
	must(t, err)
	return base64.StdEncoding.EncodeToString(sealed)
}

func TestSecrets(t *testing.T) {
	w := newWorld(t)
	const at = actions + "/secrets"
	k := w.ada.want(200, "GET", at+"/public-key", nil)
	in := map[string]any{"encrypted_value": seal(t, w.ada, at, "hunter2"), "key_id": k.at("key_id")}
	w.ada.want(201, "PUT", at+"/TOKEN", in)
	w.ada.want(204, "PUT", at+"/TOKEN", in)
	w.ada.want(422, "PUT", at+"/TOKEN", map[string]any{"encrypted_value": encode("plain"), "key_id": k.at("key_id")})
	w.ada.want(422, "PUT", at+"/TOKEN", map[string]any{"encrypted_value": in["encrypted_value"], "key_id": "1"})
	w.ada.want(200, "GET", at+"/token", nil).is("value", nil)
	w.ada.want(200, "GET", at, nil).is("secrets.0.name", "TOKEN")
	got, err := w.admin.Secrets("acme/app")
	if d := cmp.Diff(map[string]string{"TOKEN": "hunter2"}, got); d != "" || err != nil {
		t.Errorf("Secrets: %v (-want +got):\n%s", err, d)
	}
	w.ada.want(204, "DELETE", at+"/TOKEN", nil)
	w.ada.want(404, "GET", at+"/TOKEN", nil)
}
