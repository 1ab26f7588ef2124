package evidence_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/evidence"
)

func hide(t testing.TB, s *evidence.Scrubber, value, label string) {
	t.Helper()
	if err := s.Hide(value, label); err != nil {
		t.Fatalf("hide %s: %v", label, err)
	}
}

func TestScrubberForms(t *testing.T) {
	const secret = `ghs_a+b/"c<d>e&f%`
	encoded, _ := json.Marshal(secret)
	basic := base64.StdEncoding.EncodeToString([]byte("x-access-token:" + secret + "\n"))
	for _, tt := range []struct{ name, in, want string }{
		{"plain", "Bearer " + secret + ".", "Bearer [token:ci]."},
		{"twice side by side", secret + secret, "[token:ci][token:ci]"},
		{"base64", "x " + base64.StdEncoding.EncodeToString([]byte(secret)) + " y", "x [token:ci] y"},
		{"base64 for URLs", base64.URLEncoding.EncodeToString([]byte(secret)), "[token:ci]"},
		{"basic authorisation", "Basic " + basic, "Basic " + basic[:20] + "[token:ci]" + basic[len(basic)-2:]},
		{"query", "?t=" + url.QueryEscape(secret) + "&x", "?t=[token:ci]&x"},
		{"path, lower case", strings.ToLower(url.PathEscape(secret)), "[token:ci]"},
		{"JSON", `{"a":` + string(encoded) + `}`, `{"a":"[token:ci]"}`},
		{"nothing", "ghs_a+b and the rest", "ghs_a+b and the rest"},
		{"empty", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var s evidence.Scrubber
			hide(t, &s, secret, "token:ci")
			if diff := cmp.Diff(tt.want, s.String(tt.in)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A value is hidden wherever it begins inside longer base64; the few bits that it shares with a
// neighbour's character stay.
func TestScrubberInsideBase64(t *testing.T) {
	const secret = "ghs_0123456789abcdef"
	var s evidence.Scrubber
	hide(t, &s, secret, "token:ci")
	for before := range 6 {
		for after := range 4 {
			in := base64.RawURLEncoding.EncodeToString([]byte("______"[:before] + secret + "......"[:after]))
			got := s.String(in)
			if left := len(got) - len("[token:ci]"); !strings.Contains(got, "[token:ci]") || left > (before+after)*8/6+3 {
				t.Errorf("%d bytes before, %d after: %q became %q", before, after, in, got)
			}
		}
	}
}

func TestScrubberLines(t *testing.T) {
	var s evidence.Scrubber
	hide(t, &s, "-----BEGIN KEY-----\nMIIabcdef\n-----END KEY-----\n", "secret:PEM")
	got := s.String("1: -----BEGIN KEY-----\n2: MIIabcdef\n3: fine\n")
	if want := "1: [secret:PEM]\n2: [secret:PEM]\n3: fine\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestScrubberOverlap(t *testing.T) {
	var s evidence.Scrubber
	hide(t, &s, "abcdefgh", "one")
	hide(t, &s, "efghijkl", "two")
	hide(t, &s, "abcdefghij", "three")
	if got, want := s.String("_abcdefghijkl_"), "_[three]_"; got != want {
		t.Errorf("overlapping values: got %q, want %q", got, want)
	}
}

func TestScrubberRefusesShortValues(t *testing.T) {
	var s evidence.Scrubber
	if err := s.Hide("12345", "pin"); !errors.Is(err, evidence.ErrTooShort) {
		t.Errorf("got %v, want ErrTooShort", err)
	} else if strings.Contains(err.Error(), "12345") {
		t.Errorf("the error shows the value: %v", err)
	}
	if err := s.Hide("123456", "pin"); err != nil {
		t.Errorf("six bytes: %v", err)
	}
}

func TestScrubberRename(t *testing.T) {
	var s evidence.Scrubber
	if err := s.Rename("http://127.0.0.1:4711", "$FORGE"); err != nil {
		t.Fatal(err)
	}
	got := s.String("GET http://127.0.0.1:4711/user?next=http%3A%2F%2F127.0.0.1%3A4711")
	if want := "GET $FORGE/user?next=$FORGE"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestScrubberLabelNeverShowsAValue(t *testing.T) {
	var s evidence.Scrubber
	hide(t, &s, "first-value", "label with second-value")
	hide(t, &s, "second-value", "holds first-value")
	if got := s.String("first-value second-value"); strings.Contains(got, "-value") {
		t.Errorf("a label shows a hidden value: %q", got)
	}
}

// A value hidden while a stream is read is hidden in all that was not given out yet.
func TestScrubberHideWhileReading(t *testing.T) {
	var s evidence.Scrubber
	pr, pw := io.Pipe()
	var wg sync.WaitGroup
	wg.Go(func() {
		io.WriteString(pw, "before ")
		hide(t, &s, "secret-value", "late")
		io.WriteString(pw, "secret-")
		io.WriteString(pw, "value after")
		pw.Close()
	})
	got, err := io.ReadAll(s.Reader(pr))
	wg.Wait()
	if want := "before [late] after"; err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestScrubberReaderErrors(t *testing.T) {
	var s evidence.Scrubber
	hide(t, &s, "secret-value", "x")
	broken := errors.New("broken pipe")
	got, err := io.ReadAll(s.Reader(io.MultiReader(strings.NewReader("tail secret-"), iotest.ErrReader(broken))))
	if !errors.Is(err, broken) || string(got) != "tail secret-" {
		t.Errorf("got %q, %v", got, err)
	}
	if err := iotest.TestReader(s.Reader(strings.NewReader("a secret-value b")), []byte("a [x] b")); err != nil {
		t.Error(err)
	}
}

func TestScrubberConcurrent(t *testing.T) {
	var s evidence.Scrubber
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 50 {
				value := strings.Repeat(string(rune('a'+i)), 8) + string(rune('0'+j%10))
				hide(t, &s, value, "v")
				if got := s.String(value); got != "[v]" {
					t.Errorf("got %q", got)
				}
			}
		})
	}
	wg.Wait()
}

func FuzzScrubber(f *testing.F) {
	f.Add("ghs_0123456789", "password!", []byte("log ghs_0123456789 and password! and Z2hzXzAxMjM0NTY3ODk="), uint8(3))
	f.Add("aaaaaa", "aaaaaab", []byte("aaaaaaaaaaaab"), uint8(1))
	f.Add("line one\nline two", "\x00\xff\xfe12345", []byte("line one\\nline two\x00\xff\xfe12345"), uint8(7))
	f.Fuzz(func(t *testing.T, one, two string, around []byte, size uint8) {
		if strings.ContainsAny(one+two, "[]*") {
			return // such a value can be made of a label and its neighbours
		}
		var s evidence.Scrubber
		values := map[string]bool{}
		for _, v := range []string{one, two} {
			if err := s.Hide(v, "•"); err == nil && !strings.Contains(v, "•") {
				values[v] = true
			}
		}
		half := len(around) / 2
		in := bytes.Join([][]byte{around[:half], []byte(one), []byte(two), around[half:],
			[]byte(base64.StdEncoding.EncodeToString([]byte(one + two))), []byte(url.QueryEscape(two + one))}, nil)
		whole := s.Bytes(in)
		got, err := io.ReadAll(s.Reader(&chopped{in, int(size)%13 + 1}))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, whole) {
			t.Errorf("chunks of %d change the result:\n%q\n%q", size%13+1, got, whole)
		}
		for v := range values {
			if bytes.Contains(got, []byte(v)) {
				t.Errorf("%q is still in %q", v, got)
			}
			if e := base64.StdEncoding.EncodeToString([]byte(v)); bytes.Contains(got, []byte(e)) {
				t.Errorf("base64 %q is still in %q", e, got)
			}
		}
	})
}

type chopped struct {
	rest []byte
	size int
}

func (c *chopped) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.size)], c.rest)
	c.rest = c.rest[n:]
	return n, nil
}
