package job_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/driver/job"
)

func TestLookBuildsNothing(t *testing.T) {
	src, cache := t.TempDir(), filepath.Join(t.TempDir(), "cache")
	write(t, src, sources())
	o := job.Options{Dir: src, Cache: cache, Progress: func(s string) { t.Errorf("told %q", s) }}
	found, err := job.Look(t.Context(), o)
	if err != nil || found.Path != "" || found.From != src || !strings.Contains(found.Build, "go install ./cmd/understudy-job") {
		t.Errorf("got %+v, %v", found, err)
	}
	if _, err := os.Stat(cache); err == nil {
		t.Error("a cache was made")
	}
	o.Progress = nil
	path, err := job.Find(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if found, err = job.Look(t.Context(), o); err != nil || found.Path != path {
		t.Errorf("after building: got %+v, %v, want %s", found, err, path)
	}
	write(t, src, map[string]string{"internal/word/word.go": "package word\n\nconst Word = \"two\"\n"})
	if found, err = job.Look(t.Context(), o); err != nil || found.Path != "" {
		t.Errorf("after a change: got %+v, %v", found, err)
	}
	if found, err = job.Look(t.Context(), job.Options{Explicit: path}); err != nil || found != (job.Found{Path: path}) {
		t.Errorf("named: got %+v, %v", found, err)
	}
	if found, err = job.Look(t.Context(), job.Options{Explicit: src + "/none"}); err == nil {
		t.Errorf("named and not there: got %+v", found)
	}
}
