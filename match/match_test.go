package match_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/understudy-dev/understudy/match"
)

func TestMatchers(t *testing.T) {
	for _, c := range []struct {
		m    match.Matcher
		got  any
		want string // the mismatch; "" matches
	}{
		{match.Equal("a"), "a", ""},
		{match.Equal("a"), "b", `: expected "a", saw "b"`},
		{match.Equal(1), int64(1), ""},
		{match.Equal(1), 1.5, `: expected 1, saw 1.5`},
		{match.Equal(1), "1", `: expected 1, saw "1"`},
		{match.Equal([]string{}), []string(nil), ""},
		{match.Equal([]string{}), nil, `: expected [], saw nothing`},
		{match.Equal(struct{ A []int }{[]int{1}}), map[string]any{"A": []any{1.0}}, ""},
		{match.Equal(nil), nil, ""},
		{match.Equal(nil), "", `: expected nothing, saw ""`},
		{match.Equal(map[string]string{"a": "b"}), map[string]string{"a": "b"}, ""},
		{match.Contains("bug"), []string{"a", "bug"}, ""},
		{match.Contains("bug"), []string{"bugs"}, `: expected contains "bug", saw ["bugs"]`},
		{match.Contains("bug"), "a bug!", ""},
		{match.Contains("3"), 3, `: expected contains "3", saw 3`},
		{match.Contains(""), nil, `: expected contains "", saw nothing`},
		{match.Lacks("bug"), []string{"bugs"}, ""},
		{match.Lacks("bug"), []string(nil), ""},
		{match.Lacks("bug"), []string{"bug"}, `: expected does not contain "bug", saw ["bug"]`},
		{match.Lacks("bug"), "debugging", `: expected does not contain "bug", saw "debugging"`},
		{match.Lacks("bug"), nil, `: expected does not contain "bug", saw nothing`}, // not by accident
		{match.Any(match.Contains("x")), []string{"a", "bxb"}, ""},
		{match.Any(match.Contains("x")), []string{"a"}, `: expected one that contains "x", saw ["a"]`},
		{match.Any(match.Lacks("x")), []string{}, `: expected one that does not contain "x", saw []`},
		{match.Any(match.Contains("x")), "x", `: expected one that contains "x", saw "x"`},
		{match.Count(2), []int{1, 2}, ""},
		{match.Count(0), []int(nil), ""},
		{match.Count(2), map[string]int{"a": 1}, `: expected exactly 2, saw map[a:1]`},
		{match.Count(2), 2, ""},
		{match.Count(2), int64(3), `: expected exactly 2, saw 3`},
		{match.Count(0), nil, `: expected exactly 0, saw nothing`},
		{match.Count(1), "a", `: expected exactly 1, saw "a"`},
		{match.NotEmpty(), []string{"a"}, ""},
		{match.NotEmpty(), []string{}, `: expected at least one, saw []`},
		{match.NotEmpty(), nil, `: expected at least one, saw nothing`},
		{match.Regexp(regexp.MustCompile(`a|b`)), "b", ""},
		{match.Regexp(regexp.MustCompile(`a|b`)), "ab", `: expected matches /a|b/, saw "ab"`},
		{match.Regexp(regexp.MustCompile(`a`)), "a\n", `: expected matches /a/, saw "a\n"`},
		{match.Regexp(regexp.MustCompile(`.*`)), 3, `: expected matches /.*/, saw 3`},
		{match.Text("a\nb"), "a\r\nb\n", ""},
		{match.Text("a\nb"), "  a\nb", ""},
		{match.Text("a\nb"), "a\nc", `:line 2: expected "a\nb", saw "a\nc"`},
		{match.Text("a"), "a\nb", `:line 2: expected "a", saw "a\nb"`},
		{match.Text("a"), nil, `: expected "a", saw nothing`},
	} {
		m := c.m.Match(c.got)
		got := ""
		if m != nil {
			got = m.Error()
		}
		if got != c.want {
			t.Errorf("%s of %#v:\n got %q\nwant %q", c.m, c.got, got, c.want)
		}
	}
}

func TestHint(t *testing.T) {
	m := &match.Mismatch{Subject: "a"}
	err := match.Hint(fmt.Errorf("check: %w", m), "look there")
	if m.Hint != "look there" || !errors.Is(err, m) {
		t.Errorf("got %+v, %v", m, err)
	}
	if match.Hint(err, "or here"); m.Hint != "look there" {
		t.Errorf("the first hint is lost: %q", m.Hint)
	}
	other := errors.New("x")
	if match.Hint(other, "y") != other || match.Hint(nil, "y") != nil {
		t.Error("another error is not returned as it is")
	}
}

func TestShowIsBounded(t *testing.T) {
	long := match.Show(strings.Repeat("ä", 5000))
	if len(long) > 440 || !utf8.ValidString(long) || !strings.Contains(long, "(10002 bytes)") {
		t.Errorf("%d bytes, valid %v: %s", len(long), utf8.ValidString(long), long)
	}
}
