package dispatch_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/crew/internal/config"
	"example.com/crew/internal/defect"
	"example.com/crew/internal/dispatch"
)

func TestDecide(t *testing.T) {
	c := config.Config{Agents: map[string]config.Agent{
		"triage": {Label: "ready-for-triage"}, "echo": {Label: "ready-for-triage"}, "code": {Label: "ready-to-code"},
	}}
	killed := c
	killed.KillSwitch = true
	for _, tc := range []struct {
		name, action, label string
		c                   config.Config
		d                   defect.Name
		matrix, reason      string
	}{
		{"one", "labeled", "ready-to-code", c, "", `{"include":[{"agent":"code","issue":7}]}`, `label "ready-to-code" starts code`},
		{"two in order", "labeled", "ready-for-triage", c, "", `{"include":[{"agent":"echo","issue":7},{"agent":"triage","issue":7}]}`, "starts echo, triage"},
		{"other label", "labeled", "bug", c, "", `{"include":[]}`, `label "bug" starts no agent`},
		{"case counts", "labeled", "Ready-To-Code", c, "", `{"include":[]}`, "starts no agent"},
		{"taken off", "unlabeled", "ready-to-code", c, "", `{"include":[]}`, `issue action "unlabeled" starts no agent`},
		{"kill switch", "labeled", "ready-to-code", killed, "", `{"include":[]}`, "the kill switch is on"},
		{"defect", "labeled", "bug", c, defect.AnyLabelTriggers, `{"include":[{"agent":"code","issue":7},{"agent":"echo","issue":7},{"agent":"triage","issue":7}]}`, ""},
		{"other defect", "labeled", "bug", c, defect.SchemaCheckKilled, `{"include":[]}`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var e dispatch.Event
			e.Action, e.Label.Name, e.Issue.Number = tc.action, tc.label, 7
			got := dispatch.Decide(tc.c, e, tc.d)
			matrix, err := json.Marshal(got.Matrix)
			if err != nil {
				t.Fatal(err)
			}
			if string(matrix) != tc.matrix || !strings.Contains(got.Reason, tc.reason) || got.Reason == "" {
				t.Errorf("decided %s because %q, want %s because %q", matrix, got.Reason, tc.matrix, tc.reason)
			}
		})
	}
}

func TestReadEvent(t *testing.T) {
	file := filepath.Join(t.TempDir(), "event.json")
	for _, tc := range []struct{ name, event, text, want string }{
		{"good", "issues", `{"action":"labeled","label":{"name":"x"},"issue":{"number":3}}`, ""},
		{"other event", "push", `{}`, `event "push" is unknown`},
		{"no JSON", "issues", `{`, "read the event: unexpected end"},
		{"no issue", "issues", `{"action":"labeled"}`, "names no issue"},
	} {
		if err := os.WriteFile(file, []byte(tc.text), 0o644); err != nil {
			t.Fatal(err)
		}
		e, err := dispatch.ReadEvent(tc.event, file)
		if tc.want == "" {
			if err != nil || e.Issue.Number != 3 || e.Label.Name != "x" {
				t.Errorf("%s: %+v, %v", tc.name, e, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want %q", tc.name, err, tc.want)
		}
	}
}
