package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/result"
)

const faultUsage = "have the forge misbehave as GitHub does: NAME[=ARG,…][@WHERE], such as delivery.twice@issues.labeled; may be repeated (understudy faults lists them)"

func readFaults(texts []string) ([]forge.Fault, error) {
	var out []forge.Fault
	for _, text := range texts {
		f, err := forge.ParseFault(text)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// idleFaults are those of --fault that struck in no scenario: what passed says nothing of them.
func idleFaults(rec result.Record) (idle []string) {
	for _, text := range rec.Faults {
		if one, err := forge.ParseFault(text); err == nil && whoNoticed(rec, one).struck == 0 {
			idle = append(idle, text)
		}
	}
	return idle
}

func faultsCommand(o Options) *cobra.Command {
	var markdown bool
	cmd := &cobra.Command{
		Use:   "faults",
		Short: "List how the forge can be told to misbehave",
		Long: `List how the forge can be told to misbehave as GitHub does, by --fault of run and serve, by a step, or by
forge.Options.Faults in Go.

A fault is written NAME[=ARG,…][@WHERE]. An ARG is KEY:VALUE; the first one of a fault needs no key.
Every fault takes from:N (the first match that it strikes), times:N or times:always (how many; one
without it), and chance:PERCENT (of each of them, decided by the seed).`,
		Example: "  understudy faults\n  understudy run examples/race --fault delivery.late=1@issues.labeled",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if markdown {
				faultsPage(o.Stdout)
				return nil
			}
			faultsList(o.Stdout)
			return nil
		},
	}
	cmd.Flags().BoolVar(&markdown, "markdown", false, "print a page of reference")
	return cmd
}

func faultsList(w io.Writer) {
	for _, k := range forge.Faults() {
		fmt.Fprintf(w, "%s\n      %s\n", k.Name, k.Does)
		for _, a := range k.Args {
			fmt.Fprintf(w, "      %s:%s  %s\n", a.Name, values(a, "|"), a.Means)
		}
		fmt.Fprintf(w, "      e.g. %s\n", k.Example)
	}
}

// faultsPage is docs/reference/faults.md.
func faultsPage(w io.Writer) {
	fmt.Fprint(w, "# Faults\n\n<!-- Written by `understudy faults --markdown`; `make update` renews it. -->\n\n"+
		"A fault is written `NAME[=ARG,…][@WHERE]`; [the guide](../guide/faults.md) tells how to use them. Every fault takes\n"+
		"`from:N`, `times:N` or `times:always`, and `chance:PERCENT` beside the arguments below.\n")
	for _, k := range forge.Faults() {
		fmt.Fprintf(w, "\n## %s\n\n%s\n\n", k.Name, k.Does)
		if len(k.Args) > 0 {
			fmt.Fprint(w, "| argument | values | meaning |\n|---|---|---|\n")
		}
		for i, a := range k.Args {
			name := code(a.Name)
			if i == 0 {
				name += " (needs no key)"
			}
			means := a.Means
			if a.Default != "" {
				means += "; " + code(a.Default) + " without it"
			}
			fmt.Fprintf(w, "| %s | %s | %s |\n", name, values(a, ", "), means)
		}
		fmt.Fprintf(w, "\nWHERE: %s. Example: %s\n", k.At, code(k.Example))
	}
}

func values(a forge.FaultArg, between string) string {
	switch {
	case len(a.OneOf) > 0:
		return strings.Join(a.OneOf, between)
	case a.Most > 0:
		return "N"
	}
	return "TEXT"
}
