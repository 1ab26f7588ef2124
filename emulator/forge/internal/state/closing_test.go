package state_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
)

func TestClosings(t *testing.T) {
	for text, want := range map[string][]string{
		"closes #1, Fixed: #2 and RESOLVES acme/lib#3": {"ada/app#1", "ada/app#2", "acme/lib#3"},
		"fix #4 fix #4": {"ada/app#4"},
		"fix http://127.0.0.1:1/acme/lib/issues/5":  {"acme/lib#5"},
		"fix https://github.com/acme/lib/issues/5":  nil,
		"see #6, prefix #7, fixes: ticket 8, fix#9": nil,
		"closes #99999999999999999999":              nil,
		"close GH-12":                               {"ada/app#12"},
		"fixes #13b":                                nil,
	} {
		if d := cmp.Diff(want, state.Closings(text, "ada/app", "http://127.0.0.1:1")); d != "" {
			t.Errorf("%q (-want +got):\n%s", text, d)
		}
	}
}

// FuzzClosings holds that what is found stands in the text after a word that closes.
func FuzzClosings(f *testing.F) {
	for _, s := range []string{"closes #1", "fixed: acme/app#2", "resolve http://127.0.0.1:1/a/b/issues/3", "fix\t#0004", "closes #1\ncloses #1", "\xff fix #1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range state.Closings(text, "ada/app", "http://127.0.0.1:1") {
			_, number, _ := strings.Cut(c, "#")
			if !strings.Contains(text, number) {
				t.Errorf("%q closes %s", text, c)
			}
		}
	})
}
