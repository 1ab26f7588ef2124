package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

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

// checkOut makes sure, before anything starts, that a run can be kept below out.
func checkOut(out string) error {
	err := os.MkdirAll(filepath.Join(out, "runs"), 0o755)
	if err == nil {
		var probe *os.File
		if probe, err = os.CreateTemp(out, ".writing-*"); err == nil {
			err = errors.Join(probe.Close(), os.Remove(probe.Name()))
		}
	}
	if err != nil {
		return &hinted{fmt.Errorf("keep the run below %s: %w", out, err), "name another directory with --out"}
	}
	return nil
}

func (k kept) page() string       { return filepath.Join(k.out, "index.html") }
func (k kept) recordPath() string { return filepath.Join(k.out, "record.json") }

// reports makes the reports beside the record.
func (k kept) reports() error {
	var errs []error
	for name, format := range map[string]report.Format{
		"index.html":      html.Format{},
		"junit.xml":       junit.Format{},
		"report.md":       markdown.Format{Page: "index.html"},
		"messages.ndjson": messages.Format{},
	} {
		errs = append(errs, k.render(filepath.Join(k.dir, name), format))
	}
	return errors.Join(errs...)
}

// publish puts record and page at the top of out, each by rename and under a lock: who looks there
// sees the run that ended last, whole.
func (k kept) publish() error {
	lock, err := os.Open(k.out)
	if err != nil {
		return fmt.Errorf("publish the run: %w", err)
	}
	defer lock.Close()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("publish the run: %w", err)
	}
	base := filepath.ToSlash(filepath.Join("runs", filepath.Base(k.dir))) + "/"
	return errors.Join(result.Write(k.recordPath(), k.record), k.render(k.page(), html.Format{Base: base}))
}

func (k kept) render(path string, format report.Format) error {
	var b bytes.Buffer
	if err := format.Write(&b, k.record); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return replace(path, b.Bytes())
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
