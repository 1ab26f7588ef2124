package dummy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"syscall"
)

const (
	name      = "understudy-job agent dummy"
	maxScript = 16 << 20
)

// Main is the command: args are what follows "agent dummy". It returns the exit code. Progress, one
// line an operation, goes to stdout, errors to stderr. SIGINT and SIGTERM make the remaining
// operations fail; the results are written all the same.
func Main(args []string, stdout, stderr io.Writer) int {
	c, err := parseFlags(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, usage)
		return 0
	}
	if err != nil {
		fmt.Fprintf(stderr, "%s: error: %v\n%s", name, err, usage)
		return 2
	}
	if err := c.load(); err != nil {
		fmt.Fprintf(stderr, "%s: error: %v\n", name, err)
		return 2
	}
	c.options.Env = os.Environ()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	r := Run(ctx, c.loaded, c.options)
	for _, op := range r.Operations {
		if op.Success {
			fmt.Fprintf(stdout, "ok    %s (%s)\n", op.Description, op.Op)
		} else {
			fmt.Fprintf(stdout, "fail  %s (%s): %s\n", op.Description, op.Op, op.Error)
		}
	}
	if err := c.writeResults(r); err != nil {
		fmt.Fprintf(stderr, "%s: error: write the results: %v\n", name, err)
		return 2
	}
	if r.Failed() > 0 {
		fmt.Fprintf(stderr, "%s: %d of %d operations failed\n", name, r.Failed(), len(r.Operations))
		return 1
	}
	return 0
}

const usage = `usage: understudy-job agent dummy --script FILE --workspace DIR [flags]

  --script FILE     script of operations (YAML)
  --workspace DIR   existing directory that the agent writes into
  --repo DIR        checkout that read_file and checkout_branch work in (default: the workspace)
  --results FILE    where the results go (default: DIR/output/behaviour-results.json)
  --iteration N     which this is, when the agent is asked again (default: 1)
  --proxy URL       HTTP proxy for url_get (default: none; the environment is not read)
`

// command is the command line, and the script once loaded.
type command struct {
	script  string
	results string // "" is the default below the workspace
	options Options
	loaded  Script
}

func parseFlags(args []string) (command, error) {
	var c command
	var proxy, iteration string
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&c.script, "script", "", "")
	f.StringVar(&c.options.Workspace, "workspace", "", "")
	f.StringVar(&c.options.Repo, "repo", "", "")
	f.StringVar(&c.results, "results", "", "")
	f.StringVar(&proxy, "proxy", "", "")
	f.StringVar(&iteration, "iteration", "1", "")
	if err := f.Parse(args); err != nil {
		return c, err
	}
	switch {
	case f.NArg() > 0:
		return c, fmt.Errorf("unexpected argument %q", f.Arg(0))
	case c.script == "":
		return c, errors.New("--script is missing")
	case c.options.Workspace == "":
		return c, errors.New("--workspace is missing")
	}
	var err error
	if c.options.Iteration, err = ParseIteration(iteration); err != nil {
		return c, fmt.Errorf("--%w", err)
	}
	if proxy != "" {
		u, err := url.Parse(proxy)
		if err != nil || u.Scheme != "http" || u.Host == "" {
			return c, errors.New("--proxy must be an http:// URL with a host")
		}
		c.options.Proxy = u
	}
	return c, nil
}

// load reads the script and checks the directories, so that nothing runs when something is wrong.
func (c *command) load() error {
	for _, dir := range []string{c.options.Workspace, c.options.Repo} {
		if dir == "" {
			continue
		}
		if info, err := os.Stat(dir); err != nil {
			return plain(err)
		} else if !info.IsDir() {
			return fmt.Errorf("%s: not a directory", dir)
		}
	}
	f, err := os.Open(c.script)
	if err != nil {
		return fmt.Errorf("script %w", plain(err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxScript+1))
	if err != nil {
		return fmt.Errorf("script %w", plain(err))
	}
	if len(data) > maxScript {
		return fmt.Errorf("script %s: larger than %d bytes", c.script, maxScript)
	}
	if c.loaded, err = Parse(data); err != nil {
		return fmt.Errorf("script %s: %w", c.script, err)
	}
	for _, op := range c.loaded.Ops {
		if op.Op == WriteFixture && c.isResults(op.Args) {
			return fmt.Errorf("script %s: operation %q would write over the results file", c.script, op.Description)
		}
	}
	return nil
}

func (c *command) isResults(dest string) bool {
	if c.results == "" {
		return path.Clean(dest) == DefaultResults
	}
	a, errA := filepath.Abs(filepath.Join(c.options.Workspace, dest))
	b, errB := filepath.Abs(c.results)
	return errA == nil && errB == nil && a == b
}

// writeResults goes through os.Root, so that a link made by a fixture leads nowhere else.
func (c *command) writeResults(r Results) error {
	dir, file := c.options.Workspace, DefaultResults
	if c.results != "" {
		dir, file = filepath.Dir(c.results), filepath.Base(c.results)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return plain(err)
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return plain(err)
	}
	defer root.Close()
	if err := root.MkdirAll(path.Dir(file), 0o755); err != nil {
		return plain(err)
	}
	if err := root.WriteFile(file+".tmp", b.Bytes(), 0o644); err != nil {
		return plain(err)
	}
	return root.Rename(file+".tmp", file)
}
