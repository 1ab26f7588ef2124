package yamldoc_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/crew/internal/yamldoc"
)

// TestRead: no file is too large to be refused, and none outside of the root can be read.
func TestRead(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		filepath.Join(dir, "a.yaml"): "a: 1\n", filepath.Join(dir, "long.yaml"): strings.Repeat("#", yamldoc.Max+1), filepath.Join(other, "b.yaml"): "b: 1\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(other, "b.yaml"), filepath.Join(dir, "b.yaml")); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if data, err := yamldoc.Read(root, "a.yaml"); err != nil || string(data) != "a: 1\n" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := yamldoc.Read(root, "long.yaml"); err == nil || !strings.Contains(err.Error(), "long.yaml: the file is larger than") {
		t.Errorf("long: %v", err)
	}
	if _, err := yamldoc.Read(root, "none.yaml"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("none: %v", err)
	}
	for _, name := range []string{"b.yaml", "../b.yaml"} {
		if data, err := yamldoc.Read(root, name); err == nil {
			t.Errorf("%s: %q was read", name, data)
		}
	}
}
