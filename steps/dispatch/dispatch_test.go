package dispatch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/suite/feature"
	"github.com/understudy-dev/understudy/world"
)

// forge keeps files, by repository and path; commits counts.
type forge struct {
	files   map[string]string
	commits int
	made    []string // repositories
	url     string   // where files are fetched without a credential
}

// ServeHTTP implements http.Handler: /raw/OWNER/NAME/main/PATH.
func (f *forge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	repo, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/raw/o/"), "/main/")
	text, ok := f.files[repo+" "+path]
	if !ok {
		w.WriteHeader(http.StatusNotFound)
	}
	_, _ = w.Write([]byte(text))
}

func (f *forge) As(string) (driver.Session, error) {
	return driver.Session{Files: files{f}, Repos: repos{forge: f}}, nil
}

type repos struct {
	driver.Repos
	*forge
}

func (r repos) Create(_ context.Context, in driver.NewRepo) error {
	r.made = append(r.made, in.Repo.String())
	return nil
}

func (r repos) Get(_ context.Context, repo driver.Repo) (driver.RepoInfo, error) {
	return driver.RepoInfo{Repo: repo, DefaultBranch: "main", CloneURL: r.url + "/" + repo.String() + ".git"}, nil
}

type files struct{ *forge }

func (f files) Read(_ context.Context, r driver.Repo, _, path string) ([]byte, error) {
	text, ok := f.files[r.Name+" "+path]
	if !ok {
		return nil, driver.ErrNotFound
	}
	return []byte(text), nil
}

func (f files) Commit(_ context.Context, r driver.Repo, in driver.NewCommit) (string, error) {
	f.commits++
	for _, file := range in.Files {
		f.forge.files[r.Name+" "+file.Path] = string(file.Content)
	}
	return "sha", nil
}

var platform = driver.Platform{
	Name: "p", Stages: []driver.Stage{{Name: "triage"}}, RawURL: "{server}/raw/{repo}/{ref}/{path}",
	Harness: driver.Harness{
		File: "p/harness/{name}.yaml", Source: "harness/{name}.yaml", Root: "p", Base: "{name}.yaml",
		Pinned: "{url}#sha256={digest}", HostedFile: "h/{name}.yaml", HostedRoot: "h",
		Files: map[string]string{"agent": "agent {file} of {name}", "policy": "none"},
	},
	Edits: map[string]driver.Edit{
		"kill-switch": {File: "p.yaml", Format: "yaml", Path: "kill", Value: true},
		"agent":       {File: "p.yaml", Format: "yaml", Path: "agents.{name}.source", Value: "{source}"},
		"disable":     {File: "p.yaml", Format: "yaml", Path: "agents.{name}.on", Value: false},
		"allow":       {File: "p.yaml", Format: "yaml", Path: "allowed", Value: "{prefix}", Append: true},
		"base":        {File: "p/harness/{name}.yaml", Format: "yaml", Path: "base", Value: "{base}"},
	},
}

func scenario(t *testing.T) (context.Context, *forge) {
	f := &forge{files: map[string]string{"r p.yaml": "kill: false\n", "r p/agents/own.md": "mine\n"}}
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	f.url = s.URL
	set := driver.Unassigned()
	set.Forge, set.Platform, set.Place.Org, set.Place.Repo = f, platform, "o", "r"
	ctx := world.Into(t.Context(), world.New(world.Options{Drivers: set}))
	world.Share(ctx, world.TheRepository, driver.Repo{Owner: "o", Name: "r"})
	return ctx, f
}

func doc(text string) *suite.DocString { return &suite.DocString{Content: text} }

