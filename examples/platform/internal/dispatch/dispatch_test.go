package dispatch_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/crew/internal/config"
	"example.com/crew/internal/defect"
	"example.com/crew/internal/dispatch"
)

func TestDecide(t *testing.T) {
	off := false
	c := config.Config{Agents: map[string]config.Agent{
		"triage": {Label: "ready-for-triage"}, "echo": {Label: "ready-for-triage"}, "code": {Label: "ready-to-code"},
		"review": {For: "pull_request", Actions: []string{"opened", "labeled"}, Label: "review", Forks: true},
		"guard":  {For: "pull_request", Actions: []string{"synchronize", "labeled"}, Label: "guard"},
		"idle":   {For: "pull_request", Actions: []string{"opened"}, Forks: true, Enabled: &off},
	}}
	killed := c
	killed.KillSwitch = true
	issue := func(action, label string) dispatch.Event {
		return dispatch.Event{For: "issue", Number: 7, Action: action, Label: label, Sender: "mallory", Role: "none"}
	}
	pull := func(action, label, role string, fork bool) dispatch.Event {
		return dispatch.Event{For: "pull_request", Number: 7, Action: action, Label: label, Sender: "mallory", Role: role, Fork: fork}
	}
	for _, tc := range []struct {
		name   string
		e      dispatch.Event
		c      config.Config
		d      defect.Name
		starts string // agents
		reason string
	}{
		{"one", issue("labeled", "ready-to-code"), c, "", "code", `label "ready-to-code" starts code`},
		{"two in order", issue("labeled", "ready-for-triage"), c, "", "echo triage", "starts echo, triage"},
		{"other label", issue("labeled", "bug"), c, "", "", `label "bug" starts no agent`},
		{"case counts", issue("labeled", "Ready-To-Code"), c, "", "", "starts no agent"},
		{"taken off", issue("unlabeled", "ready-to-code"), c, "", "", `issue action "unlabeled" starts no agent`},
		{"kill switch", issue("labeled", "ready-to-code"), killed, "", "", "the kill switch is on"},
		{"defect", issue("labeled", "bug"), c, defect.AnyLabelTriggers, "code echo triage", ""},
		{"other defect", issue("labeled", "bug"), c, defect.SchemaCheckKilled, "", ""},
		{"a pull request's label on an issue", issue("labeled", "review"), c, "", "", ""},
		{"opened", pull("opened", "", "write", false), c, "", "review", `pull request action "opened" starts review`},
		{"opened from a fork", pull("opened", "", "write", true), c, "", "review", `of a fork's pull request starts review`},
		{"opened by a stranger", pull("opened", "", "none", true), c, "", "", `mallory has the role none, which may not`},
		{"opened by one who may triage", pull("opened", "", "triage", false), c, "", "", "has the role triage"},
		{"opened by one who may read", pull("opened", "", "read", false), c, "", "", "has the role read"},
		{"opened by a maintainer", pull("opened", "", "maintain", false), c, "", "review", ""},
		{"nobody looks who", pull("opened", "", "none", true), c, defect.UnauthorisedAccepted, "review", ""},
		{"a label needs no look", pull("labeled", "review", "", true), c, "", "review", ""},
		{"pushed", pull("synchronize", "", "admin", false), c, "", "guard", ""},
		{"pushed to a fork", pull("synchronize", "", "admin", true), c, "", "", ""},
		{"no forks", pull("labeled", "guard", "", true), c, "", "", `label "guard" of a fork's pull request starts no agent`},
		{"fork flag lost", pull("labeled", "guard", "", true), c, defect.ForkFlagLost, "guard", ""},
		{"kill switch and a fork", pull("opened", "", "write", true), killed, "", "", "the kill switch is on"},
		{"an issue's label on a pull request", pull("labeled", "ready-to-code", "", false), c, "", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := dispatch.Decide(tc.c, tc.e, tc.d)
			want := []dispatch.Cell{}
			for _, agent := range strings.Fields(tc.starts) {
				want = append(want, dispatch.Cell{Agent: agent, Issue: 7})
			}
			if !slices.Equal(got.Matrix.Include, want) || !strings.Contains(got.Reason, tc.reason) || got.Reason == "" {
				t.Errorf("decided %v because %q, want %v because %q", got.Matrix, got.Reason, want, tc.reason)
			}
			if matrix, err := json.Marshal(got.Matrix); err != nil || strings.Contains(string(matrix), "null") {
				t.Errorf("matrix %s, %v", matrix, err)
			}
		})
	}
}

func TestReadEvent(t *testing.T) {
	file := filepath.Join(t.TempDir(), "event.json")
	const sides = `,"sender":{"login":"ada"},"pull_request":{"number":3,"head":{"repo":%s},"base":{"repo":{"full_name":"a/b"}}}}`
	pull := func(head string) string { return `{"action":"opened"` + fmt.Sprintf(sides, head) }
	opened := dispatch.Event{For: "pull_request", Number: 3, Action: "opened", Sender: "ada"}
	fork := opened
	fork.Fork = true
	for _, tc := range []struct {
		name, event, text string
		want              dispatch.Event
		err               string
	}{
		{"good", "issues", `{"action":"labeled","label":{"name":"x"},"issue":{"number":3},"sender":{"login":"ada"}}`,
			dispatch.Event{For: "issue", Number: 3, Action: "labeled", Label: "x", Sender: "ada"}, ""},
		{"other event", "push", `{}`, dispatch.Event{}, `event "push" is unknown`},
		{"no JSON", "issues", `{`, dispatch.Event{}, "read the event: unexpected end"},
		{"no issue", "issues", `{"action":"labeled"}`, dispatch.Event{}, "names no issue"},
		{"no pull request", "pull_request_target", `{"action":"labeled","issue":{"number":3}}`, dispatch.Event{}, "names no pull request"},
		{"own branch", "pull_request_target", pull(`{"full_name":"a/b"}`), opened, ""},
		{"fork", "pull_request_target", pull(`{"full_name":"a/b-fork","fork":true}`), fork, ""},
		{"fork that is gone", "pull_request_target", pull(`null`), fork, ""},
	} {
		if err := os.WriteFile(file, []byte(tc.text), 0o644); err != nil {
			t.Fatal(err)
		}
		e, err := dispatch.ReadEvent(tc.event, file)
		if tc.err == "" && (err != nil || e != tc.want) {
			t.Errorf("%s: %+v, %v", tc.name, e, err)
		}
		if tc.err != "" && (err == nil || !strings.Contains(err.Error(), tc.err)) {
			t.Errorf("%s: error %v, want %q", tc.name, err, tc.err)
		}
	}
}
