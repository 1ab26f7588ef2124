package cli

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

//go:embed initfiles
var initFiles embed.FS

// written is one file that init writes.
type written struct {
	path string // below the suite's directory
	text []byte
	mode fs.FileMode
	what string
}

type initFlags struct {
	goTest   bool
	ci       string
	platform string
}

// starter is a suite for a platform of one shell script.
func starter() ([]written, error) {
	return embedded([]written{
		{"understudy.yaml", []byte("understudy.yaml"), 0o644, "the suite"},
		{"platform.yaml", []byte("platform.yaml"), 0o644, "how to get, install and read the platform"},
		{"platform.sh", []byte("platform.sh"), 0o755, "the platform, until it is yours"},
		{"result.schema.json", []byte("result.schema.json"), 0o644, "what an agent's result has to be"},
		{"features/triage.feature", []byte("triage.feature"), 0o644, "one scenario"},
		{"fixtures/triage/question.json", []byte("question.json"), 0o644, "what the agent writes in it"},
		{"fixtures/fixtures.yaml", []byte("fixtures.yaml"), 0o644, "what each fixture is for"},
	})
}

// extras are files of any suite.
func (f initFlags) extras() ([]written, error) {
	files := []written{{".gitignore", []byte("gitignore"), 0o644, "leaves the records of runs out"}}
	if f.goTest {
		files = append(files, written{"behaviour_test.go", []byte("behaviour_test.go.txt"), 0o644, "the same under go test -tags behaviour"})
	}
	switch f.ci {
	case "":
	case "github":
		files = append(files, written{".github/workflows/behaviour.yml", []byte("github.yml"), 0o644, "runs it on GitHub"})
	case "gitlab":
		files = append(files, written{".gitlab-ci.yml", []byte("gitlab.yml"), 0o644, "runs it on GitLab"})
	default:
		return nil, fmt.Errorf("--ci %q: it is github or gitlab", f.ci)
	}
	return embedded(files)
}

// embedded replaces the name of a file below initfiles by its text.
func embedded(files []written) ([]written, error) {
	for i, w := range files {
		text, err := initFiles.ReadFile("initfiles/" + string(w.text))
		if err != nil {
			return nil, err
		}
		files[i].text = text
	}
	return files, nil
}

