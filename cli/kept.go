package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/understudy-dev/understudy/report"
	"github.com/understudy-dev/understudy/report/html"
	"github.com/understudy-dev/understudy/report/junit"
	"github.com/understudy-dev/understudy/report/markdown"
	"github.com/understudy-dev/understudy/report/messages"
	"github.com/understudy-dev/understudy/result"
)

// kept is a run whose record is on disk.
type kept struct {
	record result.Record
	dir    string // out/runs/<utc>-<n>
	out    string
}

// newRunDir makes a directory that no other run has, also when two start at once.
func newRunDir(out string) (string, error) {
	runs := filepath.Join(out, "runs")
	if err := os.MkdirAll(runs, 0o755); err != nil {
		return "", fmt.Errorf("make run directory: %w", err)
	}
	stamp := time.Now().UTC().Format("20060102T150405Z")
	for n := 1; ; n++ {
		dir := filepath.Join(runs, fmt.Sprintf("%s-%d", stamp, n))
		switch err := os.Mkdir(dir, 0o755); {
		case err == nil:
			return dir, nil
		case !errors.Is(err, fs.ErrExist):
			return "", fmt.Errorf("make run directory: %w", err)
		}
	}
}

func (k kept) page() string       { return filepath.Join(k.out, "index.html") }
func (k kept) recordPath() string { return filepath.Join(k.out, "record.json") }

// write makes the reports beside the record, then puts record and page at the top of out, each by
// rename: who looks there sees one run, whole.
func (k kept) write() error {
	base := filepath.ToSlash(filepath.Join("runs", filepath.Base(k.dir))) + "/"
	for path, format := range map[string]report.Format{
		filepath.Join(k.dir, "index.html"):      html.Format{},
		filepath.Join(k.dir, "junit.xml"):       junit.Format{},
		filepath.Join(k.dir, "report.md"):       markdown.Format{Page: "index.html"},
		filepath.Join(k.dir, "messages.ndjson"): messages.Format{},
		k.page():                                html.Format{Base: base},
	} {
		var b bytes.Buffer
		if err := format.Write(&b, k.record); err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
		if err := replace(path, b.Bytes()); err != nil {
			return err
		}
	}
	return result.Write(k.recordPath(), k.record)
}

func replace(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".writing-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
