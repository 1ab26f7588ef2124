package mask_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/internal/mask"
)

func TestHide(t *testing.T) {
	b64 := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	for name, tc := range map[string]struct {
		secrets    []string
		text, want string
	}{
		"none":                         {nil, "text", "text"},
		"regex characters":             {[]string{`a.*(b)[$^\d+`}, `xa.*(b)[$^\d+y aXXbb`, "x***y aXXbb"},
		"a prefix of another":          {[]string{"abc", "abcdef"}, "abcdef abc", "*** ***"},
		"a prefix, the other order":    {[]string{"abcdef", "abc"}, "abcdefg", "***g"},
		"overlapping":                  {[]string{"abcd", "cdef"}, "-abcdef-", "-***-"},
		"overlapping itself":           {[]string{"aXa"}, "aXaXa", "***"},
		"side by side":                 {[]string{"abcd", "efgh"}, "abcdefghabcd.", "***."},
		"empty and blank":              {[]string{"", " ", "\n\t\n"}, "a b\nc", "a b\nc"},
		"one letter, as at GitHub":     {[]string{"e"}, "here", "h***r***"},
		"of stars":                     {[]string{"*"}, "a * b", "a *** b"},
		"lines":                        {[]string{"-----BEGIN-----\r\nfirst line\n}\n"}, "first line; }", "***; ***"},
		"lines together":               {[]string{"one line\ntwo lines"}, "one line\ntwo lines", "***"},
		"base64":                       {[]string{"sup3r-secret"}, b64("sup3r-secret"), "***"},
		"base64 behind one byte":       {[]string{"sup3r-secret"}, b64("up3r-secret"), "***"},
		"base64 of more, as at GitHub": {[]string{"sup3r-secre"}, b64("sup3r-secre!"), b64("sup3r-secre!")},
		"in JSON":                      {[]string{"a\"b\\c\td"}, `{"k":"a\"b\\c\td"}`, `{"k":"***"}`},
		"in an address":                {[]string{"a b&c/d"}, "?q=a%20b%26c%2Fd&r", "?q=***&r"},
		"in XML":                       {[]string{`<a href="b">`}, "x &lt;a href=&quot;b&quot;&gt;", "x ***"},
		"in an expression":             {[]string{"it's"}, "'it''s'", "'***'"},
		"without its quotes":           {[]string{`"quoted value"`}, "quoted value", "***"},
		"with percent signs":           {[]string{"50%25off%0A"}, "50%25off%0A 50%off", "*** 50%off"},
		"not in UTF-8":                 {[]string{"a\xffb"}, "x a\xffb y", "x *** y"},
		"colours in it, as at GitHub":  {[]string{"secret"}, "sec\x1b[31mret", "sec\x1b[31mret"},
		"of a megabyte":                {[]string{strings.Repeat("s3", 1<<19)}, "<" + strings.Repeat("s3", 1<<19) + ">", "<***>"},
	} {
		var m mask.Masker
		for _, s := range tc.secrets {
			m.Add(s)
		}
		got := m.Hide(tc.text)
		if got != tc.want {
			t.Errorf("%s: %.200q, want %.200q", name, got, tc.want)
		}
		if again := m.Hide(got); again != got && name != "one letter, as at GitHub" {
			t.Errorf("%s: hidden twice it is %.200q", name, again)
		}
	}
}

// FuzzHide: whatever the text, no secret is left in it, and without one it stays as it is.
func FuzzHide(f *testing.F) {
	f.Add("abc", "cd\nef", "abcd ef")
	f.Add("***", "*", "a****")
	f.Add(`"`, "\xff", "a\xff\"")
	f.Fuzz(func(t *testing.T, a, b, text string) {
		var m mask.Masker
		m.Add(a)
		m.Add(b)
		got := m.Hide(text)
		for _, s := range []string{a, b} {
			// What is left of the text can only form a secret anew together with the stars.
			if strings.TrimSpace(s) != "" && !strings.Contains(s, "*") && strings.Contains(strings.ReplaceAll(got, "***", "\x00*\x00"), s) {
				t.Errorf("%q is in %q", s, got)
			}
		}
		if !strings.Contains(got, "***") && got != text {
			t.Errorf("%q became %q", text, got)
		}
	})
}

func BenchmarkHide(b *testing.B) {
	var m mask.Masker
	for _, s := range []string{"ghs_0123456789abcdef0123456789abcdef0123", "hush-hush", "runtime.token.with-three-parts"} {
		m.Add(s)
	}
	line := strings.Repeat("go: downloading github.com/example/module v1.2.3 ", 2)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		m.Hide(line)
	}
}