func TestCustomHarness(t *testing.T) {
	ctx, f := scenario(t)
	if err := custom(ctx, "", "mine", doc("agent: agents/mine.md\npolicy: policies/x.yaml\nrole: other")); err != nil {
		t.Fatal(err)
	}
	if f.commits != 1 {
		t.Errorf("%d commits", f.commits)
	}
	if err := custom(ctx, "disabled ", "quiet", doc("agent: agents/own.md\npolicy: https://x.test/p.yaml\n")); err != nil {
		t.Fatal(err)
	}
	if err := based(ctx, "child", "mine", doc("role: child\nagent: ../../outside.md")); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"r p.yaml": "kill: false\nagents:\n  mine:\n    source: harness/mine.yaml\n  quiet:\n    source: harness/quiet.yaml\n    on: false\n" +
			"  child:\n    source: harness/child.yaml\n",
		"r p/harness/mine.yaml":  "agent: agents/mine.md\npolicy: policies/x.yaml\nrole: other\n",
		"r p/agents/mine.md":     "agent mine of mine\n",
		"r p/policies/x.yaml":    "none\n",
		"r p/harness/quiet.yaml": "agent: agents/own.md\npolicy: https://x.test/p.yaml\n",
		"r p/agents/own.md":      "mine\n",
		"r p/harness/child.yaml": "role: child\nagent: ../../outside.md\nbase: mine.yaml\n",
	}
	if diff := cmp.Diff(want, f.files); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"mine", "quiet", "child"}, world.Harnesses(ctx)); diff != "" {
		t.Error(diff)
	}
	if err := kill(ctx); err != nil || !strings.HasPrefix(f.files["r p.yaml"], "kill: true\n") {
		t.Errorf("kill switch: %v, %s", err, f.files["r p.yaml"])
	}
}

// TestHostedHarness: what another repository describes is registered by its address there, with the
// SHA-256 of exactly what was committed.
func TestHostedHarness(t *testing.T) {
	ctx, f := scenario(t)
	if err := fromURL(ctx, "far", "with", doc("role: x")); err == nil || !strings.Contains(err.Error(), "a harness-hosting repository") {
		t.Errorf("without a repository for it: %v", err)
	}
	for range 2 {
		if err := host(ctx, "host"); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"o/r-host"}, f.made); diff != "" {
		t.Error(diff)
	}
	if err := basedOnURL(ctx, "", "child", "parent", doc("role: c")); err == nil || !strings.Contains(err.Error(), `URL base harness "parent" not found`) {
		t.Errorf("a base that is not there: %v", err)
	}
	if err := fromURL(ctx, "stray", "not in allowlist with", doc("role: s")); err != nil || strings.Contains(f.files["r p.yaml"], "allowed") {
		t.Errorf("not in the allow-list: %v\n%s", err, f.files["r p.yaml"])
	}
	for _, err := range []error{
		fromURL(ctx, "bad", "with bad integrity hash", doc("role: b")),
		baseAtURL(ctx, "parent", doc("agent: agents/p.md")),
		basedOnURL(ctx, "", "child", "parent", doc("role: c")),
		basedOnURL(ctx, "URL-sourced ", "far", "parent", doc("role: f")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	root := f.url + "/raw/o/r-host/"
	raw := root + "main/"
	pinned := func(name string) string {
		sum := sha256.Sum256([]byte(f.files["r-host h/"+name+".yaml"]))
		return raw + "h/" + name + ".yaml#sha256=" + hex.EncodeToString(sum[:])
	}
	bad := sha256.Sum256([]byte("another text than that of bad"))
	want := map[string]string{
		"r p.yaml": "kill: false\nagents:\n  stray:\n    source: " + pinned("stray") + "\n  bad:\n    source: " + raw + "h/bad.yaml#sha256=" + hex.EncodeToString(bad[:]) +
			"\n  child:\n    source: harness/child.yaml\n  far:\n    source: " + pinned("far") + "\nallowed:\n  - " + root + "\n",
		"r p/agents/own.md":      "mine\n",
		"r p/harness/child.yaml": "role: c\nbase: " + pinned("parent") + "\n",
		"r-host h/stray.yaml":    "role: s\n",
		"r-host h/bad.yaml":      "role: b\n",
		"r-host h/parent.yaml":   "agent: agents/p.md\n",
		"r-host h/agents/p.md":   "agent p of parent\n",
		"r-host h/far.yaml":      "role: f\nbase: " + pinned("parent") + "\n",
	}
	if diff := cmp.Diff(want, f.files); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"stray", "bad", "child", "far"}, world.Harnesses(ctx)); diff != "" {
		t.Error(diff)
	}
}

// TestHostedHarnessIsReadBack: what nobody can fetch is not registered.
func TestHostedHarnessIsReadBack(t *testing.T) {
	ctx, f := scenario(t)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	t.Cleanup(other.Close)
	f.url = other.URL
	if err := host(ctx, "host"); err != nil {
		t.Fatal(err)
	}
	if err := fromURL(ctx, "far", "with", doc("role: x")); err == nil || !strings.Contains(err.Error(), "raw URL not accessible") || strings.Contains(f.files["r p.yaml"], "far") {
		t.Errorf("got %v\n%s", err, f.files["r p.yaml"])
	}
	// What is hosted in another repository is another one's, and bases stay known.
	f.url = ""
	if err := host(ctx, "host-evil"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"o/r-host", "o/r-host-evil"}, f.made); diff != "" {
		t.Error(diff)
	}
}