func initCommand(o Options) *cobra.Command {
	var f initFlags
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a suite that passes, to begin with",
		Long: `Write a suite that passes, to begin with: a platform of one short shell script, the file that
describes it, one scenario and one fixture. DIR (here, when it is not given) is made, or has to be
empty; nothing is ever overwritten.

With --platform FILE the platform is yours: the suite has a scenario for its installation and one for
each stage that a label starts, with the smallest result that the stage accepts. It is held to lint
before you run it. DIR may then hold other files, but none of those to be written.

Exit codes: 0 written · 2 usage, or a file is in the way; nothing was written.`,
		Example: `  understudy init && understudy run .
  understudy init e2e --go --ci github
  understudy init e2e --platform platform.yaml`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			return runInit(o, f, dir)
		},
	}
	cmd.Flags().BoolVar(&f.goTest, "go", false, "write a Go test that runs the suite too; DIR is inside a Go module")
	cmd.Flags().StringVar(&f.ci, "ci", "", "write a job for a CI service too: github or gitlab")
	cmd.Flags().StringVar(&f.platform, "platform", "", "write a suite for the platform that this `FILE` describes")
	_ = cmd.RegisterFlagCompletionFunc("ci", cobra.FixedCompletions([]cobra.Completion{"github", "gitlab"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.AddCommand(initFixtureCommand(o))
	return cmd
}

func runInit(o Options, f initFlags, dir string) error {
	if dir == "" {
		return errors.New("the directory's name is empty; leave it out to write here")
	}
	extras, err := f.extras()
	if err != nil {
		return err
	}
	var files []written
	if f.platform == "" {
		if err := vacant(dir); err != nil {
			return err
		}
		files, err = starter()
	} else {
		files, err = suiteFor(dir, f.platform)
		if err == nil && there(filepath.Join(dir, ".gitignore")) {
			extras = extras[1:] // one of one's own says what is left out
		}
	}
	if err != nil {
		return err
	}
	files = append(files, extras...)
	if err := free(dir, files); err != nil {
		return err
	}
	if f.goTest {
		if err := insideModule(dir); err != nil {
			return err
		}
	}
	if err := writeFiles(dir, files); err != nil {
		return fmt.Errorf("write the suite into %s: %w", dir, err)
	}
	for _, w := range files {
		fmt.Fprintf(o.Stdout, "wrote %-34s %s\n", filepath.Join(dir, w.path), w.what)
	}
	if f.platform != "" {
		l, err := lintPaths(o.packs(), []string{dir})
		if err != nil {
			return explain(err)
		}
		fmt.Fprint(o.Stdout, "\nunderstudy lint: ")
		l.print(o.Stdout)
		fmt.Fprintf(o.Stdout, "\nRun it; it passes if the platform installs itself and takes the smallest results:\n\n  understudy run %s\n", quoted(dir))
		f.rest(o.Stdout, dir)
		return nil
	}
	fmt.Fprintf(o.Stdout, "\nRun it:\n\n  understudy run %s\n", quoted(dir))
	f.rest(o.Stdout, dir)
	return nil
}

// rest says what is left to do by hand.
func (f initFlags) rest(w io.Writer, dir string) {
	if f.goTest {
		fmt.Fprintf(w, "\nor as a Go test:\n\n  go get github.com/understudy-dev/understudy/behaviourtest@latest\n  go test -tags behaviour %s\n", quoted(goPackage(dir)))
	}
	if f.ci != "" && !there(filepath.Join(dir, ".git")) {
		fmt.Fprintf(w, "\nThe CI job is read at the repository's root alone: unless %s is that, move it there and name the suite in it.\n", quoted(dir))
	}
}

// goPackage is a directory as the go command takes it.
func goPackage(dir string) string {
	if dir = filepath.ToSlash(filepath.Clean(dir)); filepath.IsAbs(dir) || strings.HasPrefix(dir, ".") {
		return dir
	}
	return "./" + dir
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// free names all that is in the way of the files: those that are there, and directories whose content
// would become part of the suite.
func free(dir string, files []written) error {
	var names []string
	for _, w := range files {
		path := filepath.Join(dir, w.path)
		if top, _, _ := strings.Cut(w.path, "/"); top == "features" || top == "fixtures" {
			path = filepath.Join(dir, top)
		}
		if there(path) && !slices.Contains(names, path) {
			names = append(names, path)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return &hinted{fmt.Errorf("in the way: %s; nothing was written", strings.Join(names, ", ")),
		"name a directory of the suite's own: understudy init DIR"}
}

// quoted is a path as a shell takes it.
func quoted(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-") == "" {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// vacant says why a suite cannot be written into dir. A repository without a file is empty, too.
func vacant(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look into %s: %w", dir, err)
	}
	var names []string
	for _, e := range entries {
		if e.Name() != ".git" {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		return nil
	}
	shown := strings.Join(names[:min(3, len(names))], ", ")
	if len(names) > 3 {
		shown += fmt.Sprintf(" and %d more", len(names)-3)
	}
	return &hinted{fmt.Errorf("%s is not empty: it has %s; nothing was written", dir, shown),
		"name a directory that is empty or not there: understudy init DIR"}
}

func insideModule(dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	for ; ; abs = filepath.Dir(abs) {
		if _, err := os.Stat(filepath.Join(abs, "go.mod")); err == nil {
			return nil
		}
		if abs == filepath.Dir(abs) {
			return &hinted{fmt.Errorf("--go: %s is in no Go module; nothing was written", dir),
				"make one in a directory above: go mod init NAME"}
		}
	}
}

// writeFiles writes all files or none: they are made in a directory beside their places and moved
// once all are there. What was moved is taken back when another cannot be.
func writeFiles(dir string, files []written) (err error) {
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		defer func() {
			if err != nil {
				os.Remove(dir) // made below, and empty again
			}
		}()
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	making, err := os.MkdirTemp(dir, ".understudy-init-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(making)) }()
	for _, w := range files {
		path := filepath.Join(making, filepath.FromSlash(w.path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, w.text, w.mode); err != nil {
			return err
		}
	}
	return moveAll(making, dir, files)
}

// moveAll moves the files from one directory to another; what was moved, and the directories made for
// it, are taken back when another cannot be.
func moveAll(from, to string, files []written) (err error) {
	var made []string
	defer func() {
		for _, path := range slices.Backward(made) {
			if err != nil {
				err = errors.Join(err, os.Remove(path))
			}
		}
	}()
	for _, w := range files {
		target := filepath.Join(to, filepath.FromSlash(w.path))
		var missing []string
		for dir := filepath.Dir(target); !there(dir); dir = filepath.Dir(dir) {
			missing = append(missing, dir)
		}
		for _, dir := range slices.Backward(missing) {
			if err := os.Mkdir(dir, 0o755); err != nil {
				return err
			}
			made = append(made, dir)
		}
		if there(target) {
			return fmt.Errorf("%s is there already", target)
		}
		if err := os.Rename(filepath.Join(from, filepath.FromSlash(w.path)), target); err != nil {
			return err
		}
		made = append(made, target)
	}
	return nil
}
