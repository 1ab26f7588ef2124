package config_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/crew/internal/config"
)

const good = `runtime: dummy
kill_switch: false
agents:
  triage: {label: ready-for-triage, schema: schemas/t.json}
allowed_hosts: [allowed.test, "127.0.0.1:8080"]
`

func TestLoad(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "ops/crew")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := config.Load(root, "ops/crew"); err == nil || !strings.Contains(err.Error(), "ops/crew/config.yaml is not in the checkout") {
		t.Errorf("without a file: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(good), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := config.Load(root, "ops/crew")
	if err != nil {
		t.Fatal(err)
	}
	if c.Source != "ops/crew/config.yaml" || c.Dir != dir || c.Agents["triage"].Label != "ready-for-triage" {
		t.Errorf("config %+v", c)
	}
	if !slices.Contains(c.Commands["dummy"], "understudy-job") {
		t.Errorf("dummy has the command %q", c.Commands["dummy"])
	}
	for _, bad := range []string{"", ".", "..", "../x", "/x", ".git", ".git/x", "a/"} {
		if _, err := config.Load(root, bad); err == nil {
			t.Errorf("directory %q was accepted", bad)
		}
	}
}

// agent is a good file with the fields that say what starts the agent replaced.
func agent(fields string) string {
	return strings.Replace(good, "label: ready-for-triage", fields, 1)
}

func TestParsePullRequests(t *testing.T) {
	c, err := config.Parse([]byte(agent("for: pull_request, actions: [opened, synchronize], forks: true, enabled: false")))
	if err != nil {
		t.Fatal(err)
	}
	if a := c.Agents["triage"]; !a.Forks || !a.Disabled() || !slices.Equal(a.Actions, []string{config.Opened, config.Synchronize}) {
		t.Errorf("agent %+v", a)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"empty", "", "the file is empty"},
		{"unknown key", good + "colour: red\n", "line 6: field colour not found"},
		{"unknown agent key", strings.Replace(good, "schema:", "shema:", 1), "line 4: field shema not found"},
		{"kill switch no boolean", strings.Replace(good, "false", "maybe", 1), "line 2: cannot unmarshal"},
		{"no runtime", strings.Replace(good, "runtime: dummy", "runtime: ''", 1), "runtime is missing"},
		{"unknown runtime", strings.Replace(good, "runtime: dummy", "runtime: oracle", 1), `runtime "oracle" has no command; known: dummy`},
		{"no agents", "runtime: dummy\n", "agents is missing"},
		{"agent name", strings.Replace(good, "triage:", "../x:", 1), `agent "../x"`},
		{"no label", strings.Replace(good, "label: ready-for-triage, ", "", 1), "agent triage: label is missing"},
		{"for something else", agent("for: commit, label: x"), `agent triage: it is for "commit"`},
		{"unknown action", agent("for: pull_request, actions: [closed], label: x"), `agent triage: action "closed" is unknown; there are opened, synchronize, labeled`},
		{"labeled without label", agent("for: pull_request, actions: [opened, labeled]"), "agent triage: label is missing"},
		{"a pull request's agent without label", agent("for: pull_request"), "agent triage: label is missing"},
		{"actions of an issue", agent("actions: [labeled], label: x"), "agent triage: actions are of a pull request"},
		{"forks of an issue", agent("forks: true, label: x"), "agent triage: forks is of a pull request"},
		{"schema outside", strings.Replace(good, "schemas/t.json", "../t.json", 1), `schema "../t.json" must be`},
		{"host with scheme", strings.Replace(good, "allowed.test", `"http://allowed.test"`, 1), `allowed host "http://allowed.test"`},
		{"wildcard", strings.Replace(good, "allowed.test", `"*.test"`, 1), `allowed host "*.test"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := config.Parse([]byte(tc.text)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want it to contain %q", err, tc.want)
			}
		})
	}
}

func TestCommandOfAnotherRuntime(t *testing.T) {
	text := strings.Replace(good, "runtime: dummy", "runtime: echo", 1) + "commands: {echo: [echo, hi]}\n"
	c, err := config.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Commands["echo"]; !slices.Equal(got, []string{"echo", "hi"}) {
		t.Errorf("command %q", got)
	}
}
