// Package archtest holds the house in shape: who may import whom, what is banned and why, and how
// large things may become. It shells out to the go command, so run it with -count=1.
package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/understudy-dev/understudy"

// pkg is one package of the module; names are relative to it.
type pkg struct {
	name    string
	imports []string // of the module, without tests
	foreign []string // of others, without tests
}

func load(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = "../.."
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var pkgs []pkg
	dec := json.NewDecoder(bytes.NewReader(out))
	for {
		var w struct {
			ImportPath string
			Imports    []string
		}
		err := dec.Decode(&w)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		p := pkg{name: strings.TrimPrefix(strings.TrimPrefix(w.ImportPath, module), "/")}
		for _, i := range w.Imports {
			if name, ok := strings.CutPrefix(i, module+"/"); ok {
				p.imports = append(p.imports, name)
			} else {
				p.foreign = append(p.foreign, i)
			}
		}
		if p.name != "" {
			pkgs = append(pkgs, p)
		}
	}
	if len(pkgs) < 15 {
		t.Fatalf("go list found %d packages: the root is wrong", len(pkgs))
	}
	return pkgs
}
