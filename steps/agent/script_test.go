package agent

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"
	"testing/fstest"

	messages "github.com/cucumber/messages/go/v34"
	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
)

func table(rows ...string) *suite.Table {
	t := &suite.Table{}
	for _, r := range rows {
		row := &messages.PickleTableRow{}
		for _, c := range strings.Split(r, "|") {
			row.Cells = append(row.Cells, &messages.PickleTableCell{Value: strings.TrimSpace(c)})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

var fixtures = fstest.MapFS{"fixtures/triage/ok.json": {Data: []byte("{}\n")}, "fixtures/empty": {}}

func TestOperations(t *testing.T) {
	got, err := operations(table(
		"op            | description | args",
		"write_fixture | Emit        | output/r.json, fixtures/triage/ok.json",
		"write_fixture | Empty       | output/e, fixtures/empty",
		"url_get       | Fetch       | http://a.test/?x=1,2",
	), fixtures)
	if err != nil {
		t.Fatal(err)
	}
	content, empty := "{}\n", ""
	want := []op{
		{Description: "Emit", Op: "write_fixture", Args: "output/r.json", Content: &content, Fixture: "fixtures/triage/ok.json"},
		{Description: "Empty", Op: "write_fixture", Args: "output/e", Content: &empty, Fixture: "fixtures/empty"},
		{Description: "Fetch", Op: "url_get", Args: "http://a.test/?x=1,2"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestOperationsRefuse(t *testing.T) {
	const head = "description | op | args"
	for _, tt := range []struct {
		name string
		in   *suite.Table
		want string
	}{
		{"no rows", table(head), "at least one operation"},
		{"missing column", table("description | op", "a | read_file"), `"args" is missing`},
		{"bad iteration", table(head+" | iteration", "a | read_file | x | 0"), `operation "a": iteration "0": it is a whole number`},
		{"extra column", table(head+" | note", "a | read_file | x | y"), "no others"},
		{"same description", table(head, "a | read_file | x", "a | read_file | y"), `"a" is empty or used twice`},
		{"no description", table(head, " | read_file | x"), `"" is empty or used twice`},
		{"no fixture", table(head, "a | write_fixture | output/x"), "write_fixture takes"},
		{"missing fixture", table(head, "a | write_fixture | output/x, fixtures/no.json"), "fixture fixtures/no.json is no file"},
		{"outside the root", table(head, "a | write_fixture | output/x, ../secret"), "fixture ../secret lies outside"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := operations(tt.in, fixtures)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want it to contain %q", err, tt.want)
			}
		})
	}
}

func archive(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, content := range files {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var places = driver.Platform{ResultsFile: "results.json", PolicyFile: "policy.json"}

func TestReadArtifact(t *testing.T) {
	got, err := read(archive(t, map[string]string{
		"iteration-1/output/results.json": `{"operations":[{"description":"Emit","success":true},{"description":"Fetch","success":false,"error":"refused"}]}`,
		"policy.json":                     `{"decisions":[{"url":"http://a.test/","decision":"refused"}]}`,
		"notes.txt":                       "x",
	}), places)
	if err != nil {
		t.Fatal(err)
	}
	want := []operationResult{{Description: "Emit", Success: true}, {Description: "Fetch", Error: "refused"}}
	if diff := cmp.Diff(want, got.operations); diff != "" {
		t.Error(diff)
	}
	if len(got.decisions) != 1 || got.decisions[0] != (decision{URL: "http://a.test/", Decision: "refused"}) {
		t.Errorf("decisions: got %v", got.decisions)
	}
	if string(got.files["notes.txt"]) != "x" {
		t.Errorf("files: got %q", got.files)
	}
}

func TestReadArtifactRefuses(t *testing.T) {
	for name, data := range map[string][]byte{
		"not a zip":   []byte("PK nothing"),
		"bad results": archive(t, map[string]string{"results.json": "{"}),
		"bad policy":  archive(t, map[string]string{"policy.json": "[]"}),
		"too large":   archive(t, map[string]string{"big": strings.Repeat("x", maxFile+1)}),
	} {
		if _, err := read(data, places); err == nil {
			t.Errorf("%s was read", name)
		}
	}
}

func FuzzReadArtifact(f *testing.F) {
	f.Add([]byte("PK\x05\x06"))
	f.Fuzz(func(t *testing.T, data []byte) { _, _ = read(data, places) })
}

// TestResultsAreOfTheAgentNamedLast: with several agents in a run, each has an artifact of its own.
func TestResultsAreOfTheAgentNamedLast(t *testing.T) {
	p := driver.Platform{ArtifactPattern: "a-{stage}", Stages: []driver.Stage{{Name: "triage"}}}
	ctx := world.Into(t.Context(), world.New(world.Options{}))
	world.BringHarness(ctx, "mine")
	for _, tt := range []struct {
		agent, artifact string
		want            bool
	}{
		{"", "a-triage", true}, {"", "a-mine", true}, {"", "a-other", false}, {"", "logs", false},
		{"mine", "a-mine", true}, {"mine", "a-triage", false},
	} {
		if got := isResult(ctx, p, tt.agent, tt.artifact); got != tt.want {
			t.Errorf("%q of %q: %v", tt.artifact, tt.agent, got)
		}
	}
	world.Share(ctx, world.TheAgent, world.NamedAgent{Name: "mine", Stimulus: "step:3"})
	if got := world.AgentOf(ctx, "step:3"); got != "mine" {
		t.Errorf("after the same stimulus: %q", got)
	}
	if got := world.AgentOf(ctx, "step:5"); got != "" {
		t.Errorf("after another stimulus: %q", got)
	}
}
