package match_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/match"
)

var words = []string{"", "a", "bug", "a bug!", "3", "ä", "a\nb", "a\r\nb\n", "null", "{}", "\xff", "b\xfe\xffc", `"`, "a|b", "<x>"}

func word(r *rand.Rand) string { return words[r.IntN(len(words))] }

func someWords(r *rand.Rand) []string {
	out := make([]string, r.IntN(4))
	for i := range out {
		out[i] = word(r)
	}
	return out
}

type named string

// value is anything that a step may look at.
func value(r *rand.Rand) any {
	switch r.IntN(17) {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2:
		return r.IntN(4)
	case 3:
		return int64(r.IntN(4))
	case 4:
		return []float64{0, 1, 2, 2.5, 1e21, -3, 1 << 60}[r.IntN(7)]
	case 5:
		return uint64(r.IntN(3)) << 63
	case 6, 7:
		return word(r)
	case 8, 9:
		return someWords(r)
	case 10:
		return [][]string{nil, {}, {"bug"}}[r.IntN(3)]
	case 11:
		return map[string]string{word(r): word(r)}
	case 12:
		return map[string]int(nil)
	case 13:
		return []any{word(r), r.IntN(3), nil, map[string]any{"k": someWords(r)}}[:r.IntN(5)]
	case 14:
		return []int{1, 2, 3}[:r.IntN(4)]
	case 15:
		return []byte(word(r))
	}
	return struct {
		Name named
		Tags []string
	}{named(word(r)), someWords(r)}
}

// matchers makes one of each kind.
func matchers(r *rand.Rand) []match.Matcher {
	inner := []match.Matcher{match.Contains(word(r)), match.Lacks(word(r)), match.Regexp(regexp.MustCompile("a|b.*")), match.Text(word(r)), match.Equal(word(r))}
	return []match.Matcher{match.Equal(value(r)), match.Contains(word(r)), match.Lacks(word(r)), match.Any(inner[r.IntN(len(inner))]),
		match.Count(r.IntN(4)), match.NotEmpty(), match.Regexp(regexp.MustCompile(`(?i)a|b+|\d`)), match.Text(word(r))}
}

// TestWhatIsKeptIsJudgedAlike keeps a matcher and a value as JSON, reads both back, and looks again.
func TestWhatIsKeptIsJudgedAlike(t *testing.T) {
	kinds, matched := map[string]int{}, map[string]int{}
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 1))
		for _, m := range matchers(r) {
			spec, ok := match.Written(m)
			if !ok {
				t.Fatalf("%s cannot be written down", m)
			}
			kept, err := json.Marshal(spec)
			if err != nil {
				t.Fatal(err)
			}
			var read match.Spec
			if err := json.Unmarshal(kept, &read); err != nil {
				t.Fatal(err)
			}
			again, err := match.Parse(read)
			if err != nil {
				t.Fatalf("%s: %v", kept, err)
			}
			if twice, _ := match.Written(again); !reflect.DeepEqual(meaning(t, twice), meaning(t, spec)) {
				t.Errorf("%s is written as %v", kept, meaning(t, twice))
			}
			got := value(r)
			raw, err := match.Encode(got)
			if err != nil {
				t.Fatal(err)
			}
			stored, err := match.Decode(raw)
			if err != nil {
				t.Fatal(err)
			}
			before, after := m.Match(got), again.Match(stored)
			if (before == nil) != (after == nil) || before != nil && before.Path != after.Path {
				t.Fatalf("%s of %#v: %v; read back %s of %#v: %v", m, got, before, again, stored, after)
			}
			kinds[spec.Name]++
			if before == nil {
				matched[spec.Name]++
			}
		}
	}
	for name, n := range kinds {
		if matched[name] == 0 || matched[name] == n {
			t.Errorf("%s matched %d of %d times: the test shows nothing of it", name, matched[name], n)
		}
	}
	if len(kinds) != 8 {
		t.Errorf("kinds: %v", kinds)
	}
}

