package cli_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

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
	out = strings.ReplaceAll(out, root+"/", "")
	for _, want := range []string{`fixtures/triage/sufficient.json
    result of stage triage · schema ` + schema + ` · an issue that says all that is needed
    used by triage.feature:9, triage.feature:22
`, `fixtures/triage/unknown-action.json
    result of stage triage · schema ` + schema + ` · invalid on purpose · well-formed, but outside the schema
    used by triage.feature:45, triage.feature:73
`, `fixtures/triage/malformed.json
    result of stage triage · schema ` + schema + ` · invalid on purpose · JSON that ends too early
    used by triage.feature:63
`, `fixtures/review/comment.json
    result of stage review · schema ` + review + ` · a review that is content
    used by nobody here
`, `fixtures/agent/notes.txt
    of no stage · any text, to be read back from the artifact
    used by triage.feature:22, triage.feature:54
`, fmt.Sprintf("\n%d fixtures\n", strings.Count(out, "\n    used by "))} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit code %d, no\n%s in\n%s", code, want, out)
		}
	}
	dir := writeSuite(t, map[string]string{"features/f.feature": table("write_fixture", "notes, n.txt"), "n.txt": "x"})
	if code, out := run(t, cli.Options{}, "fixtures", dir); code != 0 || out != "n.txt\n    no stage is known\n    used by f.feature:4\n1 fixture\n" {
		t.Errorf("undeclared: exit code %d\n%s", code, out)
	}
}
