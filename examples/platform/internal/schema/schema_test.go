package schema_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/crew/internal/schema"
)

const file = "../setup/files/schemas/triage-result.schema.json"

func TestCheck(t *testing.T) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.Compile(file, data)
	if err != nil {
		t.Fatal(err)
	}
	const wrong = "FAIL: schema validation error: "
	for _, tc := range []struct{ name, result, want string }{
		{"sufficient", `{"action":"sufficient","reason":"r","comment":"s"}`, ""},
		{"insufficient", `{"action":"insufficient","reason":"r","comment":"s","questions":["why?"]}`, ""},
		{"missing", "-", "FAIL: output/agent-result.json not found"},
		{"empty", "", "FAIL: output/agent-result.json is not valid JSON: unexpected end of JSON input"},
		{"no JSON", "{action", "FAIL: output/agent-result.json is not valid JSON: invalid character 'a' looking for beginning of object key string"},
		{"more follows", `{"action":"sufficient","reason":"r","comment":"s"} x`, "FAIL: output/agent-result.json is not valid JSON: invalid character 'x' after top-level value"},
		{"too large", `"` + strings.Repeat("x", 1<<20) + `"`, "FAIL: output/agent-result.json is larger than 1048576 bytes"},
		{"array", `[]`, wrong + "/: got array, want object"},
		{"no comment", `{"action":"sufficient","reason":"r"}`, wrong + "/: missing property 'comment'"},
		{"no more than an action", `{"action":"sufficient"}`, wrong + "/: missing properties 'reason', 'comment'"},
		{"unknown action", `{"action":"maybe","reason":"r","comment":"s"}`, wrong + "/action: value must be one of 'sufficient', 'insufficient'"},
		{"unknown key", `{"action":"sufficient","reason":"r","comment":"s","x":1}`, wrong + "/: additional properties 'x' not allowed"},
		{"conditional", `{"action":"insufficient","reason":"r","comment":"s"}`, wrong + "/: missing property 'questions'"},
		{"deep", `{"action":"insufficient","reason":"r","comment":"s","questions":["a",5]}`, wrong + "/questions/1: got number, want string"},
		{"two", `{"action":"maybe","reason":"r","comment":""}`, wrong + "/action: value must be one of 'sufficient', 'insufficient'; /comment: minLength: got 0, want 1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ws := t.TempDir()
			if err := os.Mkdir(filepath.Join(ws, "output"), 0o755); err != nil {
				t.Fatal(err)
			}
			if tc.result != "-" {
				if err := os.WriteFile(filepath.Join(ws, schema.Result), []byte(tc.result), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			got := ""
			if err := s.Check(ws); err != nil {
				if _, ok := err.(schema.Failure); !ok {
					t.Fatalf("not a failure: %v", err)
				}
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("check says %q, want %q", got, tc.want)
			}
		})
	}
}

func TestCheckFollowsNoLink(t *testing.T) {
	s, err := schema.Compile("any", []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	ws, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret.json")
	if err := os.WriteFile(outside, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(ws, "output"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(ws, schema.Result)); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(ws); err == nil || err.Error() != "FAIL: output/agent-result.json not found" {
		t.Errorf("check of a link says %v", err)
	}
}

func TestCompileRefuses(t *testing.T) {
	for _, text := range []string{"{", `{"type":"nothing"}`, `{"$ref":"file:///etc/passwd"}`, `{"$ref":"https://example.com/s.json"}`} {
		if _, err := schema.Compile("s.json", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), "schema s.json: ") {
			t.Errorf("%s: error %v", text, err)
		}
	}
}
