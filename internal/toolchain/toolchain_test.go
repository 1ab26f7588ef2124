package toolchain_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/internal/toolchain"
)

func tool(t testing.TB, action string) toolchain.Tool {
	t.Helper()
	out, ok := toolchain.Of(action)
	if !ok {
		t.Fatal(action)
	}
	return out
}

func TestVersionsThatAreAskedFor(t *testing.T) {
	for _, tc := range []struct{ action, spec, yes, no string }{
		{"actions/setup-go", "1.26", "1.26.0 1.26.8", "1.25.9 1.27.0 1.26rc1"},
		{"actions/setup-go", "1.26.x", "1.26 1.26.8", "1.27.0"},
		{"actions/setup-go", "1.26.8", "1.26.8", "1.26.7"},
		{"actions/setup-go", "^1.13.1", "1.13.1 1.26.8", "1.13.0 2.0.0"},
		{"actions/setup-go", ">= 1.20, <1.27", "1.20.0 1.26.8", "1.19.9 1.27.0"},
		{"actions/setup-go", "1.27.0-rc.1", "1.27rc1", "1.27.0"},
		{"actions/setup-go", "1.27rc1", "1.27rc1", "1.27rc2"},
		{"actions/setup-go", "stable", "1.26.8", "1.27rc1"},
		{"actions/setup-go", "~1.22", "1.22.9", "1.23.0"},
		{"actions/setup-go", "~1.22.3", "1.22.3 1.22.9", "1.22.2 1.23.0"},
		{"actions/setup-java", "^0.0.3", "0.0.3", "0.0.4 0.1.0"},
		{"actions/setup-node", "20", "v20.20.2", "v22.0.0"},
		{"actions/setup-node", "v20.20", "v20.20.2", "v20.19.0"},
		{"actions/setup-node", "lts/*", "v20.20.2 v24.1.0", "v23.0.0"},
		{"actions/setup-node", "lts/Iron", "v20.20.2", "v22.0.0"},
		{"actions/setup-node", "^18 || >=22", "v18.1.0 v24.0.0", "v20.20.2"},
		{"actions/setup-node", "18 - 20", "v18.1.0 v20.20.2", "v21.0.0"},
		{"actions/setup-node", "latest", "v25.0.0", "v25.0.0-nightly2"},
		{"actions/setup-python", "3.x", "3.11.7", "4.0.0 2.7.18"},
		{"actions/setup-python", "==3.11.*", "3.11.7", "3.12.0"},
		{"actions/setup-python", ">3.10", "3.11.0", "3.10.9"},
		{"actions/setup-python", "<=3.11", "3.11.7", "3.12.0"},
		{"actions/setup-python", "3.15.0-alpha - 3.15", "3.15.0 3.15.0b1", "3.14.0"},
		{"actions/setup-java", "17", "17.0.15+6", "21.0.1"},
		{"actions/setup-java", "^0.2.3", "0.2.9", "0.3.0"},
		{"actions/setup-java", "*", "21", "22-ea"},
	} {
		c, err := tool(t, tc.action).Want(tc.spec)
		if err != nil {
			t.Errorf("%s %q: %v", tc.action, tc.spec, err)
			continue
		}
		for want, list := range map[bool]string{true: tc.yes, false: tc.no} {
			for text := range strings.FieldsSeq(list) {
				v, err := toolchain.ParseVersion(text)
				if err != nil || c.Allows(v) != want {
					t.Errorf("%q allows %s: %v, %v", tc.spec, text, !want, err)
				}
			}
		}
	}
}

func TestVersionsThatCannotBeAskedFor(t *testing.T) {
	for _, tc := range []struct{ action, spec, want string }{
		{"actions/setup-go", "oldstable", "not known without a network"},
		{"actions/setup-go", "newest", "is not a range"},
		{"actions/setup-go", "1.2 ||", "a part of it is empty"},
		{"actions/setup-go", "1.26\n1.27", "several versions"},
		{"actions/setup-go", "<*", "no version at all"},
		{"actions/setup-go", "~1.2-x", "not three numbers"},
		{"actions/setup-go", strings.Repeat("1 ", 101), "more than 200 bytes"},
		{"actions/setup-go", "1.9999999999", "is not a range"},
		{"actions/setup-node", "lts/-1", "not known without a network"},
		{"actions/setup-node", "22-nightly", "not known without a network"},
		{"actions/setup-python", "pypy3.11", "only CPython"},
		{"actions/setup-python", "3.14t", "usual builds"},
		{"actions/setup-python", "3.15-dev", "usual builds"},
		{"actions/setup-java", "26-ea", "only releases"},
	} {
		if _, err := tool(t, tc.action).Want(tc.spec); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s %q: %v", tc.action, tc.spec, err)
		}
	}
}

