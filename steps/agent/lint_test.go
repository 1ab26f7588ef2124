package agent

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/suite/feature"
)

const resultSchema = `{"type": "object", "required": ["action"], "properties": {"action": {"enum": ["approve", "comment"]}}}`

var stages = []driver.Stage{
	{Name: "review", Result: "output/review.json", Schema: driver.Schema{File: "review.schema.json", Text: []byte(resultSchema)},
		Checks: []driver.Check{
			{Path: "head.sha", Matches: "^[0-9a-f]{40}$", When: driver.Condition{Path: "action", Equals: "approve"}},
			{Path: "note", When: driver.Condition{Path: "action", Equals: "comment"}},
		}},
	{Name: "loose", Result: "output/loose.json"},
	{Name: "code", Result: "output/twin.json"},
	{Name: "fix", Result: "output/twin.json"},
	{Name: "silent"},
	{Name: "letter", Result: "output/letter.txt", Checks: []driver.Check{{Matches: "^Dear "}}},
	{Name: "free", Result: "output/free.txt"},
}

const sha = "0123456789abcdef0123456789abcdef01234567"

// draft is one scenario whose table writes one fixture, and the suite's declarations.
func draft(dest, fixture, declared string) suite.Draft {
	files := fstest.MapFS{}
	for name, text := range map[string]string{
		"good.json": `{"action": "approve", "head": {"sha": "` + sha + `"}}`, "comment.json": `{"action": "comment", "note": 1}`,
		"env.json":   `{"action": "approve", "head": {"sha": "{{env:HEAD}}"}}`,
		"short.json": `{"action": "approve", "head": {"sha": "0123"}}`, "number.json": `{"action": "approve", "head": {"sha": 7}}`,
		"headless.json": `{"action": "approve"}`, "noteless.json": `{"action": "comment"}`, "outside.json": `{"action": "celebrate"}`,
		"cut.json": `{"action": `, "letter.txt": "Dear reader\n", "rude.txt": "No.\n",
	} {
		files["fixtures/"+name] = &fstest.MapFile{Data: []byte(text)}
	}
	if declared != "" {
		files["fixtures/fixtures.yaml"] = &fstest.MapFile{Data: []byte(declared)}
	}
	d := suite.Draft{Fixtures: files, Platform: driver.Platform{Stages: stages}}
	if fixture != "" {
		d.Scenarios = []feature.Scenario{{URI: "a.feature", Steps: []feature.Step{
			{Text: "an issue", Line: 4},
			{Text: dummyStep, Line: 5, Table: table("description | op | args", "Emit | write_fixture | "+dest+", fixtures/"+fixture)},
		}}}
	}
	return d
}

func TestLint(t *testing.T) {
	const review = "output/review.json"
	at := func(fixture, what string) string {
		return `a.feature:5: operation "Emit": fixture fixtures/` + fixture + " " + what
	}
	invalid := func(fixture, stage string) string {
		return "fixtures/" + fixture + ": {stage: " + stage + ", purpose: p, invalid: true}\n"
	}
	for _, tt := range []struct {
		name, dest, fixture, declared, want string
	}{
		{"valid", review, "good.json", "", ""},
		{"valid under the other condition", review, "comment.json", "", ""},
		{"outside the schema", review, "outside.json", "", at("outside.json", "is no valid result of stage review: /action: value must be one of 'approve', 'comment'")},
		{"the way out is told", review, "outside.json", "", "fixtures/fixtures.yaml marks it: `fixtures/outside.json: {stage: review, purpose: …, invalid: true}`"},
		{"malformed", review, "cut.json", "", at("cut.json", "is no valid result of stage review: not valid JSON: unexpected end")},
		{"check", review, "short.json", "", `review: head.sha is "0123", which does not match ^[0-9a-f]{40}$`},
		{"check on a variable", review, "env.json", "", ""},
		{"check on a number", review, "number.json", "", "review: head.sha is no text"},
		{"check on nothing", review, "headless.json", "", "review: there is no head.sha"},
		{"conditional field", review, "noteless.json", "", "review: there is no note"},
		{"written elsewhere", "output/notes", "cut.json", "", ""},
		{"stage without a schema", "output/loose.json", "outside.json", "", ""},
		{"stage without a schema, no JSON", "output/loose.json", "cut.json", "", at("cut.json", "is no valid result of stage loose: not valid JSON")},
		{"text", "output/letter.txt", "letter.txt", "", ""},
		{"text that does not match", "output/letter.txt", "rude.txt", "", at("rude.txt", `is no valid result of stage letter: the text is "No.\n", which does not match ^Dear `)},
		{"meant text", "output/letter.txt", "rude.txt", invalid("rude.txt", "letter"), ""},
		{"text of which nothing is asked", "output/free.txt", "rude.txt", "", ""},
		{"meant, but nothing is asked", "output/free.txt", "rude.txt", invalid("rude.txt", "free"), "is marked invalid on purpose, but is a valid result of stage free"},
		{"meant", review, "outside.json", invalid("outside.json", "review"), ""},
		{"meant malformed", review, "cut.json", invalid("cut.json", "review"), ""},
		{"meant, but valid", review, "good.json", invalid("good.json", "review"), at("good.json", "is marked invalid on purpose, but is a valid result of stage review")},
		{"of no stage", review, "good.json", "fixtures/good.json: {stage: none, purpose: p}\n", at("good.json", "belongs to no stage (fixtures/fixtures.yaml:1), but is written to output/review.json")},
		{"of another stage", review, "good.json", "fixtures/good.json: {stage: loose, purpose: p}\n", at("good.json", "belongs to stage loose (fixtures/fixtures.yaml:1), but is written to")},
		{"two stages", "output/twin.json", "good.json", "", at("good.json", "is written to output/twin.json, the result of the stages code, fix: fixtures/fixtures.yaml has to say")},
		{"two stages, told", "output/twin.json", "good.json", "fixtures/good.json: {stage: fix, purpose: p}\n", ""},
		{"unused and invalid", "", "", "fixtures/good.json: {stage: review, purpose: p}\nfixtures/cut.json: {stage: review, purpose: p}\n", "fixtures/fixtures.yaml:2: fixture fixtures/cut.json is no valid result"},
		{"unused and valid against its mark", "", "", invalid("good.json", "review"), "fixtures/fixtures.yaml:1: fixture fixtures/good.json is marked invalid on purpose, but"},
		{"unknown stage", "", "", "fixtures/good.json: {stage: deploy, purpose: p}\n", `fixtures/fixtures.yaml:1: fixture fixtures/good.json has stage "deploy"; it is "none" or one of the platform's: review, loose, code, fix, silent, letter, free`},
		{"no stage given", "", "", "fixtures/good.json: {purpose: p}\n", `has stage ""`},
		{"no purpose", "", "", "fixtures/good.json: {stage: none}\n", "has no purpose"},
		{"invalid of no stage", "", "", invalid("cut.json", "none"), "no stage says what is valid"},
		{"no file", "", "", "\nfixtures/gone.json: {stage: none, purpose: p}\n", "fixtures/fixtures.yaml:2: fixture fixtures/gone.json is no file"},
		{"twice", "", "", strings.Repeat("fixtures/cut.json: {stage: none, purpose: p}\n", 2), "fixtures/fixtures.yaml:2: "},
		{"unknown key", "", "", "fixtures/cut.json: {stage: none, purpose: p, invald: true}\n", `fixtures/fixtures.yaml:1: unknown key "invald"`},
		{"a list", "", "", "- a\n", "fixtures/fixtures.yaml:1: it is a mapping"},
		{"empty", "", "", "# nothing\n", "fixtures/fixtures.yaml:1: the file is empty"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, err := range lint(draft(tt.dest, tt.fixture, tt.declared)) {
				got = append(got, err.Error())
			}
			text := strings.Join(got, "\n")
			if (tt.want == "") != (text == "") || !strings.Contains(text, tt.want) || len(got) > 1 {
				t.Errorf("got  %s\nwant %s", text, tt.want)
			}
		})
	}
}

