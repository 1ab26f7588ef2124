package cli_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/cli"
	"github.com/understudy-dev/understudy/internal/strictyaml"
	"github.com/understudy-dev/understudy/suite/budget"
)

// toRun is the command that init prints.
var toRun = regexp.MustCompile(`(?m)^  understudy (run) (\S+)$`)

// tree lists the files below dir.
func tree(t *testing.T, dir string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			files = append(files, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestInitIsGreenAtOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	code, out := run(t, cli.Options{}, "init")
	command := toRun.FindStringSubmatch(out)
	if code != 0 || command == nil {
		t.Fatalf("init: exit code %d\n%s", code, out)
	}
	want := []string{".gitignore", "features/triage.feature", "fixtures/fixtures.yaml", "fixtures/triage/question.json",
		"platform.sh", "platform.yaml", "result.schema.json", "understudy.yaml"}
	if diff := cmp.Diff(want, tree(t, ".")); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	for _, file := range want {
		if !strings.Contains(out, "wrote "+file+" ") {
			t.Errorf("%s is not told:\n%s", file, out)
		}
	}
	if code, out := run(t, cli.Options{}, command[1:]...); code != 0 || !strings.Contains(out, "1 passed") {
		t.Fatalf("%q: exit code %d\n%s", command[0], code, out)
	}
	before := tree(t, ".")
	if code, out := run(t, cli.Options{}, "init"); code != 2 || !strings.Contains(out, ". is not empty: it has .gitignore, features, fixtures and 5 more") {
		t.Errorf("again: exit code %d\n%s", code, out)
	}
	if diff := cmp.Diff(before, tree(t, ".")); diff != "" {
		t.Errorf("the second init changed something:\n%s", diff)
	}
}

func TestTheStarterFailsWithItsAgent(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "suite")
	if code, out := run(t, cli.Options{}, "init", dir); code != 0 {
		t.Fatalf("init: %s", out)
	}
	if err := os.WriteFile(filepath.Join(dir, "fixtures/triage/question.json"), []byte(`{"label": "bug"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	code, out := run(t, cli.Options{}, "run", dir, "--out", t.TempDir())
	if code != 1 || !strings.Contains(out, "question") {
		t.Errorf("another label: exit code %d\n%s", code, out)
	}
}

func TestInitWritesWhatIsAskedFor(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for ci, file := range map[string]string{"github": ".github/workflows/behaviour.yml", "gitlab": ".gitlab-ci.yml"} {
		dir := filepath.Join(root, ci)
		if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o755); err != nil {
			t.Fatal(err)
		}
		code, out := run(t, cli.Options{}, "init", dir, "--go", "--ci", ci)
		if code != 0 {
			t.Fatalf("init: %s", out)
		}
		if !strings.Contains(out, "  go test -tags behaviour "+dir+"\n") || strings.Contains(out, "repository's root") {
			t.Errorf("what is left to do: %s", out)
		}
		for _, name := range []string{file, "behaviour_test.go", "platform.sh"} {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Error(err)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".understudy-init-*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

func TestInitRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		args       []string // $D is an empty directory
	}{
		{"a file there", "$D/some is not empty: it has mine; nothing was written", []string{"$D/some"}},
		{"a file in its place", "look into $D/some/mine", []string{"$D/some/mine"}},
		{"a file above it", "not a directory", []string{"$D/some/mine/deep"}},
		{"unknown service", `--ci "travis": it is github or gitlab`, []string{"$D/new", "--ci", "travis"}},
		{"no module", "--go: $D/new is in no Go module", []string{"$D/new", "--go"}},
		{"no name", "the directory's name is empty", []string{""}},
		{"no force", "unknown flag: --force", []string{"$D/some", "--force"}},
		{"two directories", "accepts at most 1 arg", []string{"$D/a", "$D/b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "some"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "some/mine"), []byte("mine"), 0o644); err != nil {
				t.Fatal(err)
			}
			args := []string{"init"}
			for _, a := range tt.args {
				args = append(args, strings.ReplaceAll(a, "$D", dir))
			}
			want := strings.ReplaceAll(tt.want, "$D", dir)
			if code, out := run(t, cli.Options{}, args...); code != 2 || !strings.Contains(out, want) {
				t.Errorf("exit code %d\n%s\nwant %q", code, out, want)
			}
			if diff := cmp.Diff([]string{"some/mine"}, tree(t, dir)); diff != "" {
				t.Errorf("something was written: %s", diff)
			}
		})
	}
}

// TestInitForGitLab: the job has what GitLab asks for, and no key that it does not know.
// https://docs.gitlab.com/ci/yaml/
func TestInitForGitLab(t *testing.T) {
	text, err := os.ReadFile("initfiles/gitlab.yml")
	if err != nil {
		t.Fatal(err)
	}
	var pipeline map[string]struct {
		Image     string   `yaml:"image"`
		Timeout   string   `yaml:"timeout"`
		Script    []string `yaml:"script"`
		Artifacts struct {
			When    string   `yaml:"when"`
			Paths   []string `yaml:"paths"`
			Reports struct {
				JUnit string `yaml:"junit"`
			} `yaml:"reports"`
		} `yaml:"artifacts"`
	}
	if err := strictyaml.Decode("gitlab.yml", text, &pipeline); err != nil {
		t.Fatal(err)
	}
	job := pipeline["behaviour"]
	if len(pipeline) != 1 || job.Image == "" || job.Timeout == "" || len(job.Script) != 2 || job.Artifacts.When != "always" || job.Artifacts.Reports.JUnit == "" {
		t.Errorf("got %+v", pipeline)
	}
}

// TestInitsJobsEndInTime: the run ends before its job is killed, with two minutes to upload what there is.
func TestInitsJobsEndInTime(t *testing.T) {
	for _, file := range []string{"initfiles/github.yml", "initfiles/gitlab.yml"} {
		b := budget.Budget{Workflow: file, Job: "behaviour", Collection: 2 * time.Minute, File: "understudy.yaml", Line: 1}
		found, problems := budget.Read(b, os.ReadFile)
		if problems = append(problems, budget.Check(b, found, 10, 1)...); len(problems) > 0 || !found.Job.Said || !found.Command.Said {
			t.Errorf("%s: %+v, %+v", file, found, problems)
		}
	}
}
