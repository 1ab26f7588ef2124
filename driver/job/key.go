package job

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/parser"
	"go/token"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// key names the cache's entry: it changes when the toolchain, the version or any file changes that
// the executables are made of.
func (s source) key(ctx context.Context) (string, error) {
	toolchain, err := goCommand(ctx, s.dir, nil, "env", "GOVERSION", "GOOS", "GOARCH", "GOFLAGS", "GOEXPERIMENT")
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "1\n%s\n%s\n", bytes.TrimSpace(toolchain), s.version)
	if s.dir != "" {
		if err := hashSources(sum, s.dir); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:16]), nil
}

// hashSources follows the imports inside the module from the two commands on. It reads whole
// directories, tests aside, so that embedded files count as well; asking the go command for the same
// takes longer than all the rest.
func hashSources(sum hash.Hash, dir string) error {
	for _, name := range []string{"go.mod", "go.sum"} {
		if err := hashFile(sum, name, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	seen := map[string]bool{jobPackage: true, enginePackage: true}
	for queue := []string{jobPackage, enginePackage}; len(queue) > 0; queue = queue[1:] {
		imports, err := hashPackage(sum, dir, queue[0])
		if err != nil {
			return err
		}
		for _, p := range imports {
			if !seen[p] {
				seen[p] = true
				queue = append(queue, p)
			}
		}
	}
	return nil
}

// hashPackage adds a package's files and returns the packages of the module that it imports.
func hashPackage(sum hash.Hash, dir, pkg string) (imports []string, err error) {
	root := filepath.Join(dir, filepath.FromSlash(pkg))
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			// A directory below is another package, or testdata, or holds embedded files.
			if file != root && (name == "testdata" || hasGo(file)) {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		if err := hashFile(sum, filepath.ToSlash(rel), file); err != nil {
			return err
		}
		if strings.HasSuffix(name, ".go") {
			found, err := importsOf(file)
			imports = append(imports, found...)
			return err
		}
		return nil
	})
	return imports, err
}

func hasGo(dir string) bool {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	return err == nil && len(files) > 0
}

func importsOf(file string) ([]string, error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var own []string
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		if rest, ok := strings.CutPrefix(p, Module+"/"); ok {
			own = append(own, path.Clean(rest))
		}
	}
	return own, nil
}

func hashFile(sum hash.Hash, name, file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	fmt.Fprintf(sum, "%s %d\n", name, info.Size())
	_, err = io.Copy(sum, f)
	return err
}
