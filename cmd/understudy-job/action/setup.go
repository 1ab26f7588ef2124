package action

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/internal/toolchain"
)

// setups are the actions that set up a language. They install nothing: they choose among what is on the
// PATH of this machine.
func setups() []Action {
	inputs := func(more map[string]string) map[string]string {
		all := map[string]string{"check-latest": "false", "token": "", "cache": "", "cache-dependency-path": "", "architecture": ""}
		for name, value := range more {
			all[name] = value
		}
		return all
	}
	out := []Action{
		{
			Name:    "actions/setup-go",
			Inputs:  inputs(map[string]string{"go-version": "", "go-version-file": ""}),
			Outputs: []string{"go-version", "cache-hit"},
		},
		{
			Name:    "actions/setup-node",
			Inputs:  inputs(map[string]string{"node-version": "", "node-version-file": "", "package-manager-cache": ""}),
			Outputs: []string{"node-version", "cache-hit"},
		},
		{
			Name:    "actions/setup-python",
			Inputs:  inputs(map[string]string{"python-version": "", "python-version-file": "", "update-environment": "true", "allow-prereleases": "false"}),
			Outputs: []string{"python-version", "python-path", "cache-hit"},
		},
		{
			Name:    "actions/setup-java",
			Inputs:  inputs(map[string]string{"java-version": "", "java-version-file": "", "distribution": "", "java-package": "jdk"}),
			Outputs: []string{"version", "path", "distribution", "cache-hit"},
		},
	}
	for i := range out {
		tool, _ := toolchain.Of(out[i].Name)
		out[i].run = func(ctx context.Context, c *call) error { return setup(ctx, c, tool) }
	}
	return out
}

const maxVersionFile = 1 << 20

func setup(ctx context.Context, c *call, tool toolchain.Tool) error {
	want, err := c.wanted(tool)
	if err != nil {
		return err
	}
	if err := c.checkArchitecture(); err != nil {
		return err
	}
	p, err := tool.Choose(tool.Programs(ctx, c.env["PATH"]), want)
	var lacking *toolchain.Lacking
	if errors.As(err, &lacking) {
		return fmt.Errorf("%s; %s", lacking.Error(), lacking.Hint())
	}
	if err != nil {
		return err
	}
	c.logf("%s %s of this machine is taken: %s (%s was asked for)", tool.Name, p.Text, p.Path, want)
	for _, name := range []string{"cache", "check-latest"} {
		if v := c.input(name); v != "" && v != "false" {
			c.logf("%s: %s makes no difference here: nothing is downloaded", name, v)
		}
	}
	if err := c.output("cache-hit", ""); err != nil {
		return err
	}
	switch tool.Name {
	case "Go":
		return c.useGo(p)
	case "Python":
		return c.usePython(p)
	case "Java":
		return c.useJava(p)
	}
	return errors.Join(c.prefer("node", p.Path), c.output("node-version", p.Text))
}

// wanted is the version that the inputs ask for, before the one that a file asks for.
func (c *call) wanted(tool toolchain.Tool) (toolchain.Constraint, error) {
	spec, file := c.input(tool.Input), c.input(tool.Input+"-file")
	switch {
	case spec != "":
		if file != "" {
			c.logf("::warning::both %s and %s-file are given; only %s counts", tool.Input, tool.Input, tool.Input)
		}
		want, err := tool.Want(spec)
		if err != nil {
			err = fmt.Errorf("input %s: %w", tool.Input, err)
		}
		return want, err
	case file == "" && tool.Name == "Java":
		return toolchain.Constraint{}, errors.New("input java-version or java-version-file is needed")
	case file == "" && tool.Name == "Python":
		file = ".python-version"
		if _, err := os.Stat(filepath.Join(c.env["GITHUB_WORKSPACE"], file)); err != nil {
			return toolchain.Constraint{}, nil
		}
	case file == "":
		return toolchain.Constraint{}, nil
	}
	path, err := c.inside(file)
	if err != nil {
		return toolchain.Constraint{}, err
	}
	f, err := os.Open(path)
	if err != nil {
		return toolchain.Constraint{}, fmt.Errorf("input %s-file: %w", tool.Input, err)
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxVersionFile))
	if err != nil {
		return toolchain.Constraint{}, fmt.Errorf("input %s-file: %w", tool.Input, err)
	}
	want, err := tool.WantOf(file, content)
	if err != nil {
		err = fmt.Errorf("input %s-file: %w", tool.Input, err)
	}
	return want, err
}

