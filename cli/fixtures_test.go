package cli_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/cli"
)

func TestFixtures(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	const files = "examples/platform/internal/setup/files/schemas/"
	const schema, review = files + "triage-result.schema.json", files + "review-result.schema.json"
	code, out := run(t, cli.Options{}, "fixtures", acceptance+"/features/triage.feature")
	want := `fixtures/triage/sufficient.json
    result of stage triage · schema ` + schema + ` · an issue that says all that is needed
    used by triage.feature:9, triage.feature:22
fixtures/triage/unknown-action.json
    result of stage triage · schema ` + schema + ` · invalid on purpose · well-formed, but outside the schema
    used by triage.feature:45
fixtures/triage/malformed.json
    result of stage triage · schema ` + schema + ` · invalid on purpose · JSON that ends too early
    used by triage.feature:63
fixtures/review/comment.json
    result of stage review · schema ` + review + ` · a review that is content
    used by nobody here
fixtures/review/short-head.json
    result of stage review · schema ` + review + ` · invalid on purpose · within the schema, but the commit's name is cut
    used by nobody here
fixtures/agent/notes.txt
    of no stage · any text, to be read back from the artifact
    used by triage.feature:22, triage.feature:54
6 fixtures
`
	out = strings.ReplaceAll(out, root+"/", "")
	if diff := cmp.Diff(want, out); code != 0 || diff != "" {
		t.Errorf("exit code %d (-want +got):\n%s", code, diff)
	}
	dir := writeSuite(t, map[string]string{"features/f.feature": table("write_fixture", "notes, n.txt"), "n.txt": "x"})
	if code, out := run(t, cli.Options{}, "fixtures", dir); code != 0 || out != "n.txt\n    no stage is known\n    used by f.feature:4\n1 fixture\n" {
		t.Errorf("undeclared: exit code %d\n%s", code, out)
	}
}
