package actions_test

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/emulator/actions"
	"github.com/understudy-dev/understudy/internal/schedule"
)

var update = flag.Bool("update", false, "write what the workflows of the table do into it")

// TestWorkflows runs the table of testdata/workflows: small workflows, each with what GitHub makes of it
// and where that is written.
//
//	=== what GitHub does
//	https://docs.github.com/…
//	push ref=refs/heads/dev       the events, one a line, each settled before the next
//	+ push ref=refs/heads/dev     one that the next does not wait for
//	advance 2026-12-01T00:00:00Z 24h   time passes: what is scheduled after this moment is due
//	until 2 runs                  or jobs: wait for so many
//	await                         wait until a step writes to $DIR/hold
//	release                       let the step go on that reads $DIR/hold
//	look ##[error]                tell whether a log has the text; look annotations tells them all
//	on: …                         the workflow; without `jobs:` it gets one job "a" that succeeds
//	-- .github/workflows/b.yml -- more files
//	----
//	run ci.yml success            runs and jobs, as they ended
func TestWorkflows(t *testing.T) {
	files, err := filepath.Glob("testdata/workflows/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no table", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { runTable(t, file) })
	}
}

// TestWorkflowsInTheUsualOrder runs the part of the table that is about waiting for one another under a
// schedule that chooses nothing: it must come to the same.
func TestWorkflowsInTheUsualOrder(t *testing.T) {
	for _, name := range []string{"jobs", "call"} {
		runTable(t, "testdata/workflows/"+name+".txt", ordered(schedule.Schedule(nil).Decider()))
	}
}

