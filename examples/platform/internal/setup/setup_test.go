package setup_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"example.com/crew/internal/config"
	"example.com/crew/internal/defect"
	"example.com/crew/internal/forge"
	"example.com/crew/internal/forge/forgetest"
	"example.com/crew/internal/harness"
	"example.com/crew/internal/schema"
	"example.com/crew/internal/setup"
	"example.com/crew/internal/stage"
	"example.com/crew/internal/trigger"
)

func options(t *testing.T, f *forgetest.Forge) setup.Options {
	t.Helper()
	c, err := forge.New(f.URL, "admin", forgetest.Repo)
	if err != nil {
		t.Fatal(err)
	}
	return setup.Options{Forge: c, Dir: "ops/crew", BotToken: "bot-token"}
}

func TestInstall(t *testing.T) {
	f := forgetest.New(t)
	o := options(t, f)
	sha, err := setup.Install(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Commits) != 2 || f.Commits[1].SHA != sha {
		t.Fatalf("%d commits, want one on top", len(f.Commits))
	}
	files := f.Commits[1].Files
	if len(files) != 2+1+3*6+1 || files["README.md"] != "# app\n" {
		t.Errorf("files %q", slices.Sorted(maps.Keys(files)))
	}
	dir := t.TempDir()
	for name, text := range files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755), os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	c, err := config.Load(dir, "ops/crew")
	if err != nil {
		t.Fatal(err)
	}
	if c.Runtime != "dummy" || c.KillSwitch || !slices.Equal(c.AllowedHosts, []string{"allowed.test"}) {
		t.Errorf("config %+v", c)
	}
	checkAgents(t, c)
	if f.Variables["CREW_DIR"] != "ops/crew" || len(f.Variables) != 1 || f.Secrets["CREW_BOT_TOKEN"] != "bot-token" {
		t.Errorf("variables %v, secrets %v", f.Variables, f.Secrets)
	}
	if want := []string{
		"ready-for-triage", "triaged", "needs-info", "ready-to-code", "pr-open", "ready-for-review", "priority-high", "priority-medium", "priority-low",
	}; !slices.Equal(f.Labels, want) {
		t.Errorf("labels %q", f.Labels)
	}
	if last := f.Calls[len(f.Calls)-1]; last != "admin PATCH /git/refs/heads/main" {
		t.Errorf("last call %q: the workflow must come last", last)
	}
	sha, err = setup.Install(t.Context(), o)
	if err != nil || sha != "" || len(f.Commits) != 2 {
		t.Errorf("second time: %q, %v, %d commits", sha, err, len(f.Commits))
	}
}

// checkAgents: the six are there, triage and review start, and each has all that it names.
func checkAgents(t *testing.T, c config.Config) {
	t.Helper()
	if names := slices.Sorted(maps.Keys(c.Agents)); !slices.Equal(names, slices.Sorted(slices.Values(stage.Roles()))) {
		t.Errorf("agents %q", names)
	}
	l := harness.Loader{Dir: c.Dir}
	compiler, err := trigger.NewCompiler()
	if err != nil {
		t.Fatal(err)
	}
	for name, e := range c.Agents {
		if e.Disabled() != (name != "triage" && name != "review") {
			t.Errorf("agent %s: disabled %t", name, e.Disabled())
		}
		h, err := l.Load(t.Context(), name, e.Source)
		if err != nil {
			t.Error(err)
			continue
		}
		if h.Role != name {
			t.Errorf("agent %s has the role %s", name, h.Role)
		}
		if _, err := compiler.Compile(h.Trigger); err != nil {
			t.Error(err)
		}
		if text, err := l.Read(t.Context(), h.Agent); err != nil || !strings.HasPrefix(string(text), "---\nname: "+name+"\n") {
			t.Errorf("agent file of %s: %q, %v", name, text, err)
		}
		data, err := l.Read(t.Context(), h.Schema)
		if err != nil {
			t.Error(err)
		}
		if _, err := schema.Compile(h.Schema.Path, data); err != nil {
			t.Error(err)
		}
	}
}

func TestInstallKeepsConfig(t *testing.T) {
	f := forgetest.New(t)
	o := options(t, f)
	for _, name := range []string{"config.yaml", "harness/triage.yaml", "agents/code.md", "schemas/fix-result.schema.json"} {
		f.Commits[0].Files["ops/crew/"+name] = "kept"
	}
	if _, err := setup.Install(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	for name, kept := range map[string]bool{"config.yaml": true, "harness/triage.yaml": true, "agents/code.md": true, "schemas/fix-result.schema.json": false} {
		if got := f.Commits[1].Files["ops/crew/"+name]; (got == "kept") != kept {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestInstallDefect(t *testing.T) {
	f := forgetest.New(t)
	o := options(t, f)
	for _, d := range []defect.Name{defect.None, defect.AnyLabelTriggers, defect.None} {
		o.Defect = d
		if _, err := setup.Install(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		text := f.Commits[len(f.Commits)-1].Files[setup.WorkflowPath]
		var w struct {
			Env map[string]string `yaml:"env"`
		}
		if err := yaml.Unmarshal([]byte(text), &w); err != nil {
			t.Fatal(err)
		}
		if w.Env["CREW_DEFECT"] != string(d) || strings.Contains(text, "@DEFECT@") || d == "" && strings.Contains(text, "DEFECT") {
			t.Errorf("with %q: env %v", d, w.Env)
		}
	}
}

func TestInstallFails(t *testing.T) {
	for call, want := range map[string]string{
		"GET ":                                "read the repository: GET : 403",
		"POST /labels":                        "create label ready-for-triage: ",
		"PUT /actions/secrets/CREW_BOT_TOKEN": "set secret CREW_BOT_TOKEN: ",
		"POST /git/trees":                     "commit crew's files: ",
	} {
		f := forgetest.New(t)
		f.Fail[call] = 403
		_, err := setup.Install(t.Context(), options(t, f))
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s refused: %v, want %q", call, err, want)
		}
		if len(f.Commits) != 1 {
			t.Errorf("%s refused, but the workflow was committed", call)
		}
	}
}
