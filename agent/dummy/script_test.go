package dummy_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/agent/dummy"
)

const whole = `ops:
  - description: Emit triage JSON
    op: write_fixture
    args: output/agent-result.json
    content: |
      {"action": "sufficient"}
  - description: Read the readme
    op: read_file
    args: README.md
  - {description: Call home, op: url_get, args: "http://allowed.test/x?y=1", iteration: 2}
`

func TestParse(t *testing.T) {
	got, err := dummy.Parse([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	want := dummy.Script{Ops: []dummy.Op{
		{Description: "Emit triage JSON", Op: "write_fixture", Args: "output/agent-result.json", Content: "{\"action\": \"sufficient\"}\n"},
		{Description: "Read the readme", Op: "read_file", Args: "README.md"},
		{Description: "Call home", Op: "url_get", Args: "http://allowed.test/x?y=1", Iteration: 2},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("script (-want +got):\n%s", diff)
	}
	asJSON, err := dummy.Parse([]byte(`{"ops":[{"description":"d","op":"write_fixture","args":"a","content":""}]}`))
	if err != nil || len(asJSON.Ops) != 1 {
		t.Errorf("JSON with empty content: %v, %v", asJSON, err)
	}
}

func TestParseRefuses(t *testing.T) {
	op := func(lines ...string) string {
		return "ops:\n  - description: d\n    " + strings.Join(lines, "\n    ") + "\n"
	}
	for _, tc := range []struct{ name, script, want string }{
		{"empty file", "", "the script is empty"},
		{"only a comment", "# nothing\n", "the script is empty"},
		{"null", "null\n", "line 1: the script must be a mapping"},
		{"not YAML", "ops: [\n", "line 1: did not find"},
		{"not UTF-8", "ops: \xff", "not valid UTF-8"},
		{"second document", op("op: read_file", "args: a") + "---\nops: []\n", "line 5: a second document"},
		{"no ops", "{}\n", `line 1: "ops" is missing`},
		{"ops no list", "ops: yes\n", `line 1: "ops" must be a list`},
		{"ops null", "\nops:\n", `line 2: "ops" must be a list`},
		{"empty list", "ops: []\n", `line 1: "ops" is empty`},
		{"unknown top key", "ops: []\nopts: 1\n", `line 2: unknown key "opts"`},
		{"key twice", "ops: []\nops: []\n", `line 2: key "ops" is given twice`},
		{"op no mapping", "ops:\n  - read_file a\n", "line 2: an operation must be a mapping"},
		{"unknown key", op("op: read_file", "arg: a"), `line 4: unknown key "arg"`},
		{"no args", op("op: read_file"), `line 2: "args" is missing`},
		{"args a number", op("op: read_file", "args: 5"), `line 4: "args" must be a string`},
		{"args a list", op("op: read_file", "args: [a]"), `line 4: "args" must be a string`},
		{"blank description", "ops:\n  - {description: ' ', op: read_file, args: a}\n", `line 2: "description" is blank`},
		{"same description", op("op: read_file", "args: a") + "  - {description: d, op: read_file, args: b}\n", `line 5: description "d" is taken by the operation of line 2`},
		{"unknown operation", op("op: shell", "args: rm"), `line 3: unknown operation "shell"`},
		{"variable", op("op: assert_env", "args: 'A B'"), `line 4: assert_env: args "A B": it takes`},
		{"variable with a sign", op("op: assert_env", "args: A=b"), `"A=b" is no name`},
		{"no JSON path", op("op: assert_json", "args: a"), "line 4: assert_json: args \"a\": it takes `FILE, PATH`"},
		{"bad JSON path", op("op: assert_json", "args: 'a, .b'"), `not ".b"`},
		{"JSON outside", op("op: assert_json", "args: '../a, b'"), `has ".."`},
		{"empty expectation", op("op: assert_json", "args: 'a, b,'"), "EXPECTED is empty"},
		{"file outside", op("op: assert_file", "args: ../a"), `has ".."`},
		{"option as branch", op("op: checkout_branch", "args: --upload-pack=x"), `"--upload-pack=x" is not a branch name`},
		{"refspec as branch", op("op: checkout_branch", "args: 'a:b'"), "is not a branch name"},
		{"dots in a branch", op("op: checkout_branch", "args: a..b"), "is not a branch name"},
		{"two branches", op("op: checkout_branch", "args: a b"), "is not a branch name"},
		{"lock as branch", op("op: checkout_branch", "args: a.lock/b"), "is not a branch name"},
		{"part of a branch", op("op: checkout_branch", "args: a//b"), "is not a branch name"},
		{"HEAD as branch", op("op: checkout_branch", "args: HEAD"), "is not a branch name"},
		{"placeholder", op("op: checkout_branch", "args: agent/<issue>"), "is not a branch name"},
		{"no content", op("op: write_fixture", "args: a"), `line 2: write_fixture needs "content"`},
		{"content elsewhere", op("op: read_file", "args: a", "content: x"), `line 5: read_file has no "content"`},
		{"fixture not embedded", op("op: write_fixture", "args: a, fixtures/b", "content: x"), `line 4: write_fixture: args "a, fixtures/b"`},
		{"absolute", op("op: write_fixture", "args: /etc/passwd", "content: x"), "is absolute"},
		{"parent", op("op: write_fixture", "args: a/../../b", "content: x"), `has ".."`},
		{"inner parent", op("op: read_file", "args: a/../b"), `has ".."`},
		{"directory", op("op: read_file", "args: a/"), "does not name a file plainly"},
		{"backslash", op("op: read_file", `args: a\..\b`), "backslash"},
		{"file URL", op("op: url_get", "args: file:///etc/passwd"), "only http and https"},
		{"no host", op("op: url_get", "args: 'http:///x'"), "names no host"},
		{"credentials", op("op: url_get", "args: 'http://me:secret@h/'"), "carries credentials"},
		{"iteration 0", op("op: read_file", "args: a", "iteration: 0"), `line 5: "iteration" must be a whole number from 1 to 99`},
		{"iteration a text", op("op: read_file", "args: a", "iteration: '2'"), `line 5: "iteration" must be`},
		{"iteration a list", op("op: read_file", "args: a", "iteration: [2]"), `line 5: "iteration" must be`},
		{"iteration in octal", op("op: read_file", "args: a", "iteration: 02"), `line 5: "iteration" must be`},
		{"anchor", "ops: &a\n  - {description: d, op: read_file, args: a}\n", "anchors and aliases"},
		{"alias", "ops:\n  - &a {description: d, op: read_file, args: a}\n  - *a\n", "anchors are not allowed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, err := dummy.Parse([]byte(tc.script))
			if err == nil {
				t.Fatalf("parsed as %+v", s)
			}
			if !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %q, want it to contain %q", err, tc.want)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("error %q shows the password", err)
			}
		})
	}
}

func TestEncodeRefusesWhatParseWould(t *testing.T) {
	for _, s := range []dummy.Script{
		{},
		{Ops: []dummy.Op{{Description: "d", Op: "shell", Args: "x"}}},
		{Ops: []dummy.Op{{Description: "d", Op: "read_file", Args: "x", Content: "y"}}},
		{Ops: []dummy.Op{{Description: "d", Op: "write_fixture", Args: "x", Content: "\xff"}}},
	} {
		if out, err := s.Encode(); err == nil {
			t.Errorf("Encode(%+v) = %q, want an error", s, out)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("ops: [{description: d, op: write_fixture, args: a, content: \"\\r\\n\\t \"}]"))
	f.Add([]byte("ops:\n- <<: *x\n"))
	f.Add([]byte("{}\n---\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := dummy.Parse(data)
		if err != nil {
			if len(s.Ops) > 0 {
				t.Fatalf("both a script and the error %v", err)
			}
			return
		}
		out, err := s.Encode()
		if err != nil {
			// Loud is fine, different is not: YAML has a few characters it folds.
			return
		}
		back, err := dummy.Parse(out)
		if err != nil {
			t.Fatalf("parse what was encoded: %v\n%s", err, out)
		}
		if diff := cmp.Diff(s, back); diff != "" {
			t.Fatalf("encoded script differs:\n%s", diff)
		}
	})
}
