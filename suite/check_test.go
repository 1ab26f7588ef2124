package suite_test

import (
	"context"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/suite"
)

func TestCheck(t *testing.T) {
	ok := func(context.Context, string) error { return nil }
	for _, c := range []struct {
		name string
		pack suite.Pack
		want string // "" is no error
	}{
		{"good", pack(step(`a "([^"]*)"`, `a "b"`, ok)), ""},
		{"good with anchors", pack(step(`^a "([^"]*)"$`, `a "b"`, ok)), ""},
		{"no name", suite.Pack{}, "pack 1 has no name"},
		{"no pattern", pack(step("", "a", ok)), "no pattern"},
		{"bad pattern", pack(step("(", "a", ok)), "does not compile"},
		{"escaping pattern", pack(step("a)|(?:b", "a", ok)), "does not compile"},
		{"no doc", pack(suite.Step{Pattern: "(a)", Example: "a", Do: ok}), "no documentation"},
		{"no example", pack(step("(a)", "", ok)), "no example"},
		{"example elsewhere", pack(step("(a)", "ab", ok)), `its example "ab" does not match it`},
		{"no function", pack(step("(a)", "a", 3)), "Do is not a function"},
		{"nil", pack(step("(a)", "a", nil)), "Do is not a function"},
		{"no context", pack(step("(a)", "a", func(string) error { return nil })), "not a func(context.Context, …) error"},
		{"no error", pack(step("(a)", "a", func(context.Context, string) {})), "not a func(context.Context, …) error"},
		{"too few", pack(step("(a)(b)", "ab", ok)), "2 groups, but Do takes 1"},
		{"too many", pack(step("a", "a", ok)), "0 groups, but Do takes 1"},
		{"odd type", pack(step("(a)", "a", func(context.Context, []byte) error { return nil })), "parameter 2 is a []uint8"},
		{"early table", pack(step("(a)", "a", func(context.Context, *suite.Table, string) error { return nil })), "before its last"},
		{"twice", pack(step("(a)", "a", ok), step("(a)", "a", ok)), "also defined by pack test"},
		{"ambiguous example", pack(step("(a)", "a", ok), step("(a|b)", "b", ok)), `its example "a" also matches test: `},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := suite.Check([]suite.Pack{c.pack})
			if c.want == "" && err != nil {
				t.Fatal(err)
			}
			if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
		})
	}
	if err := suite.Check([]suite.Pack{{Name: "a"}, {Name: "a"}}); err == nil {
		t.Error("two packs of one name are accepted")
	}
}

// TestEveryDefinitionIsTried compares the prefilter by literal prefix with plain matching: the
// texts are chosen so that a prefix that is too long would lose a match.
func TestEveryDefinitionIsTried(t *testing.T) {
	nop := func(context.Context) error { return nil }
	for pattern, text := range map[string]string{
		"ab?c": "ac", "abc|abd": "abd", "(?i)abc": "ABC", "ab*": "a", "a{0,2}b": "b", "^abc": "abc",
		"(?:abc)+d": "abcabcd", "a|b": "b", "äb?": "ä", "(?:ab)?c": "c", `a\.b`: "a.b", "(?s:a.b)": "a\nb",
		"(?:(?i:a)b)": "Ab", "a(?i)b": "aB",
	} {
		if err := suite.Check([]suite.Pack{pack(step(pattern, text, nop))}); err != nil {
			t.Errorf("%s: %v", pattern, err)
		}
	}
}
