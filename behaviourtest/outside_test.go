package behaviourtest_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const kit = "github.com/understudy-dev/understudy"

// elsewhere is a module that is not the kit's and that takes the kit from a module proxy.
type elsewhere struct {
	dir     string
	env     []string
	version string // of the kit
}

// newElsewhere makes the module example.com/elsewhere with files in txtar's manner: name, content.
func newElsewhere(t *testing.T, files map[string]string) elsewhere {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	proxy := t.TempDir()
	e := elsewhere{dir: t.TempDir(), version: publish(t, root, proxy)}
	cache, mod, upstream := goEnv(t, "GOCACHE"), goEnv(t, "GOMODCACHE"), goEnv(t, "GOPROXY")
	prune(t, mod)
	for _, kv := range os.Environ() {
		// UNDERSTUDY_JOB would hide whether the right version is found.
		if name, _, _ := strings.Cut(kv, "="); name != "UNDERSTUDY_JOB" && name != "GOFLAGS" {
			e.env = append(e.env, kv)
		}
	}
	e.env = append(e.env, "GOPROXY=file://"+proxy+",file://"+filepath.Join(mod, "cache", "download")+","+upstream, "GOSUMDB=off",
		"GOFLAGS=-mod=mod", "GOWORK=off", "GOTOOLCHAIN=local", "GOCACHE="+cache, "GOMODCACHE="+mod)
	e.write(t, "go.mod", "module example.com/elsewhere\n\ngo 1.26.0\n\nrequire "+kit+" "+e.version+"\n")
	for name, content := range files {
		e.write(t, name, content)
	}
	return e
}

func (e elsewhere) write(t *testing.T, name, content string) {
	t.Helper()
	file := filepath.Join(e.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// age makes every file of a directory older than what go test takes for too new to be cached.
func age(t *testing.T, dir string) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			err = os.Chtimes(path, old, old)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// run runs the go command in the module.
func (e elsewhere) run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Env = e.dir, e.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (e elsewhere) must(t *testing.T, args ...string) string {
	t.Helper()
	out, err := e.run(t, args...)
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// publish puts the kit as it is now into a module proxy. Its version is made of its content, so that
// what the go command has cached of it is never out of date.
func publish(t *testing.T, root, proxy string) (version string) {
	t.Helper()
	var names []string
	contents := map[string][]byte{}
	sum := sha256.New()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, err := os.Stat(filepath.Join(path, "go.mod"))
			if rel != "." && (err == nil || strings.HasPrefix(d.Name(), ".") || rel == "out") {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		names = append(names, filepath.ToSlash(rel))
		contents[filepath.ToSlash(rel)] = data
		fmt.Fprintf(sum, "%s %d\n%s", rel, len(data), data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	version = "v0.1.0-dev.h" + hex.EncodeToString(sum.Sum(nil)[:6])
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		w, err := z.Create(kit + "@" + version + "/" + name)
		if err == nil {
			_, err = w.Write(contents[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(proxy, kit, "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"list": []byte(version + "\n"), version + ".zip": b.Bytes(), version + ".mod": contents["go.mod"],
		version + ".info": fmt.Appendf(nil, `{"Version":%q,"Time":"2026-01-01T00:00:00Z"}`, version),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return version
}

// prune removes what this test left in the module cache more than a day ago.
func prune(t *testing.T, mod string) {
	t.Helper()
	for _, pattern := range []string{kit + "@v0.1.0-dev.h*", "cache/download/" + kit + "/@v/v0.1.0-dev.h*"} {
		found, err := filepath.Glob(filepath.Join(mod, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			info, err := os.Stat(path)
			if err != nil || time.Since(info.ModTime()) < 24*time.Hour {
				continue
			}
			_ = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
				if err == nil && d.IsDir() {
					err = os.Chmod(path, 0o755) // the go command makes them read-only
				}
				return err
			})
			if err := os.RemoveAll(path); err != nil {
				t.Error(err)
			}
		}
	}
}
