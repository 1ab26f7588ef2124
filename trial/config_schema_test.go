package trial_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/internal/schema"
	"github.com/understudy-dev/understudy/trial"
)

const schemaFile = "../docs/reference/understudy.schema.json"

// parse reads an understudy.yaml in a directory with a feature, a platform file and defects.
func parse(t *testing.T, text string) error {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "features"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"platform.yaml", "defects.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	_, err := trial.ParseConfig(filepath.Join(dir, trial.ConfigFile), []byte(text))
	return err
}

const goodConfig = "name: n\nplatform: platform.yaml\nfeatures: features\nfixtures: .\ndefects: defects.txt\njobs: 2\n"

const goodBudget = "budget:\n  ci: {workflow: ci.yml, job: e2e}\n  command: {file: Makefile, contains: e2e}\n  collection: 1m30s\n  lease: 2.5s\n  scenario: 1s\n"

const goodRuns = goodConfig + goodBudget + "runs:\n  all:\n  slow: {tags: '@slow', capabilities: []}\nholes:\n  - {what: stage x, reason: why, since: \"2026-12-01\"}\n  - {what: [tag @a, runtime b c], reason: why, since: '2026-12-01'}\n"

func TestConfigRefusals(t *testing.T) {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.Compile(schemaFile, text)
	if err != nil {
		t.Fatal(err)
	}
	accepts := func(text string) bool {
		var v any
		if err := yaml.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		doc, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return s.Check(doc) == nil
	}
	if err := parse(t, goodConfig); err != nil || !accepts(goodConfig) {
		t.Errorf("the good file: %v; by the schema: %v", err, accepts(goodConfig))
	}
	if err := parse(t, goodRuns); err != nil || !accepts(goodRuns) {
		t.Errorf("the good file with runs and holes: %v; by the schema: %v", err, accepts(goodRuns))
	}
	for _, tt := range []struct {
		old, new, want string
		beyond         bool // what the schema cannot see
	}{
		{"name: n", "nmae: n", `:1: unknown key "nmae"`, false},
		{"features: features\n", "", ":1: features is missing", false},
		{"features: features", "features: [features]", ":3: features is a list, not text", false},
		{"jobs: 2", "jobs: many", `:6: jobs is the text "many", not a whole number`, false},
		{"jobs: 2", "jobs: -1", ":6: jobs is -1; it is 0 (capacity) or more", false},
		{"jobs: 2", "jobs: 1.5", ":6: jobs is 1.5, not a whole number", false},
		{"features: features", "features: none", ":3: features: there is no none", true},
		{"features: features", "features: platform.yaml", ":3: features: platform.yaml is no directory", true},
		{"platform: platform.yaml", "platform: features", ":2: platform: features is no file", true},
		{"defects: defects.txt", "defects: /dev/zero", ":5: defects: /dev/zero is no file", true},
		{"jobs: 2", "jobs: 2\njobs: 3", `:7: key "jobs" is given twice; the first is in line 6`, true},
		{"jobs: 2", "strictness: {unread-output: loud}", `:6: strictness: unread-output: "loud" is no level; it is red, warn or off`, false},
		{"jobs: 2", "strictness: {unread: red}", `:6: strictness: there is no policy "unread"; there are over-budget, unclaimed-failed-operation, unexpected-failed-run, unread-output`, false},
		{"jobs: 2", "runs: all", `:6: runs is the text "all", not a mapping`, false},
		{"jobs: 2", "runs:\n  all: {tag: x}", `:7: unknown key "tag" in runs.all`, false},
		{"jobs: 2", "runs:\n  all: {capabilities: x}", `:7: runs.all.capabilities is the text "x", not a list`, false},
		{"jobs: 2", "runs:\n  a b: {}", `:7: the name of run "a b" is not one word`, false},
		{"jobs: 2", "holes: {}", ":6: holes is a mapping, not a list", false},
		{"jobs: 2", "holes:\n  - {what: stage x, why: y}", `:7: unknown key "why" in holes.1`, false},
		{"jobs: 2", "holes:\n  - {what: {stage: x}}", `:7: holes.1.what is a mapping, not a list`, false},
		{"jobs: 2", "holes:\n  - what: [[stage x]]", `:7: holes.1.what.1 is a list, not text`, false},
		{"jobs: 2\n", strings.Replace(goodBudget, "  ci: {workflow: ci.yml, job: e2e}\n", "", 1), ":7: budget.ci does not name a workflow and a job of it", false},
		{"jobs: 2\n", strings.Replace(goodBudget, ", job: e2e", "", 1), ":7: budget.ci does not name a workflow and a job of it", false},
		{"jobs: 2\n", strings.Replace(goodBudget, "contains", "contain", 1), `:8: unknown key "contain" in budget.command`, false},
		{"jobs: 2\n", strings.Replace(goodBudget, "{file: Makefile, contains: e2e}", "[make]", 1), ":8: budget.command is a list; it is text, or {file: …, contains: …}", false},
		{"jobs: 2\n", strings.Replace(goodBudget, "  lease: 2.5s\n", "", 1), ":7: budget.lease is missing", false},
		{"jobs: 2\n", strings.Replace(goodBudget, "2.5s", "2", 1), `:10: budget.lease is "2"; it is a time such as 30s or 2m`, false},
		{"jobs: 2\n", strings.Replace(goodBudget, "1m30s", "-1m", 1), `:9: budget.collection is "-1m"; it is a time such as 30s or 2m`, false},
		{"jobs: 2\n", strings.Replace(goodBudget, "1m30s", "25h", 1), `:9: budget.collection is "25h"; it is a time such as 30s or 2m`, true},
		{"jobs: 2\n", "budget: 40m\n", ":6: budget is the text \"40m\", not a mapping", false},
		{goodConfig, "", ":1: the file is empty", true},
	} {
		text := strings.Replace(goodConfig, tt.old, tt.new, 1)
		if err := parse(t, text); err == nil || !strings.Contains(err.Error(), trial.ConfigFile+tt.want) {
			t.Errorf("%q: got %v, want %s", tt.new, err, tt.want)
		}
		if !tt.beyond && accepts(text) {
			t.Errorf("the schema accepts %q", tt.new)
		}
	}
	var doc struct {
		Properties map[string]struct{ Description string }
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	var h interface{ Hint() string }
	if !errors.As(parse(t, "zzz: 1\n"), &h) {
		t.Fatal("no hint for an unknown key")
	}
	want := strings.Split(strings.TrimPrefix(h.Hint(), "the keys are: "), ", ")
	slices.Sort(want)
	var got []string
	for key, p := range doc.Properties {
		got = append(got, key)
		if p.Description == "" {
			t.Errorf("%s has no description", key)
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("keys (-reader +schema)\n%s", diff)
	}
}

func FuzzParseConfig(f *testing.F) {
	for _, seed := range []string{goodConfig, goodRuns, "holes: [{what: [x, {}]}, null, 3]\n", "runs: {a: null, 3: {tags: 4}}\n", "features: ..\n", "features: features\njobs: 0x7fffffffffffffff\n", "features: \"\\0\"\n", "a: [\n", ""} {
		f.Add(seed)
	}
	file := filepath.Join(f.TempDir(), trial.ConfigFile)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := trial.ParseConfig(file, []byte(text))
		if err == nil && (c.Features == "" || c.Jobs < 0) {
			t.Errorf("accepted: %+v", c)
		}
		if err == nil {
			return
		}
		for line := range strings.SplitSeq(err.Error(), "\n") {
			if !strings.HasPrefix(line, file+":") {
				t.Errorf("an error without its place: %q", err)
			}
		}
	})
}
