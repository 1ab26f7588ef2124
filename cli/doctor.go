package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/understudy-dev/understudy/environment/local"
)

func doctorCommand(o Options) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Show what this machine has, and how to get what it lacks",
		Long: `Show what this machine has of what runs need, what each thing is for, and how to get what is
missing. Nothing is built, and no network is used.

Exit codes: 0 all that is needed is there · 2 something needed is missing.`,
		Example: "  understudy doctor\n  understudy doctor --json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			d := examine(c.Context(), o.Env)
			for _, name := range local.New(local.Options{}).Capabilities() {
				d.Capabilities = append(d.Capabilities, string(name))
			}
			if asJSON {
				if err := writeJSON(o.Stdout, d); err != nil {
					return err
				}
			} else {
				d.print(o.Stdout)
			}
			if len(d.Missing) > 0 {
				return exitError(exitUsage)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	return cmd
}

// diagnosis is what doctor shows.
type diagnosis struct {
	Version      string    `json:"version"` // of understudy
	Things       []finding `json:"things"`
	Capabilities []string  `json:"capabilities"` // that the local environment offers
	Missing      []string  `json:"missing"`      // of what is needed
}

// finding is one thing that was looked for.
type finding struct {
	Name    string `json:"name"`
	For     string `json:"for"`
	Needed  bool   `json:"needed"`
	Found   bool   `json:"found"`
	Path    string `json:"path,omitempty"`
	Version string `json:"version,omitempty"`
	Note    string `json:"note,omitempty"` // why it does not do, or what about it is to be known
	Get     string `json:"get,omitempty"`  // how to get it, when it is not found
}

func (d diagnosis) print(w io.Writer) {
	fmt.Fprintf(w, "understudy %s\n", d.Version)
	width := 0
	for _, f := range d.Things {
		width = max(width, len(f.Name))
	}
	for _, part := range []struct {
		title  string
		needed bool
	}{{"needed", true}, {"for some scenarios", false}} {
		fmt.Fprintf(w, "\n%s\n", part.title)
		for _, f := range d.Things {
			if f.Needed == part.needed {
				f.print(w, width)
			}
		}
	}
	fmt.Fprintf(w, "\nthe local environment offers: %s\n", strings.Join(d.Capabilities, ", "))
	fmt.Fprintf(w, "what a platform has besides, its file lists under capabilities; --capabilities declares it for a run\n")
	if len(d.Missing) > 0 {
		fmt.Fprintf(w, "\nmissing: %s\n", strings.Join(d.Missing, ", "))
	}
}

func (f finding) print(w io.Writer, width int) {
	sign := "✓"
	if !f.Found {
		sign = "-"
		if f.Needed {
			sign = "✗"
		}
	}
	have := strings.TrimSpace(f.Version + "  " + f.Path)
	if have == "" {
		have = "yes"
	}
	if !f.Found {
		have = "not found"
		if f.Note != "" {
			have = f.Note
		}
	}
	fmt.Fprintf(w, "%s %-*s  %s\n", sign, width, f.Name, have)
	indent := strings.Repeat(" ", width+4)
	fmt.Fprintf(w, "%s%s\n", indent, f.For)
	if f.Found && f.Note != "" {
		fmt.Fprintf(w, "%s%s\n", indent, f.Note)
	}
	if !f.Found && f.Get != "" {
		fmt.Fprintf(w, "%sto get it: %s\n", indent, f.Get)
	}
}
