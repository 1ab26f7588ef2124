package behaviourtest

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/report"
	"github.com/understudy-dev/understudy/report/html"
	"github.com/understudy-dev/understudy/report/junit"
	"github.com/understudy-dev/understudy/result"
)

// kept is where a run leaves its record and evidence.
type kept struct {
	dir  string
	temp bool // go test removes it
}

// newKept makes a directory that no other run has: below artifacts when it is set, else where go test
// wants it.
func newKept(t *testing.T, artifacts string) (kept, error) {
	t.Helper()
	if artifacts == "" {
		on := flag.Lookup("test.artifacts")
		return kept{dir: t.ArtifactDir(), temp: on == nil || on.Value.String() != "true"}, nil
	}
	root, err := filepath.Abs(artifacts)
	if err == nil {
		err = os.MkdirAll(root, 0o755)
	}
	if err != nil {
		return kept{}, fmt.Errorf("make BEHAVIOUR_ARTIFACT_DIR: %w", err)
	}
	name := strings.ReplaceAll(t.Name(), "/", "-")
	for n := 1; ; n++ {
		dir := filepath.Join(root, fmt.Sprintf("%s-%d", name, n))
		switch err := os.Mkdir(dir, 0o755); {
		case err == nil:
			return kept{dir: dir}, nil
		case !errors.Is(err, fs.ErrExist):
			return kept{}, fmt.Errorf("make a directory in BEHAVIOUR_ARTIFACT_DIR: %w", err)
		}
	}
}

// shown is the directory as put before paths of evidence.
func (k kept) shown() string { return filepath.ToSlash(k.dir) + "/" }

// report writes the page and the XML beside the record and says where they are, when they stay.
func (k kept) report(t *testing.T, rec result.Record) {
	t.Helper()
	if k.temp {
		if t.Failed() {
			fmt.Fprintln(t.Output(), "to keep the report and the evidence: go test -artifacts, or BEHAVIOUR_ARTIFACT_DIR=DIR")
		}
		return
	}
	for name, format := range map[string]report.Format{"index.html": html.Format{}, "junit.xml": junit.Format{}} {
		var b bytes.Buffer
		err := format.Write(&b, rec)
		if err == nil {
			err = os.WriteFile(filepath.Join(k.dir, name), b.Bytes(), 0o644)
		}
		if err != nil {
			fmt.Fprintf(t.Output(), "understudy: error: write %s: %v\n", name, err)
			t.Fail()
		}
	}
	fmt.Fprintf(t.Output(), "report: %sindex.html   record: %[1]srecord.json\n", k.shown())
}