func TestRefusedHarnessIsNotCommitted(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"triage", "role: x", "is a stage of the platform"},
		{"-x", "role: x", "can be no agent's name"},
		{"x", "", "describes no agent"},
		{"x", "just text", "describes no agent"},
		{"x", "role: [", "is not valid YAML"},
		{"x", "role: x\nrole: y", `has the key "role" twice`},
	} {
		ctx, f := scenario(t)
		if err := custom(ctx, "", tt.name, doc(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) || f.commits > 0 || len(world.Harnesses(ctx)) > 0 {
			t.Errorf("%q: got %v, %d commits", tt.text, err, f.commits)
		}
	}
}

func TestLint(t *testing.T) {
	step := func(text, doc string) feature.Step {
		s := feature.Step{Text: text, Line: 3}
		if doc != "" {
			s.DocString = &feature.DocString{Content: doc}
		}
		return s
	}
	bare := driver.Platform{Name: "bare", Stages: platform.Stages}
	mine := step(`a custom harness "mine" with:`, "role: x")
	for _, tt := range []struct {
		name     string
		platform driver.Platform
		steps    []feature.Step
		want     string
	}{
		{"what there is", platform, []feature.Step{mine, step(`a custom harness "child" with base "mine" and:`, "role: y"), step(`the kill switch is active`, ""),
			step(`the harness "child" was dispatched exactly 2 times`, ""), step(`the harness "triage" agent did not run`, "")}, ""},
		{"no platform", driver.Platform{}, []feature.Step{step(`the kill switch is active`, "")}, ""},
		{"no such edit", bare, []feature.Step{step(`the kill switch is active`, "")}, "the platform file of bare names no edits.kill-switch"},
		{"no place for agents", bare, []feature.Step{mine}, "names no places.harness"},
		{"no YAML", platform, []feature.Step{step(`a disabled custom harness "x" with:`, "a: [")}, "not valid YAML"},
		{"nobody's name", platform, []feature.Step{mine, step(`the harness "min" workflow completes successfully`, "")}, `"min" is no stage of the platform file`},
		{"named before it is there", platform, []feature.Step{step(`the harness "mine" agent did not run`, ""), mine}, `there are: triage`},
		{"of another repository", platform, []feature.Step{step(`a harness-hosting repository "h"`, ""), step(`a URL-sourced base harness "p" with:`, "role: x"),
			step(`a URL-sourced custom harness "far" with URL base "p" and:`, "role: y"), step(`a URL-sourced custom harness "bad" with bad integrity hash:`, "role: y"),
			step(`the harness "far" agent did not run`, ""), step(`the harness "bad" agent did not run`, "")}, ""},
		{"nowhere to host", platform, []feature.Step{step(`a URL-sourced custom harness "far" with:`, "role: y")}, "makes a repository for it"},
		{"nobody's URL base", platform, []feature.Step{step(`a custom harness "c" with URL base "p" and:`, "role: y")}, `brings the base "p"`},
		{"a base is no agent", platform, []feature.Step{step(`a harness-hosting repository "h"`, ""), step(`a URL-sourced base harness "p" with:`, "role: x"),
			step(`the harness "p" agent did not run`, "")}, `"p" is no stage`},
		{"no raw files", bare, []feature.Step{step(`a harness-hosting repository "h"`, "")}, "the platform file of bare names no "},
		{"nobody's base", platform, []feature.Step{step(`a custom harness "child" with base "mine" and:`, "role: y")}, `the base of "child": "mine" is no stage`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, err := range Pack.Lint(suite.Draft{Platform: tt.platform, Scenarios: []feature.Scenario{{URI: "a.feature", Steps: tt.steps}}}) {
				got = append(got, err.Error())
			}
			if all := strings.Join(got, "\n"); (tt.want == "") != (all == "") || !strings.Contains(all, tt.want) {
				t.Errorf("got %q, want %q", all, tt.want)
			}
		})
	}
}
