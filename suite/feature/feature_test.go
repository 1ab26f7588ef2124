package feature_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/suite/feature"
)

const triage = `@f
Feature: Triage

  Background:
    Given a repository

  @a @f
  Scenario: First
    When it happens
      | k | v |
      | 1 | 2 |

  # of the second
  @b
  Scenario Outline: <what> thing
    Then "<what>" is seen
      """
      <what>!
      """

    @x
    Examples: some
      | what |
      | red  |
      | blue |

    Examples: more
      | what  |
      | green |

  @r
  Rule: A rule

    Background:
      Given a rule's start

    Scenario: Last
      * it ends
`

func tree(texts map[string]string) fstest.MapFS {
	fsys := fstest.MapFS{}
	for name, text := range texts {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fsys
}

func TestScenariosAreComplete(t *testing.T) {
	files, err := feature.Load(tree(map[string]string{"d/triage.feature": triage}), []string{"d/triage.feature"})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 1 || files[0].URI != "d/triage.feature" || files[0].Source != triage {
		t.Fatalf("got %d files, the first %s", len(files), files[0].URI)
	}
	var got []string
	for _, s := range files[0].Scenarios {
		got = append(got, fmt.Sprintf("%s|%s|%s|%s|%s", s.ID, s.Feature, s.Rule, s.Name, strings.Join(s.Tags, " ")))
		for _, st := range s.Steps {
			line := fmt.Sprintf("  %d %s %s", st.Line, st.Keyword, st.Text)
			if st.Table != nil {
				line += fmt.Sprintf(" table %s", st.Table.Rows[1].Cells[1].Value)
			}
			if st.DocString != nil {
				line += " doc " + st.DocString.Content
			}
			got = append(got, line)
		}
	}
	want := []string{
		"d/triage.feature:8|Triage||First|@f @a",
		"  5 Given a repository", "  9 When it happens table 2",
		"d/triage.feature:24|Triage||red thing|@f @b @x",
		"  5 Given a repository", `  16 Then "red" is seen doc red!`,
		"d/triage.feature:25|Triage||blue thing|@f @b @x",
		"  5 Given a repository", `  16 Then "blue" is seen doc blue!`,
		"d/triage.feature:29|Triage||green thing|@f @b",
		"  5 Given a repository", `  16 Then "green" is seen doc green!`,
		"d/triage.feature:37|Triage|A rule|Last|@f @r",
		"  5 Given a repository", "  35 Given a rule's start", "  38 * it ends",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPathsSelect(t *testing.T) {
	fsys := tree(map[string]string{"d/triage.feature": triage, "d/e/b.feature": "Feature: B\n  Scenario: S\n    Given x\n", "d/readme.md": "no"})
	all := []string{"8", "24", "25", "29", "37"}
	for _, c := range []struct {
		paths []string
		want  []string
	}{
		{[]string{"."}, append([]string{"e/b.feature:2"}, all...)},
		{[]string{"./d/"}, append([]string{"e/b.feature:2"}, all...)},
		{[]string{"d/triage.feature", "d/e"}, append(append([]string{}, all...), "e/b.feature:2")},
		{[]string{"d/triage.feature:8"}, all[:1]},
		{[]string{"d/triage.feature:7"}, all[:1]},  // its tags
		{[]string{"d/triage.feature:11"}, all[:1]}, // its table
		{[]string{"d/triage.feature:15"}, all[1:4]},
		{[]string{"d/triage.feature:18"}, all[1:4]}, // the outline's docstring
		{[]string{"d/triage.feature:22"}, all[1:3]}, // one examples block
		{[]string{"d/triage.feature:25"}, all[2:3]}, // one row
		{[]string{"d/triage.feature:28"}, all[3:4]},
		{[]string{"d/triage.feature:38"}, all[4:]},
		{[]string{"d/triage.feature:37", "d/triage.feature:8", "d/triage.feature:8"}, []string{"8", "37"}},
		{[]string{"d/triage.feature:8", "d/triage.feature"}, all},
	} {
		files, err := feature.Load(fsys, c.paths)
		if err != nil {
			t.Errorf("%q: %v", c.paths, err)
			continue
		}
		var got []string
		for _, f := range files {
			for _, s := range f.Scenarios {
				got = append(got, strings.TrimPrefix(strings.TrimPrefix(s.ID, "d/"), "triage.feature:"))
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: %s", c.paths, diff)
		}
	}
}

func TestWhatSelectsNothingIsNamed(t *testing.T) {
	fsys := tree(map[string]string{
		"triage.feature": triage, "notes/a.txt": "", "empty.feature": "", "bare.feature": "Feature: none\n",
		"bad.feature":    "Feature: B\n  Scenario: S\n    Given x\n  oops\n    nor this\n",
		"hollow.feature": "Feature: H\n  Scenario Outline: O\n    Given <x>\n",
		"norow.feature":  "Feature: H\n  Scenario Outline: O\n    Given <x>\n    Examples:\n      | x |\n",
		"ragged.feature": "Feature: H\n  Scenario: O\n    Given x\n      | x |\n      | y | z |\n",
		"tongue.feature": "# language: xx\nFeature: H\n",
	})
	for path, want := range map[string]string{
		"triage.feature:1":    "triage.feature:1: no scenario at this line",
		"triage.feature:5":    "triage.feature:5: no scenario at this line",
		"triage.feature:32":   "triage.feature:32: no scenario at this line",
		"triage.feature:0":    "not a line number",
		"triage.feature:x":    "triage.feature:x: what follows the colon is not a line number",
		"nowhere.feature":     "nowhere.feature: there is no such file",
		"nowhere.feature:3":   "nowhere.feature:3: there is no such file",
		"notes":               "notes: there is no feature file in it",
		"notes/a.txt":         "ends in .feature",
		"notes:3":             "a directory has no lines",
		"../up.feature":       "../up.feature: the path must lie below",
		"/etc/passwd.feature": "must lie below",
		"empty.feature":       "empty.feature: there is no scenario in it",
		"bare.feature":        "bare.feature: there is no scenario in it",
		"bad.feature":         "bad.feature:4: expected:",
		"hollow.feature":      "hollow.feature:2: the outline has no examples",
		"norow.feature":       "norow.feature:4: the examples have no row",
		"ragged.feature":      "ragged.feature:5: inconsistent cell count",
		"tongue.feature":      "tongue.feature:1: Language not supported: xx",
	} {
		_, err := feature.Load(fsys, []string{"triage.feature:8", path})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", path, err, want)
		}
	}
	if _, err := feature.Load(fsys, nil); err == nil {
		t.Error("no path is accepted")
	}
	if _, err := feature.Load(fsys, []string{"a.feature", "b.feature"}); err == nil || strings.Count(err.Error(), "no such file") != 2 {
		t.Errorf("not every path is named: %v", err)
	}
}

func FuzzLoad(f *testing.F) {
	for _, seed := range []string{triage, "", "Feature: F\n Scenario: S\n  Given x\n   \"\"\"\n", "# language: de\nFunktionalität: F\n  Szenario: S\n    * x\n",
		"Feature: F\n Scenario Outline: <a>\n  Given <a>\n  Examples:\n   |a|\n   |\\||\n", "@a\n@b #c\nFeature:\r\n Rule:\r\n"} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, text string, line int) {
		fsys := tree(map[string]string{"f.feature": text})
		files, err := feature.Load(fsys, []string{"f.feature"})
		if err != nil {
			return
		}
		all := map[string]bool{}
		for _, s := range files[0].Scenarios {
			if all[s.ID] {
				t.Errorf("%s twice", s.ID)
			}
			all[s.ID] = true
			one, err := feature.Load(fsys, []string{s.ID})
			if err != nil || len(one[0].Scenarios) == 0 {
				t.Errorf("%s does not select itself: %v", s.ID, err)
			}
		}
		if len(all) == 0 {
			t.Error("a file without scenarios is no error")
		}
		some, err := feature.Load(fsys, []string{fmt.Sprintf("f.feature:%d", line)})
		if err == nil && len(some[0].Scenarios) == 0 {
			t.Errorf("line %d selects nothing without an error", line)
		}
	})
}
