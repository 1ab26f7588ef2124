package run_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.com/crew/internal/config"
	"example.com/crew/internal/current"
	"example.com/crew/internal/defect"
	"example.com/crew/internal/policy"
	"example.com/crew/internal/run"
)

const schemaText = `{"type":"object","required":["action"],"properties":{"action":{"const":"ok"}}}`

// stage makes a checkout whose agent is a shell script, and options to run it.
func stage(t *testing.T, script string) (config.Config, run.Options, *bytes.Buffer) {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, ".crew")
	if err := os.MkdirAll(filepath.Join(dir, "harness"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "agents"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"s.json": schemaText, "harness/triage.yaml": "schema: s.json\n", "harness/mine.yaml": "{}\n", "harness/none.yaml": "schema: none.json\n",
		"agents/triage.md": "---\nname: triage\nmodel: from-file\ntools: [x]\n---\nWork.\n", "agents/mine.md": "Work.\n",
		"harness/twice.yaml": "schema: s.json\nrole: twice\nagent: agents/mine.md\nmodel: from-harness\nenv: {OWN: own}\nvalidation_loop: {max_iterations: 2}\n",
		"harness/path.yaml":  "env: {PATH: x}\n", "harness/agentless.yaml": "schema: s.json\nagent: agents/gone.md\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var log bytes.Buffer
	c := config.Config{
		Runtime: "shell", Dir: dir, Source: ".crew/config.yaml", AllowedHosts: []string{"allowed.test"},
		Agents:   map[string]config.Entry{"triage": {Source: "harness/triage.yaml"}, "mine": {Source: "harness/mine.yaml"}},
		Origin:   map[string]string{"runtime": ".crew/config.yaml"},
		Commands: map[string][]string{"shell": {"sh", "-c", script, "sh", "{dir}", "{workspace}", "{repo}", "{proxy}"}},
	}
	o := run.Options{
		Agent: "triage", Issue: 7, Checkout: root, Output: filepath.Join(root, "crew-output"),
		Temp: t.TempDir(), Path: os.Getenv("PATH"), Log: &log,
	}
	return c, o, &log
}

func read(t *testing.T, o run.Options, name string, v any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(o.Output, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// files lists the output directory.
func files(t *testing.T, o run.Options) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(o.Output, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(o.Output, p)
			all = append(all, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

const good = `echo '{"action":"ok"}' > output/agent-result.json; `

func TestStatus(t *testing.T) {
	t.Setenv("GITHUB_SHA", "1")
	for _, tc := range []struct {
		name, script string
		defect       defect.Name
		status       run.Status
		message      string
		exit         int
	}{
		{"good", good, "", run.Succeeded, "", 0},
		{"exit code is a warning", good + "exit 3", "", run.Succeeded, "", 3},
		{"killed", good + "kill -9 $$", "", run.Succeeded, "", -1},
		{"missing", "exit 2", "", run.Invalid, "Validation failed: FAIL: output/agent-result.json not found", 2},
		{"malformed", "echo '{' > output/agent-result.json", "", run.Invalid, "Validation failed: FAIL: output/agent-result.json is not valid JSON: unexpected end of JSON input", 0},
		{"invalid", "echo '{\"action\":1}' > output/agent-result.json", "", run.Invalid, "Validation failed: FAIL: schema validation error: /action: value must be 'ok'", 0},
		{"the configuration is looked at first", "echo > \"$1/config.yaml\"; " + good, "", run.Succeeded, "", 0},
		{"the schema is read first", "echo '{}' > \"$1/s.json\"; echo '{}' > output/agent-result.json", "", run.Invalid, "Validation failed: FAIL: schema validation error: /: missing property 'action'", 0},
		{"output removed", "rm -r output", "", run.Invalid, "Validation failed: FAIL: output/agent-result.json not found", 0},
		{"defect", "echo '{' > output/agent-result.json", defect.SchemaCheckKilled, run.Succeeded, "", 0},
		{"the job's environment", `test -z "$GITHUB_SHA" || exit 9; ` + good, "", run.Succeeded, "", 0},
		{"leaks with the defect", `test -z "$GITHUB_SHA" || exit 9; ` + good, defect.EnvironmentLeaks, run.Invalid, "Validation failed: FAIL: output/agent-result.json not found", 9},
		{"other defect", "exit 0", defect.AnyLabelTriggers, run.Invalid, "Validation failed: FAIL: output/agent-result.json not found", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, o, log := stage(t, tc.script)
			o.Defect = tc.defect
			if err := os.WriteFile(filepath.Join(c.Dir, config.File), []byte("agents: {triage: {}}\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			were, err := current.Hashes(c.Dir)
			if err != nil || were[config.File] == "" {
				t.Fatalf("%v, %v", were, err)
			}
			got, err := run.Run(t.Context(), c, o)
			if err != nil {
				t.Fatalf("%v\n%s", err, log)
			}
			want := run.Record{Agent: "triage", Issue: 7, Status: tc.status, Message: tc.message, Runtime: "shell", Iteration: 1, AgentExit: tc.exit, Config: were}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("record %+v, want %+v", got, want)
			}
			stored, err := run.ReadRecord(o.Output)
			if err != nil || !reflect.DeepEqual(stored, want) {
				t.Errorf("stored %+v, %v", stored, err)
			}
			if (tc.exit != 0) != strings.Contains(log.String(), fmt.Sprintf("::warning::the agent ended with exit code %d\n", tc.exit)) {
				t.Errorf("log %q", log)
			}
			if left, _ := os.ReadDir(o.Temp); len(left) > 0 {
				t.Errorf("the place was left behind: %v", left)
			}
		})
	}
}

// TestNoSchema: what an agent of no known role leaves is not judged.
func TestNoSchema(t *testing.T) {
	c, o, log := stage(t, "exit 0")
	o.Agent = "mine"
	if got, err := run.Run(t.Context(), c, o); err != nil || got.Status != run.Succeeded {
		t.Errorf("record %+v, %v\n%s", got, err, log)
	}
}

func TestOutputTree(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	c, o, _ := stage(t, good+`echo '{"operations":[{},{}]}' > output/behaviour-results.json
		mkdir output/deep; echo hi > output/deep/issues.out
		ln -s `+secret+` output/link; ln -s / output/root; mkfifo output/pipe; echo outside > other; echo said`)
	if err := os.Mkdir(o.Output, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(o.Output, "stale"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	rec, err := run.Run(t.Context(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	if rec.Status != run.Invalid || rec.Message != "Validation failed: FAIL: output/link in the agent's output is a symbolic link; only regular files are taken" {
		t.Errorf("record %+v", rec)
	}
	want := []string{
		"iteration-1/agent.log", "iteration-1/output/agent-result.json", "iteration-1/output/behaviour-results.json",
		"iteration-1/output/deep/issues.out", "metrics.json", "policy.json", "run.json",
	}
	if got := files(t, o); !slices.Equal(got, want) {
		t.Errorf("files %q, want %q", got, want)
	}
	var m run.Metrics
	read(t, o, "metrics.json", &m)
	figures := run.Metrics{Runtime: "shell", RequestedRuntime: "shell", RuntimeSource: ".crew/config.yaml", RequestedModel: "from-file",
		OverrideSource: "agents/triage.md", Iterations: 1, ToolCalls: 2}
	if m != figures {
		t.Errorf("metrics %+v", m)
	}
	if said, err := os.ReadFile(filepath.Join(o.Output, "iteration-1/agent.log")); err != nil || string(said) != "said\n" {
		t.Errorf("log %q, %v", said, err)
	}
}

func TestEnvironmentIsComplete(t *testing.T) {
	t.Setenv("GITHUB_TOKEN", "s3cret")
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	c, o, _ := stage(t, good+`env -0 > output/env; pwd -P > output/pwd; printf '%s\n' "$@" > output/args`)
	if _, err := run.Run(t.Context(), c, o); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(o.Output, "iteration-1/output")
	env, err := os.ReadFile(filepath.Join(out, "env"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for v := range strings.SplitSeq(strings.Trim(string(env), "\x00"), "\x00") {
		name, value, _ := strings.Cut(v, "=")
		if name == "PWD" || name == "_" || name == "OLDPWD" || name == "SHLVL" { // the shell's own
			continue
		}
		names = append(names, name)
		if strings.HasSuffix(strings.ToLower(name), "http_proxy") && value == "http://127.0.0.1:1" {
			t.Errorf("%s is the job's", v)
		}
	}
	slices.Sort(names)
	want := []string{"CREW_AGENT", "CREW_ISSUE", "CREW_ITERATION", "CREW_NUMBER", "CREW_ROLE", "GITHUB_REPOSITORY", "HOME", "HTTPS_PROXY", "HTTP_PROXY", "LANG", "NO_PROXY", "PATH", "TMPDIR", "http_proxy", "https_proxy", "no_proxy"}
	if !slices.Equal(names, want) {
		t.Errorf("environment %q, want %q", names, want)
	}
	args, err := os.ReadFile(filepath.Join(out, "args"))
	if err != nil {
		t.Fatal(err)
	}
	pwd, _ := os.ReadFile(filepath.Join(out, "pwd"))
	got := strings.Split(string(args), "\n")
	if got[0] != c.Dir || got[1] != strings.TrimSpace(string(pwd)) || got[2] != o.Checkout || !strings.HasPrefix(got[3], "http://127.0.0.1:") {
		t.Errorf("arguments %q in %s", got, pwd)
	}
}

// The agent asks through its proxy; the allowed name exists only behind the job's own.
func TestPolicy(t *testing.T) {
	door := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "ok") }))
	defer door.Close()
	c, o, log := stage(t, "")
	ask := `host=${4#http://}; for h in allowed blocked; do
		exec 3<>"/dev/tcp/${host%:*}/${host#*:}"; printf 'GET http://%s.test/ HTTP/1.0\r\n\r\n' $h >&3; cat <&3 >> output/answers
	done`
	c.Commands["shell"][0], c.Commands["shell"][2] = "bash", good+ask
	var err error
	if o.HTTP, err = url.Parse(door.URL); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Run(t.Context(), c, o); err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	var got policy.Record
	read(t, o, "policy.json", &got)
	want := []policy.Decision{
		{Host: "allowed.test", URL: "http://allowed.test/", Decision: "allowed", Status: 200},
		{Host: "blocked.test", URL: "http://blocked.test/", Decision: "refused", Status: 403},
	}
	if !slices.Equal(got.Decisions, want) {
		t.Errorf("decisions %+v, want %+v\n%s", got.Decisions, want, log)
	}
}

func TestBroken(t *testing.T) {
	for _, tc := range []struct {
		name, want string
		change     func(*config.Config, *run.Options)
	}{
		{"unknown agent", `agent "code" is not configured; .crew/config.yaml has: mine, triage`, func(_ *config.Config, o *run.Options) { o.Agent = "code" }},
		{"no schema", "read the schema: none.json: there is no such file", func(c *config.Config, _ *run.Options) {
			c.Agents["triage"] = config.Entry{Source: "harness/none.yaml"}
		}},
		{"no harness", "harness/gone.yaml: there is no such file", func(c *config.Config, _ *run.Options) {
			c.Agents["triage"] = config.Entry{Source: "harness/gone.yaml"}
		}},
		{"no agent file", "read the agent file: agents/gone.md: there is no such file", func(c *config.Config, _ *run.Options) {
			c.Agents["triage"] = config.Entry{Source: "harness/agentless.yaml"}
		}},
		{"crew's own variable", "harness/path.yaml: env PATH is crew's own to set", func(c *config.Config, _ *run.Options) {
			c.Agents["triage"] = config.Entry{Source: "harness/path.yaml"}
		}},
		{"a runtime that is not decisive", `CREW_RUNTIME: runtime "oracle" has no command; known: shell`, func(_ *config.Config, o *run.Options) {
			o.Flags.Runtime, o.Environment.Runtime = "shell", "oracle"
		}},
		{"a model that is none", `--model: model "a b" is no name`, func(_ *config.Config, o *run.Options) { o.Flags.Model = "a b" }},
		{"an effort that is none", `CREW_EFFORT: effort "huge" is unknown`, func(_ *config.Config, o *run.Options) { o.Environment.Effort = "huge" }},
		{"payload", "the event's payload is no JSON object", func(_ *config.Config, o *run.Options) { o.Payload = "[]" }},
		{"payload's address", "the event's payload has the address", func(_ *config.Config, o *run.Options) {
			o.Payload = `{"issue":{"html_url":"https://x\nPATH=y"}}`
		}},
		{"no program", "start runtime shell: ", func(c *config.Config, _ *run.Options) {
			c.Commands["shell"] = []string{"no-such-program"}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, o, _ := stage(t, good)
			tc.change(&c, &o)
			_, err := run.Run(t.Context(), c, o)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want %q", err, tc.want)
			}
			rec, readErr := run.ReadRecord(o.Output)
			if readErr != nil || rec.Status != run.Broken || rec.Message != err.Error() {
				t.Errorf("record %+v, %v", rec, readErr)
			}
		})
	}
}
