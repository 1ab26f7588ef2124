package state_test

import (
	"encoding/base64"
	"testing"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
)

// FuzzAppToken feeds what anybody may send as a JSON Web Token: none is of an app, and nothing breaks.
func FuzzAppToken(f *testing.F) {
	b64 := base64.RawURLEncoding.EncodeToString
	head := b64([]byte(`{"alg":"RS256"}`))
	for _, seed := range []string{"", ".", "..", "a.b.c", head + ".e30.", head + "." + b64([]byte(`{"iss":1,"iat":1e400,"exp":1e400}`)) + ".AAAA",
		head + "." + b64([]byte(`{"iss":{},"iat":"x","exp":[]}`)) + ".", b64([]byte(`{"alg":"none"}`)) + "." + b64([]byte(`{"iss":"1"}`)) + "."} {
		f.Add(seed)
	}
	o, err := options(nil)
	if err != nil {
		f.Fatal(err)
	}
	w := world{state.New(o), o.Journal}
	f.Fuzz(func(t *testing.T, value string) {
		if who, err := w.IdentifyApp(value); err == nil {
			t.Fatalf("%q is of %s", value, who.Login)
		}
	})
}
