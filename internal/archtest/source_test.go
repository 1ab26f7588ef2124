package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// names that say nothing about what is inside.
var nothing = regexp.MustCompile(`^(util|utils|common|helpers?|misc|shared|base|core|lib|types|models|interfaces|pkg|managers?|services?|handlers?|factory|mocks|testutil)$`)

// clocks may call time.Now, each for its reason. Nobody may sleep.
var clocks = map[string]string{
	"internal/clock":               "it is where shown time comes from",
	"emulator/forge/internal/hook": "a delivery says how long its receiver took",
	"environment/place":            "it gives a place's clock its source",
	"emulator/network":             "a certificate is valid from about now on",
	"internal/workdir":             "it compares a directory's age with the file system's clock",
	"trial":                        "a record says when it began and ended",
	"cli":                          "a run's directory carries the date; a seed may come from the clock",
	"suite":                        "deadlines and how long a step took",
}

func TestSource(t *testing.T) {
	walk(t, func(path, dir string, file *ast.File, fset *token.FileSet) {
		base := strings.TrimSuffix(filepath.Base(path), ".go")
		if nothing.MatchString(base) || nothing.MatchString(file.Name.Name) {
			t.Errorf("%s: the name says nothing", path)
		}
		if n := fset.File(file.Pos()).LineCount(); n > 500 && !strings.HasSuffix(path, "_test.go") {
			t.Errorf("%s has %d lines: split it by noun, at most 500", path, n)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if f.Recv == nil && f.Name.Name == "init" {
				t.Errorf("%s: no init: values are passed, nothing registers itself", path)
			}
			if lines := fset.Position(f.End()).Line - fset.Position(f.Pos()).Line; lines > 60 && !strings.HasSuffix(path, "_test.go") {
				t.Errorf("%s: func %s has %d lines, at most 60", path, f.Name.Name, lines)
			}
		}
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			x, ok := sel.X.(*ast.Ident)
			if !ok || x.Name != "time" {
				return true
			}
			switch sel.Sel.Name {
			case "Sleep":
				t.Errorf("%s: time.Sleep hides a race: wait for the event itself", fset.Position(n.Pos()))
			case "Now":
				if _, ok := clocks[dir]; !ok {
					t.Errorf("%s: time.Now: shown time comes from internal/clock", fset.Position(n.Pos()))
				}
			}
			return true
		})
	})
}

// TestInterfacesAreSmall holds exported interfaces to seven methods.
func TestInterfacesAreSmall(t *testing.T) {
	walk(t, func(path, _ string, file *ast.File, _ *token.FileSet) {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if i, ok := spec.Type.(*ast.InterfaceType); ok && i.Methods.NumFields() > 7 {
				t.Errorf("%s: interface %s has %d methods, at most 7", path, spec.Name.Name, i.Methods.NumFields())
			}
			return true
		})
	})
}

func walk(t *testing.T, visit func(path, dir string, file *ast.File, fset *token.FileSet)) {
	t.Helper()
	root := "../.."
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if d.IsDir() && (rel == "out" || rel == ".git" || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, rel, src, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files++
		visit(rel, filepath.ToSlash(filepath.Dir(rel)), file, fset)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 50 {
		t.Fatalf("only %d files were looked at: the root is wrong", files)
	}
}
