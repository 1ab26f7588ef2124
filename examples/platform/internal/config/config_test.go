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
  triage: {}
  far: {source: "https://raw.test/o/r/main/harness/far.yaml#sha256=00", enabled: false, model: m, effort: low}
allowed_hosts: [allowed.test, "127.0.0.1:8080"]
allowed_remote_resources: ["https://raw.test/o/r/main/"]
`

// checkout makes a checkout with crew's files in ops/crew.
func checkout(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, "ops/crew")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestLoad(t *testing.T) {
	root := checkout(t, nil)
	if _, err := config.Load(root, "ops/crew"); err == nil || !strings.Contains(err.Error(), "ops/crew/config.yaml is not in the checkout") {
		t.Errorf("without a file: %v", err)
	}
	root = checkout(t, map[string]string{"config.yaml": good})
	c, err := config.Load(root, "ops/crew")
	if err != nil {
		t.Fatal(err)
	}
	if c.Source != "ops/crew/config.yaml" || c.Dir != filepath.Join(root, "ops/crew") || c.Agents["triage"].Source != "harness/triage.yaml" {
		t.Errorf("config %+v", c)
	}
	if far := c.Agents["far"]; !far.Remote() || !far.Disabled() || far.Model != "m" || far.Effort != "low" || c.Agents["triage"].Disabled() {
		t.Errorf("agents %+v", c.Agents)
	}
	if !slices.Contains(c.Commands["dummy"], "understudy-job") {
		t.Errorf("dummy has the command %q", c.Commands["dummy"])
	}
	if c.From("runtime") != "ops/crew/config.yaml" || c.From("model") != "default" || c.From("agents.far") != "ops/crew/config.yaml" {
		t.Errorf("origins %v", c.Origin)
	}
	for _, bad := range []string{"", ".", "..", "../x", "/x", ".git", ".git/x", "a/"} {
		if _, err := config.Load(root, bad); err == nil {
			t.Errorf("directory %q was accepted", bad)
		}
	}
}

func TestOverlay(t *testing.T) {
	root := checkout(t, map[string]string{
		"config.base.yaml": "runtime: echo\nmodel: base\nkill_switch: true\nagents: {triage: {model: m, enabled: false}, code: {}}\nallowed_hosts: [a]\ncommands: {echo: [echo]}\n",
		"config.yaml":      "model: mine\nkill_switch: false\nagents: {triage: {effort: high}}\nallowed_hosts: []\n",
	})
	c, err := config.Load(root, "ops/crew")
	if err != nil {
		t.Fatal(err)
	}
	if c.Runtime != "echo" || c.Model != "mine" || c.KillSwitch || len(c.AllowedHosts) > 0 || len(c.Agents) != 2 {
		t.Errorf("config %+v", c)
	}
	if a := c.Agents["triage"]; a.Model != "" || a.Effort != "high" || a.Disabled() {
		t.Errorf("an entry is not replaced whole: %+v", a)
	}
	for key, want := range map[string]string{"runtime": "config.base.yaml", "model": "config.yaml", "agents.triage": "config.yaml", "agents.code": "config.base.yaml"} {
		if c.From(key) != "ops/crew/"+want {
			t.Errorf("%s comes from %s", key, c.From(key))
		}
	}
	root = checkout(t, map[string]string{"config.base.yaml": good, "config.yaml": "# nothing of our own\n"})
	if c, err = config.Load(root, "ops/crew"); err != nil || len(c.Agents) != 2 || c.Runtime != "dummy" {
		t.Errorf("a preset alone: %+v, %v", c, err)
	}
}

func TestParseRefuses(t *testing.T) {
	far := func(source string) string { return strings.Replace(good, "triage: {}", "b: {source: "+source+"}", 1) }
	for _, tc := range []struct{ name, text, want string }{
		{"empty", "", "c.yaml: agents is missing"},
		{"unknown key", good + "colour: red\n", `c.yaml:8: key "colour" is unknown`},
		{"unknown agent key", strings.Replace(good, "{}", "{lable: x}", 1), `c.yaml:4: key "lable" is unknown`},
		{"kill switch no boolean", strings.Replace(good, "false", "maybe", 1), "c.yaml:2: cannot unmarshal"},
		{"runtime twice", good + "runtime: x\n", "c.yaml:8: mapping key"},
		{"no runtime", strings.Replace(good, "runtime: dummy", "runtime: ''", 1), `c.yaml:1: runtime "" is no name`},
		{"unknown runtime", strings.Replace(good, "runtime: dummy", "runtime: oracle", 1), `c.yaml:1: runtime "oracle" has no command; known: dummy`},
		{"unknown runtime of an agent", strings.Replace(good, "{}", "{runtime: oracle}", 1), `c.yaml:4: agent triage: runtime "oracle" has no command`},
		{"effort", good + "effort: huge\n", `c.yaml:8: effort "huge" is unknown; there are low, medium, high`},
		{"effort of an agent", strings.Replace(good, "{}", "{effort: huge}", 1), `c.yaml:4: agent triage: effort "huge"`},
		{"agent name", strings.Replace(good, "triage:", "../x:", 1), `c.yaml:4: agent "../x"`},
		{"source outside", far("../x.yaml"), `c.yaml:4: agent b: source "../x.yaml": must be`},
		{"source no yaml", far("harness/x.sh"), `source "harness/x.sh": must be`},
		{"plain http", far(`"http://raw.test/o/r/main/x.yaml"`), ": must be a plain https URL"},
		{"plain http elsewhere", far(`"http://10.0.0.1/o/x.yaml"`), ": must be a plain https URL"},
		{"up and away", far(`"https://raw.test/o/r/main/../x.yaml"`), ": must be a plain https URL"},
		{"encoded", far(`"https://raw.test/o/r/main/%2e%2e/x.yaml"`), ": must be a plain https URL"},
		{"user", far(`"https://raw.test@evil.test/o/r/main/x.yaml"`), ": must be a plain https URL"},
		{"allowed without end", strings.Replace(good, `main/"]`, `main"]`, 1), `c.yaml:7: allowed remote resource "https://raw.test/o/r/main"`},
		{"host with scheme", strings.Replace(good, "allowed.test", `"http://allowed.test"`, 1), `c.yaml:6: allowed host "http://allowed.test"`},
		{"wildcard", strings.Replace(good, "allowed.test", `"*.test"`, 1), `allowed host "*.test"`},
		{"empty command", good + "commands: {x: []}\n", `c.yaml:8: runtime "x" has an empty command`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := config.Parse(config.Text{Name: "c.yaml", Data: []byte(tc.text)})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want it to contain %q", err, tc.want)
			}
		})
	}
}

func TestUncovered(t *testing.T) {
	for source, want := range map[string]string{
		"https://raw.test/o/r/main/x.yaml":   "",
		"harness/x.yaml":                     "",
		"https://evil.test/o/r/main/x.yaml":  "c.yaml: agent b: URL https://evil.test/o/r/main/x.yaml is not covered by allowed_remote_resources",
		"https://raw.test/o/r/mainly/x.yaml": "c.yaml: agent b: URL https://raw.test/o/r/mainly/x.yaml is not covered by allowed_remote_resources",
		"http://127.0.0.1:1/raw/o/x.yaml":    "c.yaml: agent b: URL http://127.0.0.1:1/raw/o/x.yaml is not covered by allowed_remote_resources",
	} {
		c, err := config.Parse(config.Text{Name: "c.yaml", Data: []byte(strings.Replace(good, "triage: {}", "b: {source: '"+source+"'}", 1))})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Uncovered(c.Covers); (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("%s: %v, want %q", source, err, want)
		}
	}
}

func TestCommandOfAnotherRuntime(t *testing.T) {
	text := strings.Replace(good, "runtime: dummy", "runtime: echo", 1) + "commands: {echo: [echo, hi]}\n"
	c, err := config.Parse(config.Text{Name: "c.yaml", Data: []byte(text)})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Commands["echo"]; !slices.Equal(got, []string{"echo", "hi"}) {
		t.Errorf("command %q", got)
	}
}

// FuzzParse: every text is a configuration or an error.
func FuzzParse(f *testing.F) {
	f.Add([]byte(good), []byte("agents: {triage: {effort: high}}\n"))
	f.Fuzz(func(t *testing.T, base, own []byte) {
		c, err := config.Parse(config.Text{Name: "b.yaml", Data: base}, config.Text{Name: "c.yaml", Data: own})
		if err == nil && (len(c.Agents) == 0 || c.Commands[c.Runtime] == nil) {
			t.Errorf("accepted %+v", c)
		}
	})
}
