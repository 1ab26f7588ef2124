// Command understudy-job is Understudy's second, small executable. It holds programs on a lifeline,
// runs the steps and built-in actions of workflow jobs, and carries the dummy agent. The kit starts
// it; people meet it only when they look at a process list.
//
//	understudy-job run < spec.json > events.ndjson
//	understudy-job hold --lifeline-fd 3 --status-fd 4 -- CMD…
//	understudy-job exec --control-fd 3 --network 140.82.121.3 --mount /tmp/hosts=/etc/hosts -- CMD…
//
// Whole jobs run in understudy-act, which stands beside it: that one links the engine and starts
// four times slower, and most of what the kit starts needs no engine.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"syscall"

	"github.com/understudy-dev/understudy/agent/dummy"
	"github.com/understudy-dev/understudy/cmd/understudy-job/action"
	"github.com/understudy-dev/understudy/cmd/understudy-job/step"
)

const usage = `usage: understudy-job COMMAND

  run      read a job as JSON on standard input, run it, write events as JSON lines
  hold     run a program and end everything it started when the lifeline closes
  exec     run a program in the foreground, in a network of its own where --network says so
  agent    agent dummy …: the interpreter of operation scripts
  version  print the version
`

// Exit codes of the commands that do not pass on another program's code.
const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	if name := filepath.Base(os.Args[0]); step.IsShim(name) {
		if name == "node" && action.IsHashFiles(os.Args[1:]) {
			os.Exit(action.HashFiles(os.Stderr))
		}
		if name == "node" && action.IsEntry(os.Args[1:]) {
			os.Exit(action.Enter(os.Args[1:], os.Stderr))
		}
		os.Exit(step.Shim(name, os.Args[1:], os.Stderr))
	}
	os.Exit(command(os.Args[1:], os.Stdout, os.Stderr))
}

func command(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		return exitUsage
	}
	rest := args[1:]
	switch args[0] {
	case "run":
		return runCommand(rest, stderr)
	case "hold":
		return holdCommand(rest, stderr)
	case "exec":
		return execCommand(rest, stderr)
	case "step":
		return step.Main(rest, stderr)
	case "action":
		return action.Main(rest, stderr)
	case "agent":
		return agentCommand(rest, stdout, stderr)
	case "version":
		fmt.Fprintln(stdout, "understudy-job", version())
		return 0
	case "help", "-h", "--help":
		fmt.Fprint(stdout, usage)
		return 0
	}
	fmt.Fprintf(stderr, "understudy-job: error: unknown command %q\n%s", args[0], usage)
	return exitUsage
}

// runCommand becomes understudy-act.
func runCommand(args []string, stderr io.Writer) int {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self) // it may stand in a directory of tools as a link
	}
	if err == nil {
		engine := filepath.Join(filepath.Dir(self), "understudy-act")
		err = syscall.Exec(engine, append([]string{engine, "run", "--job", self}, args...), os.Environ())
	}
	fmt.Fprintf(stderr, "understudy-job: error: run: start understudy-act beside %s: %v\n", self, err)
	return exitFailed
}

func agentCommand(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 || args[0] != "dummy" {
		fmt.Fprintln(stderr, "understudy-job: error: agent: there is one agent, dummy")
		return exitUsage
	}
	return dummy.Main(args[1:], stdout, stderr)
}

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
