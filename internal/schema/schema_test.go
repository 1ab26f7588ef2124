package schema_test

import (
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/internal/schema"
)

const text = `{"type": "object", "required": ["action"], "additionalProperties": false, "properties": {
	"action": {"enum": ["ok", "not"]}, "n": {"type": "integer", "minimum": 1}}}`

func TestCheck(t *testing.T) {
	s, err := schema.Compile("a.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ document, want string }{
		{`{"action": "ok", "n": 1}`, ""},
		{`{"action": "no", "n": 0}`, "/action: value must be one of 'ok', 'not'; /n: minimum: got 0, want 1"},
		{`{}`, "/: missing property 'action'"},
		{`{"action": "ok", "m": 1}`, "/: additional properties 'm' not allowed"},
		{`{"action": `, "not valid JSON: unexpected end of JSON input"},
		{``, "not valid JSON: unexpected end of JSON input"},
		{`{"action": "ok"} x`, "not valid JSON: invalid character 'x' after top-level value"},
	} {
		err := s.Check([]byte(tt.document))
		if (tt.want == "") != (err == nil) || err != nil && err.Error() != tt.want {
			t.Errorf("%s: got %v, want %q", tt.document, err, tt.want)
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{`, "schema a.json is not valid JSON: unexpected end"},
		{`{"type": "objekt"}`, "schema a.json: "},
		{`{"$ref": "other.json"}`, "references to other documents are not allowed"},
		{`{"$ref": "http://a.test/x.json"}`, "references to other documents are not allowed"},
		{`{"pattern": "("}`, "schema a.json: "},
	} {
		if _, err := schema.Compile("a.json", []byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.text, err, tt.want)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte(text), []byte(`{"action": "ok"}`))
	f.Add([]byte(`{"$ref": "#/$defs/a", "$defs": {"a": true}}`), []byte(`[1e999]`))
	f.Fuzz(func(t *testing.T, text, document []byte) {
		s, err := schema.Compile("a.json", text)
		if err != nil {
			return
		}
		if err := s.Check(document); err != nil && err.Error() == "" {
			t.Error("an error that says nothing")
		}
	})
}
