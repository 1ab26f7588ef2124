package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/understudy-dev/understudy/internal/envvar"
)

// referenceCommand writes docs/reference/cli.md and environment.md; it is of use to whoever changes a command.
func referenceCommand(o Options) *cobra.Command {
	var environment bool
	cmd := &cobra.Command{
		Use:    "reference",
		Short:  "Print all commands as a page of reference",
		Args:   cobra.NoArgs,
		Hidden: true,
		RunE: func(c *cobra.Command, _ []string) error {
			if environment {
				envvar.WritePage(o.Stdout)
				return nil
			}
			fmt.Fprint(o.Stdout, "# Commands\n\n<!-- Written by `understudy reference`; `make update` renews it. -->\n")
			commandPages(o.Stdout, c.Root())
			return nil
		},
	}
	cmd.Flags().BoolVar(&environment, "environment", false, "print the environment variables instead")
	return cmd
}

// commandPages writes a command and, in their order, those below it.
func commandPages(w io.Writer, c *cobra.Command) {
	if c.Hidden || c.Name() == "help" {
		return
	}
	text := c.Long
	if text == "" {
		text = c.Short + "."
	}
	fmt.Fprintf(w, "\n## %s\n\n```text\n%s\n```\n", c.CommandPath(), strings.TrimSpace(text))
	if c.Runnable() && c.HasParent() {
		fmt.Fprintf(w, "\n```console\n$ %s\n```\n", c.UseLine())
	}
	if c.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n\n```console\n")
		for line := range strings.Lines(c.Example) {
			fmt.Fprintf(w, "$ %s\n", strings.TrimSpace(line))
		}
		fmt.Fprint(w, "```\n")
	}
	head := "\n| flag | default | meaning |\n|---|---|---|\n"
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" || f.Name == "version" {
			return
		}
		kind, usage := pflag.UnquoteUsage(f)
		name := strings.TrimSpace("--" + f.Name + " " + kind)
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		value := ""
		if f.DefValue != "" {
			value = code(f.DefValue)
		}
		fmt.Fprintf(w, "%s| `%s` | %s | %s |\n", head, name, value, strings.ReplaceAll(usage, "|", `\|`))
		head = ""
	})
	if c.Name() == "completion" { // cobra's own pages, one for each shell
		return
	}
	for _, below := range c.Commands() {
		commandPages(w, below)
	}
}
