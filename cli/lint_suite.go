package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/environment"
	"github.com/understudy-dev/understudy/environment/local"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/suite/feature"
	"github.com/understudy-dev/understudy/trial"
)

// linter looks at one suite.
type linter struct {
	packs    []suite.Pack
	own      map[string]bool // names of the packs that are not the kit's
	config   trial.Config
	fixtures *os.Root
	platform environment.Platform
	usable   bool // the platform is known, or there is none
	files    []feature.File
	unread   []string      // texts of features that cannot be read
	wordless bool          // a word of the platform is unknown, so what it stood for may seem unused
	findings []lintFinding // files are absolute paths
}

func newLinter(packs []suite.Pack, c trial.Config) (*linter, error) {
	root, err := os.OpenRoot(c.Fixtures)
	if err != nil {
		return nil, fmt.Errorf("open fixtures root: %w", err)
	}
	l := &linter{packs: packs, own: map[string]bool{}, config: c, fixtures: root}
	for _, p := range packs {
		l.own[p.Name] = true
	}
	for _, p := range trial.Packs() {
		delete(l.own, p.Name)
	}
	return l, nil
}

func (l *linter) all() error {
	l.readPlatform()
	if err := l.readFeatures(); err != nil {
		return err
	}
	l.words()
	missteps, err := suite.Missteps(l.packs, l.scenarios())
	if err != nil {
		return err
	}
	for _, m := range missteps {
		l.findings = append(l.findings, lintFinding{l.place(m.URI), m.Line, m.Kind + "-step", m.What, m.Hint})
	}
	if l.usable { // else each stage would seem to be unknown
		d := suite.Draft{Scenarios: l.scenarios(), Platform: l.platform.Platform, Fixtures: l.fixtures.FS()}
		for _, p := range l.packs {
			l.problems(p.Name, l.declarations(), suite.Lint([]suite.Pack{p}, d))
		}
		l.capabilities()
		l.missingResults()
	}
	l.tags()
	l.runtimes()
	l.expectNothing()
	l.portability()
	l.holes()
	l.budget()
	return errors.Join(l.unusedFixtures(), l.unusedSteps())
}

// unusedSteps finds the definitions of the caller's own packs that no scenario uses. A feature that
// cannot be read may use any.
func (l *linter) unusedSteps() error {
	if len(l.own) == 0 || len(l.unread) > 0 {
		return nil
	}
	unused, err := suite.Unused(l.packs, l.scenarios(), func(pack string) bool { return l.own[pack] })
	for _, step := range unused {
		l.findings = append(l.findings, lintFinding{File: filepath.Join(l.config.Root, trial.ConfigFile), Line: 1, Rule: "unused-step",
			What: "no scenario uses the step " + step})
	}
	return err
}

// place is the absolute path of a file as findings name it: a feature, a file of the fixtures,
// the platform file or understudy.yaml.
func (l *linter) place(file string) string {
	switch {
	case path.Ext(file) == ".feature":
		return filepath.Join(l.config.Features, filepath.FromSlash(file))
	case file == l.config.Platform:
		return file
	case path.Base(file) == trial.ConfigFile:
		return filepath.Join(l.config.Root, trial.ConfigFile)
	}
	return filepath.Join(l.config.Fixtures, filepath.FromSlash(file))
}

func (l *linter) readPlatform() {
	if l.config.Platform == "" {
		l.usable = true
		return
	}
	p, err := environment.ReadPlatform(l.config.Platform)
	l.platform, l.usable = p, err == nil
	l.problems("platform", l.config.Platform, err)
}

// readFeatures reads all features; one that cannot be read does not hide the others.
func (l *linter) readFeatures() error {
	root := os.DirFS(l.config.Features)
	files, err := feature.Load(root, []string{"."})
	if err == nil {
		l.files = files
		return nil
	}
	l.problems("gherkin", l.config.Features, err)
	return fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".feature" {
			return err
		}
		if files, err := feature.Load(root, []string{name}); err == nil { // else it was told
			l.files = append(l.files, files...)
			return nil
		}
		text, err := fs.ReadFile(root, name)
		l.unread = append(l.unread, string(text))
		return err
	})
}