func TestFilesThatAskForVersions(t *testing.T) {
	for _, tc := range []struct{ action, file, content, want string }{
		{"actions/setup-go", "sub/go.mod", "module x\n\ngo 1.24.0\n", ">=1.24.0"},
		{"actions/setup-go", "go.work", "go 1.24\n\ntoolchain go1.25.1\n", ">=1.25.1"},
		{"actions/setup-go", ".go-version", "1.26\n", "1.26"},
		{"actions/setup-go", ".tool-versions", "nodejs 20\ngolang 1.26.8\n", "1.26.8"},
		{"actions/setup-node", ".nvmrc", "# ours\nlts/*\n", "lts/*"},
		{"actions/setup-node", "package.json", `{"engines":{"node":">=18"}}`, ">=18"},
		{"actions/setup-node", "package.json", `{"engines":{"node":">=18"},"volta":{"node":"20.1.0"}}`, "20.1.0"},
		{"actions/setup-node", "package.json", `{"engines":{"node":"1"},"devEngines":{"runtime":[{"name":"bun"},{"name":"node","version":"^20"}]}}`, "^20"},
		{"actions/setup-python", ".python-version", "3.11.7\n", "3.11.7"},
		{"actions/setup-python", "pyproject.toml", "[project]\nrequires-python = \">=3.9,<4\"\n", ">=3.9,<4"},
		{"actions/setup-python", "Pipfile", "[requires]\npython_version = \"3.11\"\n", "3.11"},
		{"actions/setup-java", ".java-version", "temurin-17.0.2\n", "17.0.2"},
		{"actions/setup-java", ".sdkmanrc", "java=21.0.5-tem\n", "21.0.5"},
		{"actions/setup-java", ".tool-versions", "java temurin-21.0.5+11\n", "21.0.5"},
	} {
		c, err := tool(t, tc.action).WantOf(tc.file, []byte(tc.content))
		if err != nil || c.String() != tc.want {
			t.Errorf("%s: %q, %v, want %q", tc.file, c, err, tc.want)
		}
	}
	for file, content := range map[string]string{"go.mod": "module x\n", ".go-version": "\n", "package.json": "{", "sub/.go-version": "soon"} {
		action := "actions/setup-go"
		if file == "package.json" {
			action = "actions/setup-node"
		}
		if _, err := tool(t, action).WantOf(file, []byte(content)); err == nil || !strings.HasPrefix(err.Error(), file+": ") {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// program writes a script that tells a version.
func program(t *testing.T, path, tells string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+tells+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestChoose(t *testing.T) {
	dir := t.TempDir()
	program(t, dir+"/a/go", "exit 1")
	program(t, dir+"/b/go", "echo go version go1.25.3 linux/amd64")
	program(t, dir+"/c/go", `echo "go version go1.26.8 linux/amd64"; test "$GOTOOLCHAIN" = local && test "$(pwd)" = /`)
	t.Chdir(dir)
	program(t, dir+"/relative/go", "echo go version go1.24.0 linux/amd64") // what a job has in its own directory
	program(t, dir+"/a/python", "echo Python 3.11.7")
	program(t, dir+"/a/python3.13", "echo Python 3.13.1")
	program(t, dir+"/a/python3.13-config", "echo Python 3.14.0")
	program(t, dir+"/a/java", `echo 'openjdk version "17.0.15" 2025-04-15' >&2`)
	program(t, dir+"/b/java", `echo 'java version "1.8.0_362"'`)
	path := dir + "/none:relative:" + dir + "/a:" + dir + "/b:" + dir + "/c:/usr/bin:/bin"
	for _, tc := range []struct{ action, spec, want string }{
		{"actions/setup-go", "1.26", "1.26.8 /c/go"},
		{"actions/setup-go", ">=1.20", "1.25.3 /b/go"},
		{"actions/setup-go", "1.24", "Go 1.24 is asked for, and on the PATH of this machine is 1.25.3 (/b/go), 1.26.8 (/c/go)" +
			"; nothing is downloaded: ask for a range, such as `>=1.24`, or install it"},
		{"actions/setup-python", "3.13", "3.13.1 /a/python3.13"},
		{"actions/setup-python", "3.x", "3.11.7 /a/python"},
		{"actions/setup-java", "17", "17.0.15 /a/java"},
		{"actions/setup-java", "8", "1.8.0_362 /b/java"},
	} {
		tl := tool(t, tc.action)
		c, err := tl.Want(tc.spec)
		if err != nil {
			t.Fatal(err)
		}
		p, err := tl.Choose(tl.Programs(context.Background(), path), c)
		got := p.Text + " " + p.Path
		if lacking, ok := err.(*toolchain.Lacking); ok {
			got = lacking.Error() + "; " + lacking.Hint()
		}
		if got = strings.ReplaceAll(got, dir, ""); got != tc.want {
			t.Errorf("%s %s: %s", tc.action, tc.spec, got)
		}
	}
	tl := tool(t, "actions/setup-node")
	_, err := tl.Choose(tl.Programs(context.Background(), dir+"/b"), toolchain.Constraint{})
	if err == nil || err.Error() != "Node.js of any version is asked for, and there is none on the PATH of this machine" {
		t.Error(err)
	}
}

// FuzzConstraint: whatever is asked for, it is refused, or says of each version yes or no.
func FuzzConstraint(f *testing.F) {
	for _, seed := range []string{"1.26", ">=1 <2 || ^0.0.3", "1 - 2", "~1.2.3-rc.1", "*", "==3.11.*"} {
		f.Add(seed, "1.26.8")
	}
	f.Fuzz(func(t *testing.T, spec, version string) {
		c, err := toolchain.ParseConstraint(spec)
		v, errV := toolchain.ParseVersion(version)
		if err != nil || errV != nil {
			return
		}
		if v.Compare(v) != 0 {
			t.Errorf("%v is not itself", v)
		}
		if exact, err := toolchain.ParseConstraint("=" + version); err == nil && strings.Count(version, ".") == 2 && !exact.Allows(v) {
			t.Errorf("=%s does not allow %+v", version, v)
		}
		c.Allows(v)
	})
}
