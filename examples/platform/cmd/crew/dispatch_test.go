package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/crew/internal/dispatch"
)

func (j job) decision() (d dispatch.Decision, ok bool) {
	j.t.Helper()
	data, err := os.ReadFile(filepath.Join(j.env["GITHUB_WORKSPACE"], "crew-output/dispatch.json"))
	if err != nil {
		return d, false
	}
	if err := json.Unmarshal(data, &d); err != nil {
		j.t.Fatal(err)
	}
	return d, true
}

// TestDenial: exit code 0, an empty matrix and the reason in four places; with the defects, none of them, or no denial.
func TestDenial(t *testing.T) {
	f := installed(t)
	f.Fail["GET /collaborators/mallory/permission"] = 502
	for _, tc := range []struct {
		defect string
		starts string
		told   bool
	}{{"", "any=false", true}, {"denial-silent", "any=false", false}, {"role-lookup-error-accepted", "any=true", true}} {
		j := newJob(t, f)
		j.env["CREW_DEFECT"], j.env["GITHUB_EVENT_NAME"] = tc.defect, "pull_request_target"
		j.env["GITHUB_STEP_SUMMARY"] = filepath.Join(j.dir, "summary")
		j.write("event.json", `{"action":"opened","sender":{"login":"mallory"},"pull_request":{"number":2}}`)
		code, stdout, stderr := j.crew("dispatch")
		if code != 0 || stderr != "" || !strings.Contains(j.outputs(), tc.starts) {
			t.Errorf("%q: %d %q %q, outputs %q", tc.defect, code, stdout, stderr, j.outputs())
		}
		const reason = "mallory has the role none, which may not start agents"
		d, ok := j.decision()
		summary, _ := os.ReadFile(j.env["GITHUB_STEP_SUMMARY"])
		denied := tc.told && tc.starts == "any=false"
		for where, text := range map[string]string{"log": stdout, "outputs": j.outputs(), "summary": string(summary), "dispatch.json": d.Reason} {
			if strings.Contains(text, reason) != denied {
				t.Errorf("%q: %s says %q", tc.defect, where, text)
			}
		}
		if ok != tc.told {
			t.Errorf("%q: dispatch.json is there: %t", tc.defect, ok)
		}
	}
}

// TestCommandOnPullRequest: where the pull request comes from is asked for; if nobody can say, it is a fork's.
func TestCommandOnPullRequest(t *testing.T) {
	f := installed(t)
	f.Roles = map[string]string{"ada": "write"}
	for _, tc := range []struct{ answer, starts string }{
		{`{"number":2,"head":{"ref":"f","sha":"h","repo":{"full_name":"acme/app"}},"base":{"ref":"main","repo":{"full_name":"acme/app"}}}`, "starts fix"},
		{`{"number":2,"head":{"ref":"f","sha":"h","repo":{"full_name":"eve/app"}},"base":{"ref":"main","repo":{"full_name":"acme/app"}}}`, "no agent's trigger matches"},
		{"", "no agent's trigger matches"},
	} {
		f.Pulls = map[string]string{}
		if tc.answer != "" {
			f.Pulls["2"] = tc.answer
		}
		j := newJob(t, f)
		j.write("checkout/.crew/config.yaml", "agents: {fix: {}}\n")
		j.env["GITHUB_EVENT_NAME"] = "issue_comment"
		j.write("event.json", `{"action":"created","comment":{"id":1,"body":"/crew-fix"},"issue":{"number":2,"pull_request":{}},"sender":{"login":"ada"}}`)
		code, stdout, stderr := j.crew("dispatch")
		if code != 0 || stderr != "" || !strings.Contains(stdout, tc.starts) {
			t.Errorf("%s: %d %q %q", tc.answer, code, stdout, stderr)
		}
		if warned := strings.Contains(stdout, "::warning::pull request 2 counts as a fork's: "); warned != (tc.answer == "") {
			t.Errorf("%s: said %q", tc.answer, stdout)
		}
	}
}

// TestEventFile: a normalised event says everything itself; hostile texts stay on their lines.
func TestEventFile(t *testing.T) {
	j := newJob(t, installed(t))
	const text = `{"repo":"acme/app","entity":{"kind":"work_item","id":7,"key":"APP\n::error::7"},"transition":{"kind":"comment_added",` +
		`"comment":{"body":"/crew-triage now"}},"actor":{"id":"ada","kind":"human","role":"ROLE","is_entity_author":false},"state":{"labels":[]},"source":{"system":"jira"}}`
	file := filepath.Join(j.dir, "normal.json")
	for role, want := range map[string]string{"write": "starts triage", "read": "ada has the role read"} {
		j.write("normal.json", strings.Replace(text, "ROLE", role, 1))
		code, stdout, stderr := j.crew("dispatch", "--event", file)
		if code != 0 || stderr != "" || !strings.Contains(stdout, want) || strings.Contains(stdout, "\n::error::7") || strings.Contains(j.outputs(), "\n::error") {
			t.Errorf("%s: %d %q %q", role, code, stdout, stderr)
		}
	}
	j.write("normal.json", `{"repo":"acme/app"}`)
	if code, _, stderr := j.crew("dispatch", "--event", file); code != 1 || !strings.Contains(stderr, "normal.json: source.system is missing") {
		t.Errorf("half an event: %d %q", code, stderr)
	}
}

// TestRemoteNotAllowed: one agent from a place that is not allowed, and nothing is dispatched.
func TestRemoteNotAllowed(t *testing.T) {
	j := newJob(t, installed(t))
	j.write("checkout/.crew/config.yaml", "agents:\n  triage: {}\n  far: {source: 'https://evil.test/far.yaml'}\n")
	code, _, stderr := j.crew("dispatch")
	const want = "agent far: URL https://evil.test/far.yaml is not covered by allowed_remote_resources\n"
	if code != 1 || !strings.HasSuffix(stderr, want) || strings.Contains(j.outputs(), "any=true") {
		t.Errorf("%d %q, outputs %q", code, stderr, j.outputs())
	}
}
