package workdir_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/internal/workdir"
)

func TestNewSweepsWhatDeadOwnersLeft(t *testing.T) {
	parent := t.TempDir()
	old := time.Now().Add(-time.Minute)
	dead := filepath.Join(parent, "understudy-123")
	foreign := filepath.Join(parent, "understudy-notes")
	for _, d := range []string{dead, foreign} {
		if err := os.MkdirAll(filepath.Join(d, "x"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(d, old, old); err != nil {
			t.Fatal(err)
		}
	}
	live, err := workdir.New(parent)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(live.Path, old, old); err != nil {
		t.Fatal(err)
	}
	second, err := workdir.New(parent)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{dead: false, foreign: true, live.Path: true, second.Path: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s there: %v, want %v", filepath.Base(path), err == nil, want)
		}
	}
	for _, d := range []*workdir.Dir{live, second} {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(d.Path); err == nil {
			t.Errorf("%s is still there after Close", d.Path)
		}
	}
}