func TestLintAsksForThePolicysRecord(t *testing.T) {
	d := draft("output/review.json", "good.json", "")
	d.Scenarios[0].Steps = append(d.Scenarios[0].Steps, feature.Step{Text: `the platform refused the agent's request to "http://a.test/"`, Line: 9})
	if problems := lint(d); len(problems) != 0 {
		t.Errorf("without a platform: got %v", problems)
	}
	d.Platform.Name = "p"
	want := "a.feature:9: the platform file of p names no places.policy"
	if problems := lint(d); len(problems) != 1 || !strings.HasPrefix(problems[0].Error(), want) {
		t.Errorf("got %v, want %s", problems, want)
	}
	d.Platform.PolicyFile = "policy.json"
	if problems := lint(d); len(problems) != 0 {
		t.Errorf("with a record: got %v", problems)
	}
}

func TestLintReadsEachTable(t *testing.T) {
	d := draft("output/review.json", "good.json", "")
	first := d.Scenarios[0]
	other := first
	other.Steps = []feature.Step{first.Steps[1], {Text: dummyStep, Line: 9, Table: table("description | op | args", "A | checkout_branch | a/<issue>", "B | checkout_branch | a b")}}
	d.Scenarios = append(d.Scenarios, other)
	var got []string
	for _, err := range lint(d) {
		got = append(got, err.Error())
	}
	want := []string{`a.feature:9: operation "B": checkout_branch: args "a b" is not a branch name: letters, digits, and . _ - inside, parts joined by /`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	d.Fixtures.(fstest.MapFS)["fixtures.yaml"] = &fstest.MapFile{Data: []byte("{}")}
	d.Fixtures.(fstest.MapFS)["fixtures/fixtures.yaml"] = &fstest.MapFile{Data: []byte("{}")}
	if problems := lint(d); len(problems) != 2 || !strings.Contains(problems[0].Error(), "both say what the fixtures are for") {
		t.Errorf("two declarations: got %v", problems)
	}
}

// What people write by mistake is told, and never a panic.
func FuzzLint(f *testing.F) {
	f.Add("fixtures/good.json: {stage: review, purpose: p}\n", "write_fixture", "output/review.json, fixtures/good.json")
	f.Add("a: &x {stage: none}\nb: *x\n", "checkout_branch", "a/<issue>")
	f.Add("<<: {}\n? [a]\n: b\n", "assert_json", "a, b, [1")
	f.Add("--- \n---\n", "assert_env", ",")
	f.Fuzz(func(t *testing.T, declared, op, args string) {
		d := draft("output/review.json", "good.json", declared+"\n")
		d.Scenarios[0].Steps[1].Table = table("description | op | args")
		row := table("x")
		for _, c := range []string{"d", op, args} {
			cell := *row.Rows[0].Cells[0]
			cell.Value = c
			row.Rows[0].Cells = append(row.Rows[0].Cells, &cell)
		}
		row.Rows[0].Cells = row.Rows[0].Cells[1:]
		d.Scenarios[0].Steps[1].Table.Rows = append(d.Scenarios[0].Steps[1].Table.Rows, row.Rows[0])
		for _, err := range lint(d) {
			if err.Error() == "" {
				t.Error("an error that says nothing")
			}
		}
	})
}
