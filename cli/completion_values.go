package cli

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/understudy-dev/understudy/environment"
	"github.com/understudy-dev/understudy/environment/local"
	"github.com/understudy-dev/understudy/suite/feature"
	"github.com/understudy-dev/understudy/trial"
)

// completeFlags gives the commands that have --tags, --capabilities or --as their values to choose from.
func completeFlags(commands []*cobra.Command) {
	for _, c := range commands {
		if c.Flags().Lookup("tags") != nil {
			_ = c.RegisterFlagCompletionFunc("tags", completeTags)
		}
		if c.Flags().Lookup("capabilities") != nil {
			_ = c.RegisterFlagCompletionFunc("capabilities", completeCapabilities)
		}
		if c.Flags().Lookup("as") != nil {
			_ = c.RegisterFlagCompletionFunc("as", completeRuns)
		}
	}
}

// suiteAt is the suite of the first path given, or the one here. Without one there is nothing to
// complete: completion is no place to complain.
func suiteAt(paths []string) (trial.Config, bool) {
	path := "."
	if len(paths) > 0 {
		path, _, _ = strings.Cut(paths[0], ".feature:")
		if path != paths[0] {
			path += ".feature"
		}
	}
	c, err := trial.FindConfig(path, "")
	return c, err == nil
}

// completeTags completes the last word of a tag expression with the tags of the suite.
func completeTags(_ *cobra.Command, paths []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	c, ok := suiteAt(paths)
	if !ok {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	files, err := feature.Load(os.DirFS(c.Features), []string{"."})
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var tags []string
	for _, f := range files {
		for _, s := range f.Scenarios {
			tags = append(tags, s.Tags...)
		}
	}
	return after(typed, " (~", tags), cobra.ShellCompDirectiveNoFileComp
}

// completeCapabilities completes the last name of a list with what the platform file lists.
func completeCapabilities(_ *cobra.Command, paths []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []string
	if p, ok := platformAt(paths); ok {
		for name := range p.Capabilities {
			names = append(names, string(name))
		}
	}
	return after(typed, ",", names), cobra.ShellCompDirectiveNoFileComp
}

// completeRuns completes the name of a run that the suite is configured for.
func completeRuns(_ *cobra.Command, paths []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []string
	if c, ok := suiteAt(paths); ok {
		for _, r := range c.Configured() {
			names = append(names, r.Name)
		}
	}
	return after(typed, "", names), cobra.ShellCompDirectiveNoFileComp
}

// completeStages completes a stage that a fixture can be made for.
func completeStages(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	dir, err := cmd.Flags().GetString("suite")
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	if p, ok := platformAt([]string{dir}); ok {
		for _, s := range p.Stages {
			if s.Schema.Text != nil {
				names = append(names, s.Name)
			}
		}
	}
	return after(typed, "", names), cobra.ShellCompDirectiveNoFileComp
}

// completeThings completes what doctor can look for.
func completeThings(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	names := thingNames()
	for _, c := range local.New(local.Options{}).Capabilities() {
		names = append(names, string(c))
	}
	if dir, err := cmd.Flags().GetString("suite"); err == nil {
		if p, ok := platformAt([]string{dir}); ok {
			for name := range p.Capabilities {
				names = append(names, string(name))
			}
		}
	}
	return after(typed, "", names), cobra.ShellCompDirectiveNoFileComp
}

func platformAt(paths []string) (environment.Platform, bool) {
	c, ok := suiteAt(paths)
	if !ok || c.Platform == "" {
		return environment.Platform{}, false
	}
	p, err := environment.ReadPlatform(c.Platform)
	return p, err == nil
}

// after completes what was typed behind the last of the separators; each name once, in order.
func after(typed, separators string, names []string) []cobra.Completion {
	i := strings.LastIndexAny(typed, separators) + 1
	slices.Sort(names)
	var out []cobra.Completion
	for _, name := range slices.Compact(names) {
		if strings.HasPrefix(name, typed[i:]) {
			out = append(out, typed[:i]+name)
		}
	}
	return out
}
