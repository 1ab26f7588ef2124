// Command stuck is understudy with a step that ignores its context, for the test of a second interrupt.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/understudy-dev/understudy/cli"
	"github.com/understudy-dev/understudy/suite"
)

func main() {
	os.Exit(cli.Main(cli.Options{Packs: []suite.Pack{{Name: "stuck", Steps: []suite.Step{{
		Pattern: `a step that ignores everything`, Example: `a step that ignores everything`, Doc: "Never returns.",
		Do: func(context.Context) error {
			fmt.Println("stuck")
			select {}
		},
	}}}}}))
}
