package api

import (
	"cmp"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func (a *API) languageRoutes() []route {
	return []route{
		{method: http.MethodGet, pattern: repoPattern + "/languages", do: func(c *call) (answer, error) {
			repo, err := a.State.Authorize(c.who, c.repo(), state.ReadMetadata)
			if err != nil {
				return answer{}, err
			}
			return answered(a.languagesOf(repo))
		}},
	}
}

// languages remembers what the default branches are written in.
type languages struct {
	mu     sync.Mutex
	byRepo map[int64]spoken
}

type spoken struct {
	head string
	all  wire.Languages
}

// languagesOf counts the bytes of each language at the head of the default branch, most first.
func (a *API) languagesOf(r state.Repo) (wire.Languages, error) {
	head := r.Refs["refs/heads/"+r.DefaultBranch]
	if head == "" {
		return wire.Languages{}, nil
	}
	a.spoken.mu.Lock()
	known := a.spoken.byRepo[r.ID]
	a.spoken.mu.Unlock()
	if known.head == head {
		return known.all, nil
	}
	_, entries, _, err := a.Git.Open(r.ID).Tree(head, true, maxLanguageFiles)
	if err != nil {
		return nil, err
	}
	sum := map[string]int64{}
	for _, e := range entries {
		if e.Type != "blob" || e.Mode == "120000" || e.Size == 0 || unspoken.MatchString(e.Path) { // a symbolic link is none
			continue
		}
		if name := languageOf(e.Path); name != "" {
			sum[name] += e.Size
		}
	}
	all := wire.Languages{}
	for name, n := range sum {
		all = append(all, wire.Language{Name: name, Bytes: n})
	}
	slices.SortFunc(all, func(x, y wire.Language) int {
		return cmp.Or(cmp.Compare(y.Bytes, x.Bytes), cmp.Compare(x.Name, y.Name))
	})
	a.spoken.mu.Lock()
	defer a.spoken.mu.Unlock()
	a.spoken.byRepo[r.ID] = spoken{head, all}
	return all, nil
}

// mainLanguage is the language that most of a repository is in, or "".
func (a *API) mainLanguage(r state.Repo) string {
	all, err := a.languagesOf(r)
	if err != nil || len(all) == 0 { // what cannot be read is in none
		return ""
	}
	return all[0].Name
}

// speak says what a repository is written in, to somebody who sees it.
func (a *API) speak(c *call, v *wire.Repository) {
	if r, err := a.State.Authorize(c.who, v.FullName, state.ReadMetadata); err == nil {
		if name := a.mainLanguage(r); name != "" {
			v.Language = &name
		}
	}
}

// maxLanguageFiles bounds how much of a large repository is looked at.
const maxLanguageFiles = 100_000

// unspoken are the paths of what others wrote and of documentation, which do not count.
// https://docs.github.com/en/repositories/managing-your-repositorys-settings-and-features/customizing-your-repository/about-repository-languages
var unspoken = regexp.MustCompile(`(?i)(^|/)(node_modules|vendors?|third[-_]party|bower_components|dist|documentation)/|^(docs?|demos?|examples?|samples?)/|\.min\.(js|css)$`)

// languageOf names the language of a file by its name, as github.com writes it; "" is none that counts: data and prose do not.
func languageOf(file string) string {
	base := path.Base(file)
	switch base {
	case "Makefile", "GNUmakefile", "makefile":
		return "Makefile"
	case "Dockerfile", "Containerfile":
		return "Dockerfile"
	case "Rakefile", "Gemfile":
		return "Ruby"
	case "CMakeLists.txt":
		return "CMake"
	case "Jenkinsfile":
		return "Groovy"
	}
	return languageByExtension(strings.ToLower(path.Ext(base)))
}

func languageByExtension(ext string) string {
	for _, of := range languageExtensions() {
		if slices.Contains(of[1:], ext) {
			return of[0]
		}
	}
	return ""
}

// languageExtensions are languages with how their files' names end.
func languageExtensions() [][]string {
	return [][]string{
		{"Go", ".go"}, {"Python", ".py", ".pyi", ".pyw"}, {"JavaScript", ".js", ".mjs", ".cjs", ".jsx"}, {"TypeScript", ".ts", ".mts", ".cts"},
		{"TSX", ".tsx"}, {"Java", ".java"}, {"Kotlin", ".kt", ".kts"}, {"Scala", ".scala"}, {"Groovy", ".groovy", ".gradle"}, {"Clojure", ".clj"},
		{"C", ".c", ".h"}, {"C++", ".cc", ".cpp", ".cxx", ".hpp", ".hh"}, {"C#", ".cs"}, {"F#", ".fs"}, {"Rust", ".rs"}, {"Zig", ".zig"}, {"Swift", ".swift"},
		{"Objective-C", ".m"}, {"Dart", ".dart"}, {"Ruby", ".rb", ".gemspec"}, {"PHP", ".php"}, {"Perl", ".pl", ".pm"}, {"Lua", ".lua"}, {"R", ".r"},
		{"Julia", ".jl"}, {"Haskell", ".hs"}, {"OCaml", ".ml", ".mli"}, {"Elixir", ".ex", ".exs"}, {"Erlang", ".erl"}, {"Elm", ".elm"}, {"Nix", ".nix"},
		{"Shell", ".sh", ".bash", ".zsh", ".bats"}, {"PowerShell", ".ps1", ".psm1"}, {"Batchfile", ".bat", ".cmd"}, {"Assembly", ".asm"},
		{"HTML", ".html", ".htm"}, {"CSS", ".css"}, {"SCSS", ".scss"}, {"Less", ".less"}, {"Vue", ".vue"}, {"Svelte", ".svelte"}, {"Astro", ".astro"},
		{"HCL", ".hcl", ".tf"}, {"Starlark", ".bzl", ".star"}, {"CMake", ".cmake"}, {"Makefile", ".mk"}, {"Dockerfile", ".dockerfile"}, {"Jsonnet", ".jsonnet"},
		{"CUE", ".cue"}, {"Gherkin", ".feature"}, {"Open Policy Agent", ".rego"}, {"Go Template", ".tmpl"}, {"TeX", ".tex"}, {"PLpgSQL", ".pgsql"},
	}
}
