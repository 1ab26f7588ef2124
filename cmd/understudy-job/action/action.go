// Package action holds the actions that are built into understudy-job: actions/checkout,
// actions/upload-artifact and actions/download-artifact, as of their version 4, and the ones that set up
// a language. They need no node and no network but the forge's.
//
// An action is a composite one whose only step calls back; its inputs arrive as INPUT_ variables
// and its outputs leave through GITHUB_OUTPUT, as for every action. There are no inputs beyond those
// that are listed here.
//
//	understudy-job action CONTROL-DIR SCRIPT checkout
package action

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/understudy-dev/understudy/cmd/understudy-job/step"
)

// Action describes one built-in action.
type Action struct {
	Name    string            // "actions/checkout"
	Inputs  map[string]string // name to default, which may be an expression
	Outputs []string
	run     func(context.Context, *call) error
	post    func(context.Context, *call) error // at the end of a job that succeeds; nil when there is nothing to do
}

// All returns the built-in actions.
func All() []Action {
	return append(append(setups(), caches()...), []Action{
		{
			Name: "actions/checkout",
			Inputs: map[string]string{
				"repository": "${{ github.repository }}", "ref": "", "token": "${{ github.token }}", "path": "",
				"fetch-depth": "1", "persist-credentials": "true",
			},
			Outputs: []string{"ref", "commit"},
			run:     checkout,
		},
		{
			Name: "actions/upload-artifact",
			Inputs: map[string]string{
				"name": "artifact", "path": "", "if-no-files-found": "warn", "retention-days": "0",
				"compression-level": "6", "overwrite": "false", "include-hidden-files": "false",
			},
			Outputs: []string{"artifact-id", "artifact-url", "artifact-digest"},
			run:     upload,
		},
		{
			Name:    "actions/download-artifact",
			Inputs:  map[string]string{"name": "", "path": "", "pattern": "", "merge-multiple": "false"},
			Outputs: []string{"download-path"},
			run:     download,
		},
	}...)
}

// Find returns the built-in action of a name, in any case.
func Find(name string) (Action, bool) {
	all := All()
	i := slices.IndexFunc(all, func(a Action) bool { return strings.EqualFold(a.Name, name) })
	if i < 0 {
		return Action{}, false
	}
	return all[i], true
}

// Check says which of a step's inputs the action does not have.
func (a Action) Check(with map[string]string) error {
	for name := range with {
		if _, ok := a.Inputs[name]; !ok {
			return fmt.Errorf("%s: the built-in action has no input %q; it has %s", a.Name, name, strings.Join(a.inputs(), ", "))
		}
	}
	return nil
}

func (a Action) inputs() []string {
	var names []string
	for name := range a.Inputs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Definition returns the action.yml whose one step is run by this shell command.
func (a Action) Definition(shell string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "name: %q\ndescription: built in\ninputs:\n", a.Name)
	for _, name := range a.inputs() {
		fmt.Fprintf(&b, "  %s: {description: %q, default: %q}\n", name, name, a.Inputs[name])
	}
	b.WriteString("outputs:\n")
	for _, name := range a.Outputs {
		fmt.Fprintf(&b, "  %s: {description: %q, value: %q}\n", name, name, "${{ steps.main.outputs."+name+" }}")
	}
	if len(a.Outputs) == 0 {
		b.WriteString("  {}\n")
	}
	if a.post != nil {
		fmt.Fprintf(&b, "runs: {using: node20, main: %s, post: %s, post-if: success()}\n", entryMain, entryPost)
		return []byte(b.String())
	}
	fmt.Fprintf(&b, "runs:\n  using: composite\n  steps:\n  - {id: main, run: built in, shell: %q}\n", shell)
	return []byte(b.String())
}

// Main runs an action as a step of a job and returns the exit code.
func Main(args []string, stderr io.Writer) int {
	if len(args) != 3 {
		fmt.Fprintln(stderr, "understudy-job: error: action: want control directory, script and name")
		return 2
	}
	c := step.Control{Dir: args[0]}
	return c.Wrap(func(ctx context.Context) (int, error) {
		a, ok := Find(args[2])
		if !ok {
			return 0, fmt.Errorf("action %q is not built in", args[2])
		}
		ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
		defer stop()
		return 0, a.run(ctx, newCall(c.Environ(), os.Stdout))
	}, stderr)
}

