package yamldoc_test

import (
	"strings"
	"testing"

	"example.com/crew/internal/yamldoc"
)

type doc struct {
	Text string            `yaml:"text"`
	Map  map[string]string `yaml:"map"`
	Flag bool              `yaml:"flag"`
}

func TestDecodeRefuses(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"a: 1\n", `x.yaml:1: key "a" is unknown`},
		{"map: {}\ntexts: 1\nb: 1\n", `x.yaml:2: key "texts" is unknown`},
		{"text: x\nflag: maybe\n", "x.yaml:2: cannot unmarshal !!str `maybe`"},
		{"text: x\ntext: y\n", `x.yaml:2: mapping key "text" already defined at line 1`},
		{"text: [\n", "x.yaml:"},
		{"text: x\n---\ntext: y\n", "x.yaml: a second document"},
		{"- x\n", "x.yaml:1: cannot unmarshal !!seq"},
		{"text: " + strings.Repeat("x", yamldoc.Max), "x.yaml: the file is larger than"},
	} {
		if _, err := yamldoc.Decode("x.yaml", []byte(tc.text), &doc{}); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%.60q: %v, want %q", tc.text, err, tc.want)
		}
	}
	for _, text := range []string{"", "# nothing\n", "{}\n"} {
		if _, err := yamldoc.Decode("x.yaml", []byte(text), &doc{}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestErrorf(t *testing.T) {
	d, err := yamldoc.Decode("x.yaml", []byte("# c\nmap:\n  a: b\n"), &doc{})
	if err != nil {
		t.Fatal(err)
	}
	for want, keys := range map[string][]string{"x.yaml:3: no": {"map", "a"}, "x.yaml:3: no 1": {"map", "zzz"}, "x.yaml: no": {"flag"}} {
		format, args := "no", []any(nil)
		if strings.HasSuffix(want, "1") {
			format, args = "no %d", []any{1}
		}
		if got := d.Errorf(keys, format, args...); got.Error() != want {
			t.Errorf("%q: %v, want %s", keys, got, want)
		}
	}
}

// TestPlace finds the "é!" in each way to write a text.
func TestPlace(t *testing.T) {
	for _, text := range []string{
		"text: ab é!\n",
		"text:   'it''s é!'\n",
		"text: \"a \\\"b\\\" é!\"\n",
		"text: |\n  one\n\n    two\n  ab é!\n",
		"text: >-\n  one\n  two\n  ab é!\n",
		"text: one\n  two é!\n",
		"map: {a: b}\ntext: >\n    one\n      two é! or not\n    three\n",
		"{flag: true, text: 'a é!'}",
	} {
		var v doc
		d, err := yamldoc.Decode("x.yaml", []byte(text), &v)
		if err != nil {
			t.Fatal(err)
		}
		before, _, _ := strings.Cut(v.Text, "é!")
		line := 1 + strings.Count(before, "\n")
		column := len([]rune(before[strings.LastIndex(before, "\n")+1:]))
		gotLine, gotColumn, gotText := d.Place(d.Find("text"), line, column)
		before, _, _ = strings.Cut(text, "é!")
		wantLine := 1 + strings.Count(before, "\n")
		wantColumn := 1 + len([]rune(before[strings.LastIndex(before, "\n")+1:]))
		if gotLine != wantLine || gotColumn != wantColumn || gotText != strings.Split(text, "\n")[wantLine-1] {
			t.Errorf("%q: %d:%d %q, want %d:%d", text, gotLine, gotColumn, gotText, wantLine, wantColumn)
		}
	}
}

// FuzzPlace: no text and no place in it make it fail.
func FuzzPlace(f *testing.F) {
	f.Add("text: |\n  a\n  b\n", 2, 1)
	f.Add("text: \"\\u00e9 \\\n  x\"\n", 1, 3)
	f.Fuzz(func(t *testing.T, text string, line, column int) {
		var v doc
		d, err := yamldoc.Decode("x.yaml", []byte(text), &v)
		if err != nil || d.Find("text") == nil {
			return
		}
		if l, c, _ := d.Place(d.Find("text"), line, column); l < 1 || c < 1 {
			t.Errorf("%d:%d", l, c)
		}
	})
}