func runTable(t *testing.T, file string, change ...func(*actions.Options, *memory)) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	vectors := strings.Split(string(data), "=== ")[1:]
	for i, vector := range vectors {
		head, want, ok := strings.Cut(vector, "----\n")
		title, body, _ := strings.Cut(head, "\n")
		source, body, _ := strings.Cut(body, "\n")
		if !ok || !strings.HasPrefix(source, "https://") {
			t.Fatalf("vector %q: want a source in its second line and ---- before the result", title)
		}
		t.Run(title, func(t *testing.T) {
			if at, program, ok := strings.Cut(strings.TrimSuffix(source, ")"), " (needs "); ok {
				source = at
				if _, err := exec.LookPath(program); err != nil {
					t.Skipf("skipped: %s is not on the PATH", program)
				}
			}
			got := runVector(t, body, change...)
			if diff := cmp.Diff(strings.TrimSpace(want), strings.TrimSpace(got)); diff != "" && !*update {
				t.Errorf("%s\n%s", source, diff)
			}
			vectors[i] = head + "----\n" + got + "\n"
		})
	}
	if *update && len(change) == 0 {
		if err := os.WriteFile(file, []byte("=== "+strings.Join(vectors, "=== ")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// runVector returns what the events of a vector started, and the reasons of what failed before any job.
func runVector(t *testing.T, body string, change ...func(*actions.Options, *memory)) string {
	var events []string
	for {
		line, rest, _ := strings.Cut(body, "\n")
		name, _, _ := strings.Cut(line, " ")
		if name == "" || strings.HasSuffix(name, ":") || strings.HasPrefix(line, "--") {
			break
		}
		events, body = append(events, line), rest
	}
	if len(events) == 0 {
		t.Fatal("the vector has no event")
	}
	tools := t.TempDir()
	stubTools(t, tools, "1.97.3")
	serve := func(*platform) {}
	if strings.Contains(body, "actions/cache") {
		var at func(*actions.Options, *memory)
		at, serve = runtimeServer(t)
		change = append(change, at)
	}
	p := start(t, defaultJobs(body), append(change, func(o *actions.Options, m *memory) {
		o.Env["PATH"] = tools + string(filepath.ListSeparator) + o.Env["PATH"]
		m.secrets, m.variables = map[string]string{"DEPLOY": "s3cret"}, map[string]string{"REGION": "eu"}
		m.deploys = map[string]actions.Grant{"production": {
			EnvironmentSecrets: map[string]string{"DEPLOY": "pr0d", "ONLY": "0nly"}, Variables: map[string]string{"REGION": "us", "TIER": "1"},
		}}
	})...)
	serve(p)
	actions.SetMinute(p.engine, time.Second) // of timeout-minutes
	return here.ReplaceAllString(p.play(events), "$1 …")
}

// here is what differs from machine to machine.
var here = regexp.MustCompile(`(on the PATH of this machine is) [^;]*`)

// stubTools writes languages, of versions that no machine has but for Go's.
func stubTools(t *testing.T, dir, goVersion string) {
	t.Helper()
	jdk := filepath.Join(t.TempDir(), "jdk", "bin")
	if err := os.MkdirAll(jdk, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, tells := range map[string]string{
		dir + "/go": "go version go" + goVersion + " linux/amd64", dir + "/python3.97": "Python 3.97.1", dir + "/python3.98": "Python 3.98.2",
		jdk + "/java": `openjdk version "97.0.1" 2097-01-01`, jdk + "/javac": "javac 97.0.1",
	} {
		script := "#!/bin/sh\ncase $1 in version|--version|-version) echo '" + tells + "';; *) echo \"$*\";; esac\n"
		if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(jdk+"/java", dir+"/java"); err != nil {
		t.Fatal(err)
	}
}

// inOrder sorts the jobs of each run: they end in any order.
func inOrder(report string) string {
	lines := strings.SplitAfter(report, "\n")
	for from := 0; from < len(lines); {
		to := from + 1
		for to < len(lines) && strings.HasPrefix(lines[to], "  ") {
			to++
		}
		slices.Sort(lines[from+1 : to])
		from = to
	}
	return strings.Join(lines, "")
}

func defaultJobs(text string) string {
	const job = "jobs:\n  a: {runs-on: ubuntu-latest, steps: [{run: \"true\"}]}\n"
	var out strings.Builder
	has := true
	for _, line := range strings.SplitAfter("-- .github/workflows/ci.yml --\n"+text, "\n") {
		if strings.HasPrefix(line, "-- ") {
			if !has {
				out.WriteString(job)
			}
			has = !strings.Contains(line, ".github/workflows/") || strings.Contains(line, "/lib@")
		}
		has = has || strings.HasPrefix(line, "jobs:")
		out.WriteString(line)
	}
	if !has {
		out.WriteString(job)
	}
	return out.String()
}

// happen emits an event in short: NAME[.ACTION] KEY=VALUE…; a value may be quoted as in JSON.
func (p *platform) happen(line string) {
	p.t.Helper()
	name, rest, _ := strings.Cut(line, " ")
	event, action, _ := strings.Cut(name, ".")
	v := values(p.t, rest)
	payload, detail := map[string]any{"action": action}, []string{}
	for _, key := range []string{"ref", "starts_runs", "approval", "sha", "repo", "actor"} {
		if v[key] != "" {
			detail = append(detail, key, v[key])
		}
	}
	if v["paths"] != "" && event != "push" {
		detail = append(detail, "paths", strings.ReplaceAll(v["paths"], ",", "\n"))
	}
	p.emit(event, action, p.fill(event, action, payload, v), detail...)
}

// fill adds what the event's payload has.
func (p *platform) fill(event, action string, payload map[string]any, v map[string]string) map[string]any {
	issue := map[string]any{"number": 1, "title": "It breaks", "user": map[string]any{"login": "alice"}}
	switch event {
	case "push":
		payload["ref"], payload["deleted"] = v["ref"], v["deleted"] == "yes"
		payload["head_commit"] = map[string]any{"message": v["message"]}
		if v["paths"] != "" {
			payload["commits"] = []any{map[string]any{"modified": strings.Split(v["paths"], ",")}}
		}
	case "issues", "issue_comment":
		payload["issue"], payload["label"], payload["comment"] = issue, map[string]any{"name": v["label"]}, map[string]any{"body": v["body"]}
	case "pull_request", "pull_request_review", "pull_request_review_comment":
		from := "acme/app"
		if v["fork"] != "" {
			from = v["fork"]
		}
		payload["pull_request"] = map[string]any{
			"number": 7, "title": "Mend it", "merge_commit_sha": strings.Repeat("7", 40), "draft": v["draft"] == "yes",
			"base": map[string]any{"ref": orElse(v["base"], "main"), "repo": map[string]any{"full_name": "acme/app"}},
			"head": map[string]any{"ref": orElse(v["head"], "fix"), "sha": strings.Repeat("8", 40), "repo": map[string]any{"full_name": from}},
		}
		payload["label"] = map[string]any{"name": v["label"]}
		if v["pull"] != "" {
			maps.Copy(payload["pull_request"].(map[string]any), parsed(p.t, v["pull"]).(map[string]any))
		}
	case "workflow_dispatch":
		payload["workflow"] = orElse(v["file"], "ci.yml")
		if v["inputs"] != "" {
			payload["inputs"] = parsed(p.t, v["inputs"])
		}
	case "repository_dispatch":
		payload["client_payload"] = parsed(p.t, orElse(v["client_payload"], "{}"))
	case "create", "delete":
		payload["ref"], payload["ref_type"] = v["name"], v["type"]
	}
	return payload
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func parsed(t testing.TB, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// values reads KEY=VALUE pairs; a value that starts with a quote, a brace or a bracket is JSON without
// spaces outside of strings.
func values(t testing.TB, text string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		key, rest, ok := strings.Cut(text, "=")
		if !ok {
			t.Fatalf("%q is not KEY=VALUE", text)
		}
		if rest != "" && strings.ContainsAny(rest[:1], `"{[`) {
			d := json.NewDecoder(strings.NewReader(rest))
			var raw json.RawMessage
			if err := d.Decode(&raw); err != nil {
				t.Fatalf("%s: %v", rest, err)
			}
			out[key], text = string(raw), rest[d.InputOffset():]
			var s string
			if json.Unmarshal(raw, &s) == nil {
				out[key] = s
			}
			continue
		}
		out[key], text, _ = strings.Cut(rest, " ")
	}
	return out
}
