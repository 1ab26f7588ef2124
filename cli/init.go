package cli

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

//go:embed initfiles
var initFiles embed.FS

// written is one file that init writes.
type written struct {
	path string // below the suite's directory
	from string // below initfiles
	mode fs.FileMode
	what string
}

type initFlags struct {
	goTest bool
	ci     string
}

func (f initFlags) files() ([]written, error) {
	files := []written{
		{"understudy.yaml", "understudy.yaml", 0o644, "the suite"},
		{"platform.yaml", "platform.yaml", 0o644, "how to get, install and read the platform"},
		{"platform.sh", "platform.sh", 0o755, "the platform, until it is yours"},
		{"result.schema.json", "result.schema.json", 0o644, "what an agent's result has to be"},
		{"features/triage.feature", "triage.feature", 0o644, "one scenario"},
		{"fixtures/triage/question.json", "question.json", 0o644, "what the agent writes in it"},
		{"fixtures/fixtures.yaml", "fixtures.yaml", 0o644, "what each fixture is for"},
		{".gitignore", "gitignore", 0o644, "leaves the records of runs out"},
	}
	if f.goTest {
		files = append(files, written{"behaviour_test.go", "behaviour_test.go.txt", 0o644, "the same under go test -tags behaviour"})
	}
	switch f.ci {
	case "":
	case "github":
		files = append(files, written{".github/workflows/behaviour.yml", "github.yml", 0o644, "runs it on GitHub"})
	case "gitlab":
		files = append(files, written{".gitlab-ci.yml", "gitlab.yml", 0o644, "runs it on GitLab"})
	default:
		return nil, fmt.Errorf("--ci %q: it is github or gitlab", f.ci)
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

Exit codes: 0 written · 2 usage, or the directory is not empty.`,
		Example: `  understudy init && understudy run .
  understudy init e2e --go --ci github`,
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
	cmd.AddCommand(initFixtureCommand(o))
	return cmd
}

func runInit(o Options, f initFlags, dir string) error {
	files, err := f.files()
	if err != nil {
		return err
	}
	if dir == "" {
		return errors.New("the directory's name is empty; leave it out to write here")
	}
	if err := vacant(dir); err != nil {
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
	fmt.Fprintf(o.Stdout, "\nRun it:\n\n  understudy run %s\n", quoted(dir))
	return nil
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
		text, err := initFiles.ReadFile("initfiles/" + w.from)
		if err != nil {
			return err
		}
		path := filepath.Join(making, filepath.FromSlash(w.path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, w.mode); err != nil {
			return err
		}
	}
	return moveAll(making, dir)
}

func moveAll(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for i, e := range entries {
		target := filepath.Join(to, e.Name())
		if _, err = os.Lstat(target); err == nil {
			err = fmt.Errorf("%s is there already", target)
		} else if errors.Is(err, fs.ErrNotExist) {
			err = os.Rename(filepath.Join(from, e.Name()), target)
		}
		if err != nil {
			for _, moved := range entries[:i] {
				err = errors.Join(err, os.RemoveAll(filepath.Join(to, moved.Name())))
			}
			return err
		}
	}
	return nil
}
