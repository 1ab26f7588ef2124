// Package job finds understudy-job, the executable that runs workflow jobs and holds programs. It
// is not linked into the kit, so that no user's module ever sees the engine in it; where no ready
// one is found it is built once and kept in the user's cache directory.
//
//	path, err := job.Find(ctx, job.Options{Explicit: os.Getenv("UNDERSTUDY_JOB"), Progress: show})
package job

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

const (
	// Module is the module that understudy-job belongs to.
	Module = "github.com/understudy-dev/understudy"

	jobName    = "understudy-job"
	engineName = "understudy-act" // runs whole jobs; understudy-job starts it from its own directory

	jobPackage    = "cmd/understudy-job"
	enginePackage = "cmd/understudy-job/understudy-act"
)

// Options says where to look, in this order.
type Options struct {
	// Explicit is the path somebody named. When it is set nothing else is looked at.
	Explicit string
	// Beside is the directory of the running understudy, or "".
	Beside string
	// Dir is a directory of this module's source, or "" to ask the go command in the current
	// directory which version of the module is in use.
	Dir string
	// Cache is where built executables are kept; "" is "understudy/job" in the user's cache
	// directory.
	Cache string
	// Progress gets a line before something slow. May be nil.
	Progress func(string)

	offline bool // the go command looks no further than this machine
}

// Find returns the absolute path of an understudy-job. It may be called by several processes at
// once; they build once. When nothing can be built the error ends in the command to type.
func Find(ctx context.Context, o Options) (string, error) {
	if path, err := o.ready(); path != "" || err != nil {
		return path, err
	}
	if o.Progress == nil {
		o.Progress = func(string) {}
	}
	src, o, err := o.source(ctx)
	if err != nil {
		return "", fmt.Errorf("find understudy-job: %w", err)
	}
	return src.built(ctx, o)
}

// Found says which understudy-job Find would return.
type Found struct {
	Path  string // "" when it is not built yet
	From  string // what it is built of; "" when a ready one was named or stands beside
	Build string // what to type to build it; "" when a ready one was named or stands beside
}

// Look is Find without building anything, and without network.
func Look(ctx context.Context, o Options) (Found, error) {
	if path, err := o.ready(); path != "" || err != nil {
		return Found{Path: path}, err
	}
	o.offline = true
	src, o, err := o.source(ctx)
	if err != nil {
		return Found{}, fmt.Errorf("find understudy-job: %w", err)
	}
	key, err := src.key(ctx)
	if err != nil {
		return Found{}, fmt.Errorf("find understudy-job: %w; type: %s", err, src.command())
	}
	f := Found{From: src.String(), Build: src.command()}
	if entry := filepath.Join(o.Cache, key); complete(entry) {
		f.Path = filepath.Join(entry, jobName)
	}
	return f, nil
}

// ready returns the one that was named or stands beside, "" when there is none.
func (o Options) ready() (string, error) {
	if o.Explicit != "" {
		path, err := filepath.Abs(o.Explicit)
		if err == nil {
			err = executable(path)
		}
		if err != nil {
			return "", fmt.Errorf("use understudy-job %s: %w", o.Explicit, err)
		}
		return path, nil
	}
	if o.Beside != "" {
		if dir, err := filepath.Abs(o.Beside); err == nil && complete(dir) {
			return filepath.Join(dir, jobName), nil
		}
	}
	return "", nil
}

// source says what to build from, and returns o with the cache to build into.
func (o Options) source(ctx context.Context) (source, Options, error) {
	if o.Cache == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return source{}, o, err
		}
		o.Cache = filepath.Join(cache, "understudy", "job")
	}
	src, err := o.locate(ctx)
	return src, o, err
}

func executable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return errors.New("not an executable file")
	}
	return nil
}

func complete(dir string) bool {
	return executable(filepath.Join(dir, jobName)) == nil && executable(filepath.Join(dir, engineName)) == nil
}

// source is what understudy-job is built from: a directory of the module, or a released version.
type source struct {
	dir     string
	version string
}

// locate asks the go command which copy of the module is in use here.
func (o Options) locate(ctx context.Context) (source, error) {
	if o.Dir != "" {
		return source{dir: o.Dir}, nil
	}
	var env []string
	if o.offline {
		env = []string{"GOPROXY=off"}
	}
	m, err := listModule(ctx, env)
	switch {
	case err == nil && m.Replace != nil && m.Replace.Version == "":
		return source{dir: m.Replace.Dir}, nil
	case err == nil && m.Version != "":
		return source{version: m.Version}, nil
	case err == nil && m.Dir != "":
		return source{dir: m.Dir}, nil
	}
	if v := ownVersion(); v != "" {
		return source{version: v}, nil
	}
	if dir := ownSource(); dir != "" {
		return source{dir: dir}, nil
	}
	if err == nil {
		err = errors.New("the go command knows the module, but neither its version nor its directory")
	}
	return source{}, fmt.Errorf("%w; type: %s", err, source{version: "latest"}.command())
}

// ownSource is the checkout that this program was built from, if it is still there.
func ownSource() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return "" // built with -trimpath
	}
	dir := filepath.Dir(filepath.Dir(filepath.Dir(file)))
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || !strings.HasPrefix(string(mod), "module "+Module+"\n") {
		return ""
	}
	return dir
}

// ownVersion is the version of the module that is linked into this program, if it is a released one.
func ownVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	version := ""
	if info.Main.Path == Module {
		version = info.Main.Version
	}
	for _, d := range info.Deps {
		if d.Path == Module && d.Replace == nil {
			version = d.Version
		}
	}
	if version == "(devel)" {
		return ""
	}
	return version
}
