package dummy_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/agent/dummy"
)

func TestAssertEnv(t *testing.T) {
	env := []string{"A=first", "EMPTY=", "A=second", "S=s3cret", "X=a,b=c"}
	for _, tc := range []struct{ args, want string }{
		{"A", ""},
		{"A, first", ""},
		{"A, second", `A is set, but not to "second"`},
		{"B", "B is not set"},
		{"B, ", "B is not set"},
		{"EMPTY", "EMPTY is set, but empty"},
		{"EMPTY,", ""},
		{"EMPTY, x", "EMPTY is set, but not to"},
		{"X, a,b=c", ""},
		{"a", "a is not set"},
		{"S, guess", `S is set, but not to "guess"`},
	} {
		got := one(t, dummy.Options{Workspace: t.TempDir(), Env: env}, dummy.Op{Op: "assert_env", Args: tc.args})
		if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s: error %q, want %q", tc.args, got, tc.want)
		}
		if strings.Contains(got, "s3cret") {
			t.Errorf("%s: error %q tells the value", tc.args, got)
		}
	}
}

func TestAssertFile(t *testing.T) {
	ws, repo := t.TempDir(), t.TempDir()
	write(t, filepath.Join(ws, "output/a"), "")
	write(t, filepath.Join(repo, "in-repo"), "x")
	if err := os.Symlink(filepath.Join(repo, "in-repo"), filepath.Join(ws, "link")); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ path, want string }{
		{"output/a", ""},
		{"output", "output: not a regular file"},
		{"in-repo", "in-repo: no such file"},
		{"link", "escapes"},
	} {
		got := one(t, dummy.Options{Workspace: ws, Repo: repo}, dummy.Op{Op: "assert_file", Args: tc.path})
		if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s: error %q, want %q", tc.path, got, tc.want)
		}
	}
}

func TestAssertJSON(t *testing.T) {
	ws := t.TempDir()
	write(t, filepath.Join(ws, "a.json"), `{
		"action": "sufficient", "n": 0, "big": 12345678901234567890, "half": 0.5, "no": false, "nil": null, "yes": true,
		"text": "7", "empty": "", "list": [{"name": "x"}, 2, []], "deep": {"0": "key", "a-b": {"c": 1}}
	}`)
	write(t, filepath.Join(ws, "bad.json"), `{"action": `)
	write(t, filepath.Join(ws, "two.json"), `{} {}`)
	write(t, filepath.Join(ws, "none.json"), " \n")
	write(t, filepath.Join(ws, "list.json"), `[false]`)
	for _, tc := range []struct{ args, want string }{
		{"a.json, action", ""},
		{"a.json, action, sufficient", ""},
		{`a.json, action, "sufficient"`, ""},
		{"a.json, action, insufficient", `a.json: action is "sufficient", not "insufficient"`},
		{"a.json, n", ""},
		{"a.json, empty", ""},
		{`a.json, empty, ""`, ""},
		{"a.json, list.2", ""},
		{"a.json, no", "no is false, which counts as absent; when it is meant, expect it: `a.json, no, false`"},
		{"a.json, nil", "nil is null, which counts as absent"},
		{"a.json, no, false", ""},
		{"a.json, nil, null", ""},
		{"a.json, nil, false", "nil is null, not false"},
		{`a.json, no, "false"`, `no is false, not "false"`},
		{"a.json, yes, true", ""},
		{"a.json, gone", "a.json: there is no gone"},
		{"a.json, gone, null", "a.json: there is no gone"},
		{"a.json, n, 0.0", ""},
		{"a.json, half, 5e-1", ""},
		{"a.json, half, 1e999999999", "half is 0.5, not 1e999999999"},
		{"a.json, big, 12345678901234567890", ""},
		{"a.json, text, 7", `text is "7", not 7`},
		{`a.json, text, "7"`, ""},
		{"a.json, list.0.name, x", ""},
		{"a.json, list.3", "there is no list.3: it is a list of 3"},
		{"a.json, list.x", "there is no list.x"},
		{`a.json, list, [{"name": "x"}, 2, []]`, ""},
		{`a.json, list, [{"name": "y"}, 2, []]`, "list is"},
		{"a.json, deep.0, key", ""},
		{`a.json, deep.a-b, {"c": 1.0}`, ""},
		{"a.json, action.x", `there is no action.x: action is "sufficient"`},
		{"list.json, 0, false", ""},
		{"list.json, 0", "0 is false"},
		{"bad.json, action", "bad.json is not valid JSON"},
		{"two.json, action", "something follows the value"},
		{"none.json, action", "there is nothing in it"},
		{"absent.json, action", "absent.json: no such file"},
	} {
		got := one(t, dummy.Options{Workspace: ws}, dummy.Op{Op: "assert_json", Args: tc.args})
		if (tc.want == "") != (got == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s: error %q, want %q", tc.args, got, tc.want)
		}
	}
}

// The command passes its own environment on.
func TestCommandAssertsItsEnvironment(t *testing.T) {
	t.Setenv("CREW_AGENT", "triage")
	dir := t.TempDir()
	script := filepath.Join(dir, "s.yaml")
	write(t, script, "ops: [{description: d, op: assert_env, args: 'CREW_AGENT, triage'}]")
	var stdout, stderr bytes.Buffer
	if code := dummy.Main([]string{"--script", script, "--workspace", dir}, &stdout, &stderr); code != 0 {
		t.Errorf("exit code %d\n%s%s", code, &stdout, &stderr)
	}
}
