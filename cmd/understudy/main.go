// Command understudy runs a whole agent platform end to end on one machine, with the model taken out.
package main

import (
	"os"

	"github.com/understudy-dev/understudy/cli"
)

func main() { os.Exit(cli.Main(cli.Options{})) }