// Actions that have something to do at the end of their job pass for JavaScript ones: for others act knows no
// such step. The program that would run these files is us, under the name of node.
const (
	entryMain = "understudy-main.js"
	entryPost = "understudy-post.js"
)

// IsEntry reports whether node is to run one of the built-in actions.
func IsEntry(args []string) bool {
	return len(args) == 1 && slices.Contains([]string{entryMain, entryPost}, filepath.Base(args[0]))
}

// Enter runs that action in place of node.
func Enter(args []string, stderr io.Writer) int {
	c := step.OfEnvironment()
	return c.Wrap(func(ctx context.Context) (int, error) {
		a, ok := Find(os.Getenv("GITHUB_ACTION_REPOSITORY"))
		if !ok || a.post == nil {
			return 0, fmt.Errorf("%s is no built-in action that runs so", os.Getenv("GITHUB_ACTION_REPOSITORY"))
		}
		do := a.run
		if filepath.Base(args[0]) == entryPost {
			do = a.post
		}
		return 0, do(ctx, newCall(c.Environ(), os.Stdout))
	}, stderr)
}

// call is one use of an action.
type call struct {
	env map[string]string
	log io.Writer
}

func newCall(environ []string, log io.Writer) *call {
	c := &call{env: map[string]string{}, log: log}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		c.env[name] = value
	}
	return c
}

func (c *call) logf(format string, args ...any) { fmt.Fprintf(c.log, format+"\n", args...) }

// input returns an input's value; act keeps hyphens in the variable's name.
func (c *call) input(name string) string {
	return strings.TrimSpace(c.env["INPUT_"+strings.ToUpper(strings.ReplaceAll(name, " ", "_"))])
}

func (c *call) boolean(name string) (bool, error) {
	switch v := c.input(name); v {
	case "true", "True", "TRUE":
		return true, nil
	case "false", "False", "FALSE":
		return false, nil
	default:
		return false, fmt.Errorf("input %s: %q is not true or false", name, v)
	}
}

// output sets an output of the action.
func (c *call) output(name, value string) error {
	if err := c.set("GITHUB_OUTPUT", name, value); err != nil {
		return fmt.Errorf("set output %s: %w", name, err)
	}
	return nil
}

// export sets a variable for the steps to come.
func (c *call) export(name, value string) error {
	if err := c.set("GITHUB_ENV", name, value); err != nil {
		return fmt.Errorf("set %s: %w", name, err)
	}
	return nil
}

// setState keeps a value for the end of the job.
func (c *call) setState(name, value string) error {
	if err := c.set("GITHUB_STATE", name, value); err != nil {
		return fmt.Errorf("keep %s: %w", name, err)
	}
	return nil
}

// addPath puts a directory in front of the PATH of the steps to come.
func (c *call) addPath(dir string) error {
	if err := c.add("GITHUB_PATH", dir); err != nil {
		return fmt.Errorf("add %s to PATH: %w", dir, err)
	}
	return nil
}

// set writes a name and its value to a command file, as @actions/core does where the value has several lines:
// none of them is a command of its own.
func (c *call) set(file, name, value string) error {
	if !strings.ContainsAny(value, "\r\n") {
		return c.add(file, name+"="+value)
	}
	end := "ghadelimiter_" + rand.Text()
	return c.add(file, name+"<<"+end+"\n"+value+"\n"+end)
}

// add writes to a command file.
func (c *call) add(file, line string) error {
	f, err := os.OpenFile(c.env[file], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, line)
	return errors.Join(err, f.Close())
}

// inside makes a path of an input absolute, below the workspace.
func (c *call) inside(path string) (string, error) {
	workspace := c.env["GITHUB_WORKSPACE"]
	if !filepath.IsAbs(path) {
		path = filepath.Join(workspace, path)
	}
	path = filepath.Clean(path)
	if path != workspace && !strings.HasPrefix(path, workspace+"/") {
		return "", fmt.Errorf("path %q is not inside the workspace %q", path, workspace)
	}
	return path, nil
}
