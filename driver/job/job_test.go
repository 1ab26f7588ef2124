package job_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/driver/job"
)

// sources is a module with the same path and the same two commands, which builds at once.
func sources() map[string]string {
	return map[string]string{
		"go.mod": "module " + job.Module + "\n\ngo 1.26\n",
		"go.sum": "",
		"cmd/understudy-job/main.go": `package main

import (
	_ "embed"
	"fmt"

	"` + job.Module + `/internal/word"
)

//go:embed text/said.txt
var said string

func main() { fmt.Print(said, word.Word) }
`,
		"cmd/understudy-job/text/said.txt":             "said ",
		"cmd/understudy-job/main_test.go":              "package main\n",
		"cmd/understudy-job/understudy-act/main.go":    "package main\n\nfunc main() {}\n",
		"internal/word/word.go":                        "package word\n\nconst Word = \"one\"\n",
		"internal/other/other.go":                      "package other\n",
		"cmd/understudy-job/testdata/golden/input.txt": "x",
	}
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func output(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.Command(path).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", path, err, out)
	}
	return string(out)
}

func program(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func TestExplicitPathCountsAlone(t *testing.T) {
	dir := t.TempDir()
	program(t, dir, "mine")
	if got, err := job.Find(t.Context(), job.Options{Explicit: filepath.Join(dir, "mine"), Beside: "/x"}); err != nil || got != filepath.Join(dir, "mine") {
		t.Errorf("got %q, %v", got, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "text"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"none", "text", "."} {
		if got, err := job.Find(t.Context(), job.Options{Explicit: filepath.Join(dir, bad)}); err == nil {
			t.Errorf("%s: got %q and no error", bad, got)
		}
	}
}

func TestBesideCountsWhenBothAreThere(t *testing.T) {
	dir, src, cache := t.TempDir(), t.TempDir(), t.TempDir()
	write(t, src, sources())
	o := job.Options{Beside: dir, Dir: src, Cache: cache}
	program(t, dir, "understudy-job")
	if got, err := job.Find(t.Context(), o); err != nil || !strings.HasPrefix(got, cache) {
		t.Errorf("without understudy-act: got %q, %v; want a built one", got, err)
	}
	program(t, dir, "understudy-act")
	if got, err := job.Find(t.Context(), o); err != nil || got != filepath.Join(dir, "understudy-job") {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestBuildsOnceUntilASourceChanges(t *testing.T) {
	src, cache := t.TempDir(), t.TempDir()
	write(t, src, sources())
	var built atomic.Int32
	o := job.Options{Dir: src, Cache: cache, Progress: func(string) { built.Add(1) }}
	find := func() string {
		t.Helper()
		path, err := job.Find(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	first := find()
	if got := output(t, first); got != "said one" {
		t.Fatalf("it says %q", got)
	}
	for _, c := range []struct {
		file, content string
		rebuild       bool
	}{
		{"cmd/understudy-job/main_test.go", "package main // changed\n", false},
		{"cmd/understudy-job/testdata/golden/input.txt", "y", false},
		{"internal/other/other.go", "package other // nobody imports it\n", false},
		{"cmd/understudy-job/text/said.txt", "embedded ", true},
		{"internal/word/word.go", "package word\n\nconst Word = \"two\"\n", true},
		{"cmd/understudy-job/understudy-act/main.go", "package main\n\nfunc main() { println() }\n", true},
		{"go.mod", "module " + job.Module + "\n\ngo 1.26\n// changed\n", true},
	} {
		before, path := built.Load(), find()
		write(t, src, map[string]string{c.file: c.content})
		if after := find(); (after != path) != c.rebuild || (built.Load() > before) != c.rebuild {
			t.Errorf("%s changed: %s then %s, %d builds; rebuild expected: %v", c.file, path, after, built.Load()-before, c.rebuild)
		}
	}
	if got := output(t, find()); got != "embedded two" {
		t.Errorf("after all changes it says %q", got)
	}
}

func TestTwoAtOnceBuildOnce(t *testing.T) {
	src, cache := t.TempDir(), t.TempDir()
	write(t, src, sources())
	var built atomic.Int32
	var wg sync.WaitGroup
	paths := make([]string, 4)
	for i := range paths {
		wg.Go(func() {
			var err error
			paths[i], err = job.Find(t.Context(), job.Options{Dir: src, Cache: cache, Progress: func(string) { built.Add(1) }})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if built.Load() != 1 {
		t.Errorf("%d builds, want 1", built.Load())
	}
	for _, p := range paths {
		if p != paths[0] || output(t, p) != "said one" {
			t.Errorf("got %q, want %q", p, paths[0])
		}
	}
}

func TestFailureEndsInTheCommandToType(t *testing.T) {
	src := t.TempDir()
	files := sources()
	files["internal/word/word.go"] = "package word\n\nconst Word = nothing\n"
	write(t, src, files)
	cache := t.TempDir()
	_, err := job.Find(t.Context(), job.Options{Dir: src, Cache: cache})
	want := "; type: cd " + src + " && go install ./cmd/understudy-job ./cmd/understudy-job/understudy-act"
	if err == nil || !strings.HasSuffix(err.Error(), want) || !strings.Contains(err.Error(), "undefined: nothing") {
		t.Errorf("got %v\nwant the compiler's words and %q", err, want)
	}
	if left, _ := filepath.Glob(filepath.Join(cache, "*")); len(left) != 1 {
		t.Errorf("left in the cache: %v, want the lock alone", left)
	}
}

func TestOldEntriesArePruned(t *testing.T) {
	src, cache := t.TempDir(), t.TempDir()
	write(t, src, sources())
	for i := range 8 {
		dir := filepath.Join(cache, "old"+string(rune('0'+i)))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-time.Duration(i+1) * time.Hour)
		if err := os.Chtimes(dir, at, at); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := job.Find(t.Context(), job.Options{Dir: src, Cache: cache}); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(cache, "old*"))
	if err != nil || len(left) != 4 || filepath.Base(left[3]) != "old3" {
		t.Errorf("left: %v, %v; want the newest four beside the new one", left, err)
	}
}

func TestModuleInUseIsFound(t *testing.T) {
	src, user := t.TempDir(), t.TempDir()
	write(t, src, sources())
	write(t, user, map[string]string{
		"go.mod": "module example.org/user\n\ngo 1.26\n\nrequire " + job.Module + " v0.1.0\n\nreplace " + job.Module + " => " + src + "\n",
	})
	t.Chdir(user)
	path, err := job.Find(t.Context(), job.Options{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if got := output(t, path); got != "said one" {
		t.Errorf("it says %q", got)
	}
	t.Chdir(src)
	if path, err = job.Find(t.Context(), job.Options{Cache: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	if got := output(t, path); got != "said one" {
		t.Errorf("inside the module: it says %q", got)
	}
}

func TestEndedContextBuildsNothing(t *testing.T) {
	src, cache := t.TempDir(), t.TempDir()
	write(t, src, sources())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if path, err := job.Find(ctx, job.Options{Dir: src, Cache: cache}); err == nil {
		t.Errorf("got %q", path)
	}
}
