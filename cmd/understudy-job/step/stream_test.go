package step_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/cmd/understudy-job/step"
)

func pass(t testing.TB, parts ...string) string {
	t.Helper()
	var out bytes.Buffer
	var in [][]byte
	for _, p := range parts {
		in = append(in, []byte(p))
	}
	if err := step.Pass(&out, in...); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestOutputIsReadAsLines(t *testing.T) {
	for name, tc := range map[string]struct {
		parts []string
		want  string
	}{
		"nothing":                        {nil, ""},
		"the last line":                  {[]string{"a\nb"}, "a\nb\n"},
		"a line in parts":                {[]string{"he", "l", "lo\nx\n"}, "hello\nx\n"},
		"carriage returns":               {[]string{"10%\r20%\r\n", "a\r", "\nb\r", "c\r\r\n"}, "10%\n20%\na\nb\nc\n\n"},
		"a command behind space":         {[]string{" \t ::add-mask::x\n  text\n"}, "::add-mask::x\n  text\n"},
		"a command behind a return":      {[]string{"50%\r::error::x\n"}, "50%\n::error::x\n"},
		"bytes that are no text":         {[]string{"\x00\xff\x1b[31m\n"}, "\x00\xff\x1b[31m\n"},
		"a line that is longer than any": {[]string{strings.Repeat("a", step.MaxLine), strings.Repeat("b", 9), "\nc\n"}, strings.Repeat("a", step.MaxLine) + "\nc\n"},
	} {
		if got := pass(t, tc.parts...); got != tc.want {
			t.Errorf("%s: %.100q, want %.100q", name, got, tc.want)
		}
	}
}

// A flood ends with a word about it, and what the step says to the runner still gets through.
func TestOutputIsBounded(t *testing.T) {
	line := strings.Repeat("y", 99) + "\n"
	got := pass(t, strings.Repeat(line, 1<<20), "::add-mask::x\n", "more\n", "::notice::y\n")
	if len(got) > 64<<20 {
		t.Errorf("%d bytes came through", len(got))
	}
	if want := line + "::warning::The log of this step ends here: it is larger than 64 MiB.\n::add-mask::x\n::notice::y\n"; !strings.HasSuffix(got, want) {
		t.Errorf("it ends with %q", got[len(got)-300:])
	}
}

// FuzzOutput: however a step's bytes are cut into parts, the same lines come out, and no byte but ends of
// lines and space before commands is lost.
func FuzzOutput(f *testing.F) {
	f.Add("a\r\nb\rc  ::x\n ::y", 3)
	f.Fuzz(func(t *testing.T, text string, at int) {
		at = max(0, min(at, len(text)))
		whole, parts := pass(t, text), pass(t, text[:at], text[at:])
		if whole != parts {
			t.Errorf("whole %q, in parts %q", whole, parts)
		}
		drop := strings.NewReplacer("\r", "", "\n", "", " ", "", "\t", "")
		if drop.Replace(whole) != drop.Replace(text) {
			t.Errorf("%q became %q", text, whole)
		}
	})
}
