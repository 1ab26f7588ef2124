package cli

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/understudy-dev/understudy/suite/feature"
)

// completePaths completes what run and plan take: directories, feature files, and after a file's
// name its scenarios as file:line. (The completion command itself is cobra's own.)
func completePaths(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if file, _, ok := strings.Cut(typed, ".feature"); ok {
		if ids := completeScenarios(file+".feature", typed); len(ids) > 0 {
			return ids, cobra.ShellCompDirectiveNoFileComp
		}
	}
	dir, base := filepath.Split(typed)
	entries, err := os.ReadDir(orHere(dir))
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []cobra.Completion
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, base) || strings.HasPrefix(name, ".") {
			continue
		}
		switch info, err := os.Stat(filepath.Join(dir, name)); {
		case err != nil:
		case info.IsDir():
			out = append(out, dir+name+"/")
		case filepath.Ext(name) == ".feature":
			out = append(out, dir+name)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func orHere(dir string) string {
	if dir == "" {
		return "."
	}
	return dir
}

// completeScenarios lists file and its scenarios with their names. A file that does not parse has
// none: completion is no place to complain.
func completeScenarios(file, typed string) []cobra.Completion {
	dir, name := filepath.Split(file)
	files, err := feature.Load(os.DirFS(orHere(dir)), []string{name})
	if err != nil {
		return nil
	}
	var out []cobra.Completion
	if strings.HasPrefix(file, typed) {
		out = append(out, cobra.CompletionWithDesc(file, "all of it"))
	}
	for _, s := range files[0].Scenarios {
		if id := dir + s.ID; strings.HasPrefix(id, typed) {
			out = append(out, cobra.CompletionWithDesc(id, s.Name))
		}
	}
	return out
}
