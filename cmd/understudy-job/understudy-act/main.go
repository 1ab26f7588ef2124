// Command understudy-act runs one workflow job with act. It is started by understudy-job, which
// stands beside it, and is no command for people.
//
//	understudy-act run --job /path/to/understudy-job < spec.json > events.ndjson
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
)

func main() {
	if len(os.Args) < 2 || os.Args[1] != "run" {
		fmt.Fprintln(os.Stderr, "understudy-act: error: it is started by understudy-job run")
		os.Exit(2)
	}
	fs := flag.NewFlagSet("run", flag.ExitOnError)
	job := fs.String("job", "", "path of understudy-job")
	_ = fs.Parse(os.Args[2:])
	if *job == "" || fs.NArg() != 0 {
		fmt.Fprintln(os.Stderr, "understudy-act: error: run: want --job and nothing else")
		os.Exit(2)
	}
	// A job's engine lives for milliseconds and allocates a few megabytes: collecting them costs a tenth
	// of its processor time. A job with a long log meets the limit and is collected from there on.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(256 << 20)
	os.Exit(runCommand(*job, os.Stdin, os.Stderr))
}
