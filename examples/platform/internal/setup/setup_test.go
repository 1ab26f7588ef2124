package setup_test

import (
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"example.com/crew/internal/config"
	"example.com/crew/internal/defect"
	"example.com/crew/internal/forge"
	"example.com/crew/internal/forge/forgetest"
	"example.com/crew/internal/schema"
	"example.com/crew/internal/setup"
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
	if len(files) != 5 || files["README.md"] != "# app\n" {
		t.Errorf("files %v", files)
	}
	c, err := config.Parse([]byte(files["ops/crew/config.yaml"]))
	if err != nil {
		t.Fatal(err)
	}
	if c.Runtime != "dummy" || c.KillSwitch || !slices.Equal(c.AllowedHosts, []string{"allowed.test"}) || c.Agents["triage"].Label != "ready-for-triage" {
		t.Errorf("config %+v", c)
	}
	for _, agent := range []string{"triage", "review"} {
		name := "ops/crew/" + c.Agents[agent].Schema
		if _, err := schema.Compile(name, []byte(files[name])); err != nil {
			t.Error(err)
		}
	}
	if f.Variables["CREW_DIR"] != "ops/crew" || len(f.Variables) != 1 || f.Secrets["CREW_BOT_TOKEN"] != "bot-token" {
		t.Errorf("variables %v, secrets %v", f.Variables, f.Secrets)
	}
	if want := []string{"ready-for-triage", "ready-for-review", "triaged", "ready-to-code", "needs-info"}; !slices.Equal(f.Labels, want) {
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

func TestInstallKeepsConfig(t *testing.T) {
	f := forgetest.New(t)
	o := options(t, f)
	f.Commits[0].Files["ops/crew/config.yaml"] = "kept"
	if _, err := setup.Install(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if got := f.Commits[1].Files["ops/crew/config.yaml"]; got != "kept" {
		t.Errorf("config %q", got)
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
