package local

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/environment"
)

// installer runs the platform's own installer in a sealed environment.
type installer struct{ p *leased }

// Install runs the platform file's install command for r and checks that it left what it should.
func (i installer) Install(ctx context.Context, r driver.Repo) error {
	return i.install(ctx, r, i.p.s.scope.Preset)
}

func (i installer) install(ctx context.Context, r driver.Repo, preset *driver.Preset) error {
	in := i.p.s.scope.Platform.Install
	argv := append([]string(nil), in.Run...)
	if defect := i.p.s.scope.Defect; defect != "" {
		for _, a := range i.p.s.scope.Platform.Defect {
			argv = append(argv, strings.ReplaceAll(a, "{name}", defect))
		}
	}
	env := i.p.ProgramEnv()
	for k, v := range in.Env {
		env[k] = v
	}
	home, err := os.MkdirTemp(i.p.dir, "install-")
	if err != nil {
		return fmt.Errorf("install into %s: %w", r, err)
	}
	env["HOME"], env["TMPDIR"] = home, home
	if preset != nil {
		args, err := i.presetArgs(*preset, home)
		if err != nil {
			return fmt.Errorf("install into %s: %w", r, err)
		}
		argv = append(argv, args...)
	}
	spec := driver.Spec{Dir: home}
	for _, a := range argv {
		v, err := i.fill(a, r)
		if err != nil {
			return err
		}
		spec.Argv = append(spec.Argv, v)
	}
	for _, k := range sortedKeys(env) {
		v, err := i.fill(env[k], r)
		if err != nil {
			return err
		}
		spec.Env = append(spec.Env, k+"="+v)
	}
	spec.Argv[0] = i.executable(spec.Argv[0])
	return i.run(ctx, r, spec)
}

// presetArgs are the arguments for a preset. One from a file is put into dir, under its own name: there the
// installer finds it, wherever it was.
func (i installer) presetArgs(preset driver.Preset, dir string) ([]string, error) {
	from := preset.From
	if preset.Data != nil {
		from = filepath.Join(dir, filepath.Base(preset.From))
		if err := os.WriteFile(from, preset.Data, 0o600); err != nil {
			return nil, err
		}
	}
	var args []string
	for _, a := range i.p.s.scope.Platform.Preset {
		args = append(args, strings.ReplaceAll(a, "{preset}", from))
	}
	if len(args) == 0 {
		return nil, fmt.Errorf("%s: preset.install is missing; it says how preset %s reaches the platform", i.p.s.scope.Platform.File, preset.From)
	}
	return args, nil
}

func (i installer) run(ctx context.Context, r driver.Repo, spec driver.Spec) error {
	var out bytes.Buffer
	spec.Stdout, spec.Stderr = &out, &out
	name := filepath.Base(spec.Argv[0])
	proc, err := i.p.Launcher.Start(ctx, spec)
	if err != nil {
		return fmt.Errorf("install %s into %s: %w", name, r, err)
	}
	exit, err := proc.Wait(ctx)
	if err != nil {
		return fmt.Errorf("install %s into %s: %w", name, r, err)
	}
	if !exit.OK() {
		return fmt.Errorf("install %s into %s: %s\n%s", name, r, exit, i.masked(tail(out.Bytes(), 4000)))
	}
	observer, err := i.p.client.As(environment.ActorObserver)
	if err != nil {
		return err
	}
	for _, path := range i.p.s.scope.Platform.Install.Validate {
		if _, err := observer.Files.Read(ctx, r, "", path); err != nil {
			return fmt.Errorf("install %s into %s ended well but left no %s: %w", name, r, path, err)
		}
	}
	return nil
}

// Remove is not declared by the platform file yet.
func (i installer) Remove(context.Context, driver.Repo) error {
	return fmt.Errorf("remove platform: %w", driver.ErrUnsupported)
}

// executable finds a program: what the platform gives first, then the PATH.
func (i installer) executable(name string) string {
	if strings.Contains(name, "/") {
		return name
	}
	for _, dir := range append([]string{i.p.s.tools}, filepath.SplitList(i.p.s.o.Path)...) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return name
}

var placeholder = regexp.MustCompile(`\{[a-z]+(?::[^{}]*)?\}`)

// fill replaces the placeholders of the platform file; an unknown one is an error that names it.
func (i installer) fill(s string, r driver.Repo) (string, error) {
	var bad error
	out := placeholder.ReplaceAllStringFunc(s, func(m string) string {
		switch key := strings.Trim(m, "{}"); {
		case key == "repo":
			return r.String()
		case key == "api":
			return i.p.APIURL()
		case key == "server":
			return i.p.Forge.URL()
		case strings.HasPrefix(key, "token:"):
			if t, ok := i.p.Tokens[strings.TrimPrefix(key, "token:")]; ok {
				return t
			}
		}
		bad = fmt.Errorf("%s: unknown placeholder %s in install; there are {repo}, {api}, {server} and {token:ACTOR}", i.p.s.scope.Platform.File, m)
		return m
	})
	return out, bad
}

// masked takes the lease's tokens out of text that people will see.
func (i installer) masked(text string) string {
	for actor, t := range i.p.Tokens {
		text = strings.ReplaceAll(text, t, "[token:"+actor+"]")
	}
	return text
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