// words puts the platform's words into the features. A scenario with one that there is not is told once, and
// not looked at any further.
func (l *linter) words() {
	for i, f := range l.files {
		var whole []feature.Scenario
		for _, s := range f.Scenarios {
			one := feature.File{URI: f.URI, Scenarios: []feature.Scenario{s}}
			expanded, err := feature.Expand([]feature.File{one}, l.platform.Words, fromHere(l.platform.File))
			if err == nil {
				whole = append(whole, expanded[0].Scenarios...)
				continue
			}
			if l.usable { // else nobody knows what words there would be
				l.problems("platform-word", l.config.Platform, err)
			}
		}
		if len(whole) < len(f.Scenarios) {
			l.unread = append(l.unread, f.Source)
			l.wordless = true
		}
		l.files[i].Scenarios = whole
	}
}

func (l *linter) scenarios() (all []feature.Scenario) {
	for _, f := range l.files {
		all = append(all, f.Scenarios...)
	}
	return all
}

// capabilities lets the plan say which tags it does not understand.
func (l *linter) capabilities() {
	o := suite.PlanOptions{Environment: "bare", Capabilities: []driver.Capability{"ledger"}}
	if l.config.Platform != "" {
		here := local.New(local.Options{})
		o.Environment, o.Capabilities = here.Name(), here.Capabilities()
	}
	for name := range l.platform.Capabilities {
		o.Known = append(o.Known, name)
	}
	_, err := suite.Plan(l.files, o)
	if !errors.Is(err, suite.ErrNothingSelected) {
		l.problems("unknown-capability", l.config.Features, err)
	}
}

// expectNothing finds scenarios without a Then. The rows of an outline are told once.
func (l *linter) expectNothing() {
	told := map[string]bool{}
	for _, s := range l.scenarios() {
		if slices.ContainsFunc(s.Steps, func(st feature.Step) bool { return st.Type == "Then" }) {
			continue
		}
		what := "the scenario has no Then: it expects nothing"
		if len(s.Steps) == 0 {
			what = "the scenario has no steps"
		} else if key := fmt.Sprint(s.URI, s.Steps[len(s.Steps)-1].Line); len(s.Steps) > 0 {
			if told[key] {
				continue
			}
			told[key] = true
		}
		l.findings = append(l.findings, lintFinding{File: l.place(s.URI), Line: s.Line, Rule: "no-then", What: what})
	}
}

// bound are words that tie a feature to one place. A name of a variable, such as GITHUB_TOKEN, is not
// one of them: what an agent finds in its environment is the platform's affair.
var bound = []struct {
	words *regexp.Regexp
	what  string
}{
	{regexp.MustCompile(`(?i)\b(github|gitlab|gitea|forgejo|bitbucket)( actions| ci)?\b`), "names a vendor"},
	{regexp.MustCompile(`(?i)\b(githubactions|gitlab-ci|jenkins|circleci|travis|tekton|buildkite)\b`), "names a CI service"},
	{regexp.MustCompile(`(?i)\bper-(repo|repository|org|organisation|organization)\b`), "names an install mode"},
	{regexp.MustCompile(`(?i)\btest-repo-\d+\b`), "names a leased repository, which is another one each time"},
}

func (l *linter) portability() {
	for _, f := range l.files {
		for i, line := range strings.Split(f.Source, "\n") {
			if text := strings.TrimSpace(line); text == "" || text[0] == '#' || text[0] == '@' {
				continue
			}
			for _, b := range bound {
				if word := b.words.FindString(line); word != "" {
					l.findings = append(l.findings, lintFinding{File: l.place(f.URI), Line: i + 1, Rule: "portability",
						What: fmt.Sprintf("%q %s", word, b.what)})
				}
			}
		}
	}
}

// unportable is a word that ties a text to one place; "" is that there is none.
func unportable(text string) string {
	for _, b := range bound {
		if word := b.words.FindString(text); word != "" {
			return word
		}
	}
	return ""
}
