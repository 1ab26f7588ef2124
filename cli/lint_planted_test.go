package cli_test

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/cli"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/trial"
)

// planted are suites of mistakes, each marked where it stands by a comment `# lint: RULE`: at the end of its
// line, or in a line of its own before the next one that is neither blank nor a comment. What must be
// wrong in a suite as a whole, such as a platform file that nobody can use, has a suite of its own, since it
// hides the others.
const planted = "testdata/planted"

// mistake is a finding without its words.
type mistake struct {
	File string
	Line int
	Rule string
}

var plantedMark = regexp.MustCompile(`(?:^|\s)# lint: ([a-z, -]+)$`)

// marked are the mistakes that the files of a directory are marked with.
func marked(t *testing.T, dir string) (all []mistake) {
	t.Helper()
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var waiting []string
		for i, line := range strings.Split(string(text), "\n") {
			trimmed := strings.TrimSpace(line)
			m := plantedMark.FindStringSubmatch(line)
			rules := waiting
			switch {
			case m != nil && strings.HasPrefix(trimmed, "#"):
				waiting = append(waiting, strings.Split(m[1], ", ")...)
				continue
			case trimmed == "" || strings.HasPrefix(trimmed, "#"):
				continue
			case m != nil:
				rules = append(rules, strings.Split(m[1], ", ")...)
			}
			for _, r := range rules {
				all = append(all, mistake{filepath.ToSlash(file), i + 1, r})
			}
			waiting = nil
		}
		if len(waiting) > 0 {
			t.Errorf("%s: the last mark marks nothing", file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// found are the mistakes that lint finds in a suite: one for each place and rule.
func found(t *testing.T, o cli.Options, dir string) (all []mistake) {
	t.Helper()
	code, out := run(t, o, "lint", dir, "--json")
	var l struct{ Findings []mistake }
	if err := json.Unmarshal([]byte(out), &l); err != nil || code != 2 {
		t.Fatalf("lint %s: exit code %d, %v\n%s", dir, code, err, out)
	}
	for _, f := range l.Findings {
		f.File = filepath.ToSlash(f.File)
		all = append(all, f)
	}
	return all
}

func sortedMistakes(all []mistake) []mistake {
	slices.SortFunc(all, func(a, b mistake) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Rule, b.Rule))
	})
	return slices.Compact(all)
}

// TestLintFindsWhatIsPlanted: exactly the marked mistakes, and at least one for each rule that there is.
func TestLintFindsWhatIsPlanted(t *testing.T) {
	unplanted := lintRules(t)
	suites, err := filepath.Glob(planted + "/*/understudy.yaml")
	if err != nil || len(suites) == 0 {
		t.Fatalf("no planted suites: %v", err)
	}
	for _, s := range suites {
		dir, o := filepath.Dir(s), cli.Options{}
		if filepath.Base(dir) == "own" { // a pack of one's own excuses some mistakes
			o.Packs = []suite.Pack{{Name: strictPack.Name, Steps: strictPack.Steps[2:5]}}
		}
		want := marked(t, dir)
		for _, m := range want {
			delete(unplanted, m.Rule)
		}
		if d := diff.Diff(sortedMistakes(want), sortedMistakes(found(t, o, dir))); d != "" {
			t.Errorf("%s (-planted +found)\n%s", dir, d)
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(unplanted)) {
		t.Errorf("no file of %s plants a mistake against the rule %s", planted, rule)
	}
}

// lintRules are the rules that lint's help names, and the packs that have one of their own.
func lintRules(t *testing.T) map[string]bool {
	t.Helper()
	rules := map[string]bool{}
	_, help := run(t, cli.Options{}, "lint", "--help")
	_, list, ok := strings.Cut(help, "in order of place.\n\n")
	list, _, end := strings.Cut(list, "\n\n")
	if !ok || !end {
		t.Fatalf("the help of lint lists no rules:\n%s", help)
	}
	for line := range strings.Lines(list) {
		if rule, _, ok := strings.Cut(strings.TrimPrefix(line, "  "), " "); ok && rule != "" {
			rules[rule] = true
		}
	}
	for _, p := range trial.Packs() {
		if p.Lint != nil {
			rules[p.Name] = true
		}
	}
	return rules
}
