package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
)

const doctorLong = `Show what this machine has of what runs need, what each thing is for, and how to get what is
missing. Each thing is tried: git makes a commit, chromium opens a page, a namespace is entered.
Nothing is built, and no network is used but the loopback interface.

Scenarios ask for capabilities with @requires:capability:NAME. Those come from the environment, from
the platform file of the suite (--suite), and from whoever declares them: --capabilities of run and
plan, BEHAVIOUR_CAPABILITIES under go test.

--capability NAME looks for one thing or capability alone and prints a line, for scripts.

--actors looks at nothing of the machine, but how far the accounts of the platform's actors reach on
the forge that reach.yaml names, beside the platform file: whether each is in no organisation of
production, may write in none but those for tests, and has there the role that the platform file
declares. It only reads, with the actors' own tokens. What it finds is kept in reach.record.json;
doctor without --actors says when it is time to look again.

Exit codes: 0 all that is needed (or NAME) is there, or all actors reach as far as they should · 1 an
actor reaches elsewhere · 2 usage, or nobody knows NAME · 3 something is missing, or cannot be told.`

const doctorExample = `  understudy doctor
  understudy doctor --json
  understudy doctor --capability chromium && understudy run e2e --tags @console
  WRITE_TOKEN=… understudy doctor --actors --suite e2e`

func doctorCommand(o Options) *cobra.Command {
	var asJSON, actors bool
	var one, suiteDir, by string
	cmd := &cobra.Command{
		Use:     "doctor",
		Short:   "Show what this machine has, and how to get what it lacks",
		Long:    doctorLong,
		Example: doctorExample,
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if actors {
				return doctorActors(c.Context(), o, suiteDir, by)
			}
			d, err := diagnose(c.Context(), o.Env, suiteDir)
			if err != nil {
				return err
			}
			switch {
			case c.Flags().Changed("capability"):
				return d.tell(o.Stdout, one)
			case asJSON:
				if err := writeJSON(o.Stdout, d); err != nil {
					return err
				}
			default:
				d.print(o.Stdout)
			}
			if len(d.Missing) > 0 {
				return exitError(exitBroken)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as JSON")
	cmd.Flags().StringVar(&one, "capability", "", "look for this thing or capability alone")
	cmd.Flags().BoolVar(&actors, "actors", false, "look how far the accounts of the platform's actors reach")
	cmd.Flags().StringVar(&by, "by", "", "who looks, for the record of --actors (default $USER)")
	cmd.MarkFlagsMutuallyExclusive("actors", "json")
	cmd.MarkFlagsMutuallyExclusive("actors", "capability")
	cmd.Flags().StringVar(&suiteDir, "suite", ".", "directory of the suite whose platform file is read")
	_ = cmd.RegisterFlagCompletionFunc("capability", completeThings)
	return cmd
}

// diagnose looks at the machine, and at the suite if there is one.
func diagnose(ctx context.Context, env []string, suiteDir string) (d diagnosis, err error) {
	dir, err := os.MkdirTemp("", "understudy-doctor-")
	if err != nil {
		return d, fmt.Errorf("make a directory to try things in: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	d = examine(ctx, machine{env: env, dir: dir})
	if d.Capabilities, err = capabilitiesOf(suiteDir, env); err != nil {
		return d, err
	}
	d.Actors, err = lookedAt(suiteDir)
	return d, err
}

// diagnosis is what doctor shows.
type diagnosis struct {
	Version      string       `json:"version"` // of understudy
	Things       []finding    `json:"things"`
	Capabilities []capability `json:"capabilities"`
	Missing      []string     `json:"missing"` // of what is needed
	Actors       *lastLook    `json:"actors,omitempty"`
}

// finding is one thing that was looked for.
type finding struct {
	Name    string     `json:"name"`
	For     string     `json:"for"`
	Needed  bool       `json:"needed"`
	Found   bool       `json:"found"`
	Path    string     `json:"path,omitempty"`
	Version string     `json:"version,omitempty"` // or how much of it there is
	Note    string     `json:"note,omitempty"`    // why it does not do, or what about it is to be known
	Get     *provision `json:"get,omitempty"`     // what provides it
	Do      string     `json:"do,omitempty"`      // what else brings it, when it is not found
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
	fmt.Fprintf(w, "\ncapabilities that scenarios may require\n")
	for _, c := range d.Capabilities {
		sign := "-"
		if c.There {
			sign = "✓"
		}
		fmt.Fprintf(w, "%s %-*s  %s\n", sign, width, c.Name, c.From)
	}
	d.Actors.print(w)
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
	fmt.Fprintf(w, "%s %-*s  %s\n", sign, width, f.Name, f.state())
	indent := strings.Repeat(" ", width+4)
	fmt.Fprintf(w, "%s%s\n", indent, f.For)
	if f.Found && f.Note != "" {
		fmt.Fprintf(w, "%s%s\n", indent, f.Note)
	}
	if how := f.how(); how != "" {
		fmt.Fprintf(w, "%sto get it: %s\n", indent, how)
	}
}

// state is the thing's version and place, or why it does not do.
func (f finding) state() string {
	switch have := strings.TrimSpace(f.Version + "  " + f.Path); {
	case !f.Found && f.Note != "":
		return f.Note
	case !f.Found:
		return "not found"
	case have != "":
		return have
	}
	return "yes"
}

// how says how to get what is not there.
func (f finding) how() string {
	switch {
	case f.Found:
		return ""
	case f.Do != "" || f.Get == nil:
		return f.Do
	}
	return fmt.Sprintf("Debian: %s · Fedora: %s · macOS: %s", f.Get.Debian, f.Get.Fedora, f.Get.MacOS)
}
