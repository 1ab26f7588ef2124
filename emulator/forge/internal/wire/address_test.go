package wire_test

import (
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

// FuzzParseBase holds that what is taken is an address that can be built on, and reads as itself.
func FuzzParseBase(f *testing.F) {
	for _, s := range []string{"https://github.com", "http://127.0.0.1:8080", "http://[::1]:1", "http://Forge.localhost/", "http://x:0", "http://a b", "://", "http://u@x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b, err := wire.ParseBase(s)
		if err != nil {
			return
		}
		again, err := wire.ParseBase(b.String())
		if err != nil || again != b {
			t.Errorf("%q becomes %v, which becomes %v, %v", s, b, again, err)
		}
		if a := b.API("/x"); strings.ContainsAny(a, " \t\r\n<>\"#?@") || !strings.HasSuffix(a, "/x") {
			t.Errorf("%q has the API at %q", s, a)
		}
	})
}
