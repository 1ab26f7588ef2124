// Command kit stands for the kit in a test that kills it: it starts the program given to it through
// driver/process, hands its descriptor 3 on, and waits.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/driver/process"
)

func main() {
	l := process.New(process.Options{Holder: os.Args[1], Namespaces: os.Args[2] == "ns"})
	p, err := l.Start(context.Background(), driver.Spec{
		Argv: os.Args[3:], Env: os.Environ(), Stderr: os.Stderr, Files: []*os.File{os.NewFile(3, "watched")},
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	exit, err := p.Wait(context.Background())
	fmt.Println(exit, err)
}