func (c *call) checkArchitecture() error {
	own := map[string][]string{"amd64": {"", "x64", "amd64"}, "arm64": {"", "arm64", "aarch64"}}[runtime.GOARCH]
	if a := c.input("architecture"); a != "" && !slices.Contains(own, strings.ToLower(a)) {
		return fmt.Errorf("input architecture: %s is asked for, and this machine is %s", a, runtime.GOARCH)
	}
	return nil
}

// prefer makes the program the one that its usual name starts, when it is not yet.
func (c *call) prefer(name, program string) error {
	for _, dir := range filepath.SplitList(c.env["PATH"]) {
		found := filepath.Join(dir, name)
		if info, err := os.Stat(found); err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
			continue
		}
		if found == program {
			return nil
		}
		break
	}
	return c.addPath(filepath.Dir(program))
}

func (c *call) useGo(p toolchain.Program) error {
	gopath, _, _ := strings.Cut(c.env["GOPATH"], string(filepath.ListSeparator))
	if gopath == "" {
		gopath = filepath.Join(c.env["HOME"], "go")
	}
	return errors.Join(
		c.prefer("go", p.Path), c.addPath(filepath.Join(gopath, "bin")),
		c.export("GOTOOLCHAIN", "local"), // as the action does: the version that was asked for stays the one that runs
		c.output("go-version", p.Text),
	)
}

// usePython lets python, python3 and pip be those of the program. Scripts do it, for a link to a program that
// chooses versions by its own name would choose another.
func (c *call) usePython(p toolchain.Program) error {
	update, err := c.boolean("update-environment")
	if err != nil {
		return err
	}
	if update {
		dir, err := os.MkdirTemp(c.env["RUNNER_TEMP"], "python-")
		if err != nil {
			return err
		}
		quoted := "'" + strings.ReplaceAll(p.Path, "'", `'\''`) + "'"
		for name, more := range map[string]string{"python": "", "python3": "", "pip": " -m pip", "pip3": " -m pip"} {
			script := "#!/bin/sh\nexec " + quoted + more + ` "$@"` + "\n"
			if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
				return err
			}
		}
		if err := c.addPath(dir); err != nil {
			return err
		}
	}
	return errors.Join(c.output("python-version", p.Text), c.output("python-path", p.Path))
}

func (c *call) useJava(p toolchain.Program) error {
	real, err := filepath.EvalSymlinks(p.Path)
	if err != nil {
		return err
	}
	home := filepath.Dir(filepath.Dir(real))
	switch kind := c.input("java-package"); kind {
	case "jre":
	case "jdk":
		if _, err := os.Stat(filepath.Join(home, "bin", "javac")); err != nil {
			return fmt.Errorf("a jdk is asked for, and %s has no javac; install one, or ask for java-package: jre", home)
		}
	default:
		return fmt.Errorf("input java-package: %s is not looked for, only jdk and jre are", kind)
	}
	distribution := c.input("distribution")
	if distribution != "" {
		c.logf("distribution: %s makes no difference here: the Java of this machine is taken", distribution)
	}
	return errors.Join(
		c.prefer("java", p.Path), c.export("JAVA_HOME", home),
		c.output("version", p.Text), c.output("path", home), c.output("distribution", distribution),
	)
}