// meaning is a spec as JSON readers see it, whichever way its texts are escaped.
func meaning(t *testing.T, s match.Spec) any {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	v, err := match.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestNamesStay(t *testing.T) {
	for _, m := range []match.Matcher{match.Equal("a"), match.Equal(3), match.Equal([]string{"a"}), match.Contains("a"), match.Lacks("a"), match.Any(match.Contains("a")),
		match.Count(2), match.NotEmpty(), match.Regexp(regexp.MustCompile("a+")), match.Text("a\nb")} {
		spec, _ := match.Written(m)
		if again, err := match.Parse(spec); err != nil || again.String() != m.String() {
			t.Errorf("%s reads back as %v, %v", m, again, err)
		}
	}
}

type foreign struct{}

func (foreign) Match(any) *match.Mismatch { return nil }
func (foreign) String() string            { return "anything" }

func TestWhatCannotBeWritten(t *testing.T) {
	for _, m := range []match.Matcher{foreign{}, match.Any(foreign{}), match.Equal(func() {})} {
		if s, ok := match.Written(m); ok {
			t.Errorf("%s is written as %v", m, s)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tt := range []struct{ spec, want string }{
		{`{"name":"resembles","args":["a"]}`, `nobody knows a matcher "resembles"`},
		{`{"name":""}`, `nobody knows a matcher ""`},
		{`{"name":"any","args":[{"name":"resembles"}]}`, `read matcher "any": read matcher: nobody knows a matcher "resembles"`},
		{`{"name":"contains"}`, `"contains": it has 0 arguments and takes 1`},
		{`{"name":"not empty","args":[1]}`, `it has 1 arguments and takes 0`},
		{`{"name":"contains","args":[3]}`, `read matcher "contains"`},
		{`{"name":"lacks","args":[null]}`, `null is not a text`},
		{`{"name":"count","args":["2"]}`, `read matcher "count"`},
		{`{"name":"regexp","args":["("]}`, `read matcher "regexp"`},
	} {
		var s match.Spec
		if err := json.Unmarshal([]byte(tt.spec), &s); err != nil {
			t.Fatal(err)
		}
		if m, err := match.Parse(s); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, %v, want %q", tt.spec, m, err, tt.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"name":"equal","args":[{"a":[1,2.50,"x",null]}]}`, `{"name":"any","args":[{"name":"regexp","args":["a+"]}]}`, `{"name":"count","args":[2]}`} {
		f.Add(s, `["a"]`)
	}
	f.Fuzz(func(t *testing.T, spec, got string) {
		var s match.Spec
		if json.Unmarshal([]byte(spec), &s) != nil {
			return
		}
		m, err := match.Parse(s)
		if err != nil {
			return
		}
		again, ok := match.Written(m)
		if !ok {
			t.Fatalf("%s was read and cannot be written", spec)
		}
		twice, err := match.Parse(again)
		if err != nil {
			t.Fatalf("%s becomes %v: %v", spec, again, err)
		}
		if v, err := match.Decode(json.RawMessage(got)); err == nil && (m.Match(v) == nil) != (twice.Match(v) == nil) {
			t.Errorf("%s and %v of %s differ", spec, again, got)
		}
	})
}

func TestDecode(t *testing.T) {
	for raw, want := range map[string]any{
		`2`: int64(2), `2.0`: int64(2), `2e0`: int64(2), `2.5`: 2.5, `1e21`: 1e21, `9223372036854775808`: uint64(1) << 63, `1e999`: "1e999",
		`null`: nil, `[]`: []string{}, `["a"]`: []string{"a"}, `["a",1]`: []any{"a", int64(1)}, `{}`: map[string]string{},
		`{"a":"b"}`: map[string]string{"a": "b"}, `{"a":[]}`: map[string]any{"a": []string{}},
	} {
		if got, err := match.Decode(json.RawMessage(raw)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %#v, %v, want %#v", raw, got, err, want)
		}
	}
	for _, raw := range []string{``, `1 2`, `[`, `nul`} {
		if got, err := match.Decode(json.RawMessage(raw)); err == nil {
			t.Errorf("%q: got %#v", raw, got)
		}
	}
}
