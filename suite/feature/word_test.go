package feature_test

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/suite/feature"
)

const portable = `Feature: F

  Background:
    Given a start at <platform:place>

  Scenario Outline: S <kind>
    When a <kind> of <platform:label> comes:
      | what          | <platform:label> |
      | <kind> <issue> | x<platform:label>y<platform:place> |
    Then it says:
      """
      <platform:place>
      """

    Examples:
      | kind             |
      | letter           |
      | <platform:place> |
`

func load(t testing.TB, text string) []feature.File {
	t.Helper()
	files, err := feature.Load(fstest.MapFS{"f.feature": {Data: []byte(text)}}, []string{"."})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestExpand(t *testing.T) {
	files := load(t, portable)
	before := load(t, portable)
	words := map[string]string{"place": "the door", "label": "to-sort", "other": ""}
	// The second row brings a word into the name of its scenario.
	_, err := feature.Expand(files, words, "platform.yaml")
	if want := "f.feature:18: <platform:place> stands in a name or a tag; it is for steps, tables and docstrings"; err == nil || err.Error() != want {
		t.Fatalf("got %v\nwant %s", err, want)
	}
	files[0].Scenarios, before[0].Scenarios = files[0].Scenarios[:1], before[0].Scenarios[:1]
	out, err := feature.Expand(files, words, "platform.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, files); diff != "" {
		t.Errorf("what was given has changed: %s", diff)
	}
	var got []string
	for _, s := range out[0].Scenarios[0].Steps {
		got = append(got, s.Text)
		if s.Table != nil {
			for _, r := range s.Table.Rows {
				for _, c := range r.Cells {
					got = append(got, c.Value)
				}
			}
		}
		if s.DocString != nil {
			got = append(got, s.DocString.Content)
		}
	}
	want := []string{
		"a start at the door", "a letter of to-sort comes:", "what", "to-sort", "letter <issue>", "xto-sortythe door", "it says:", "the door",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if out[0].Source != portable {
		t.Error("the source is kept as it was read")
	}
}

func TestExpandUnknown(t *testing.T) {
	files := load(t, "Feature: F\n  Background:\n    Given <platform:x>\n  Scenario: A\n    Given a\n  Scenario: B\n    Given <platform:> b <platform:No Name>\n")
	for _, tt := range []struct {
		words map[string]string
		file  string
		want  string
	}{
		{map[string]string{"a": "", "b": ""}, "p.yaml", `f.feature:3: <platform:x>: the words of p.yaml have no "x"; they are a, b
f.feature:7: <platform:>: the words of p.yaml have no ""; they are a, b
f.feature:7: <platform:No Name>: the words of p.yaml have no "No Name"; they are a, b`},
		{nil, "p.yaml", "f.feature:3: <platform:x>: p.yaml has no words\nf.feature:7: <platform:>: p.yaml has no words\nf.feature:7: <platform:No Name>: p.yaml has no words"},
		{nil, "", "f.feature:3: <platform:x>: the suite has no platform file that could say what it is\n" +
			"f.feature:7: <platform:>: the suite has no platform file that could say what it is\n" +
			"f.feature:7: <platform:No Name>: the suite has no platform file that could say what it is"},
	} {
		_, err := feature.Expand(files, tt.words, tt.file)
		if err == nil {
			t.Fatal("no error")
		}
		if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
			t.Error(diff)
		}
	}
}

func FuzzExpand(f *testing.F) {
	f.Add("a <platform:x> b", "y")
	f.Add("<platform:<platform:x>>", "<issue>")
	f.Fuzz(func(t *testing.T, text, value string) {
		in := []feature.File{{URI: "f.feature", Scenarios: []feature.Scenario{{Steps: []feature.Step{{Text: text, Line: 1}}}}}}
		out, err := feature.Expand(in, map[string]string{"x": value}, "p.yaml")
		if (err == nil) != (len(out) == 1) {
			t.Errorf("got %v, %v", out, err)
		}
	})
}
