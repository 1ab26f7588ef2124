package cli

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/environment"
)

// suiteFor is a suite for an existing platform: what can be asked of it without knowing more than its
// file says.
func suiteFor(dir, file string) ([]written, error) {
	p, err := environment.ReadPlatform(file)
	if err != nil {
		return nil, err
	}
	from, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	to, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(from, to)
	if err != nil {
		return nil, err
	}
	schema := "https://raw.githubusercontent.com/understudy-dev/understudy/main/docs/reference/understudy.schema.json"
	suite := fmt.Sprintf("# yaml-language-server: $schema=%s\n# The suite of %s: what is tested, and how it is to behave.\nplatform: %q\nfeatures: features\nfixtures: .\n",
		schema, oneLine(p.Name), filepath.ToSlash(rel))
	w := suiteWriter{platform: p}
	feature, err := w.feature()
	if err != nil {
		return nil, err
	}
	files := []written{
		{"understudy.yaml", []byte(suite + w.holes(time.Now())), 0o644, "the suite"},
		{"features/first.feature", []byte(feature), 0o644, "what can be asked of any platform"},
	}
	if len(w.fixtures) > 0 {
		files = append(files, w.fixtures...)
		files = append(files, written{"fixtures/fixtures.yaml", []byte(w.declared.String()), 0o644, "what each fixture is for"})
	}
	return files, nil
}

// suiteWriter collects what a feature needs.
type suiteWriter struct {
	platform environment.Platform
	fixtures []written
	declared strings.Builder
	leftOut  []leftOut
	asked    []string // stages that a scenario is about
}

// leftOut is a stage without a scenario, and why.
type leftOut struct{ stage, why string }

// holes says what the suite does not cover yet, as of today.
func (w *suiteWriter) holes(today time.Time) string {
	var b strings.Builder
	entry := func(reason string, what ...string) {
		for i := range what {
			what[i] = strconv.Quote(what[i])
		}
		if len(what) > 0 {
			fmt.Fprintf(&b, "  - what: [%s]\n    reason: %q\n    since: %s\n", strings.Join(what, ", "), reason, today.Format(time.DateOnly))
		}
	}
	for _, l := range w.leftOut {
		entry(l.why, "stage "+l.stage)
	}
	var runtimes, capabilities []string
	for _, r := range w.platform.Runtimes {
		runtimes = append(runtimes, "runtime "+r.Name)
	}
	for _, s := range w.asked {
		if len(w.platform.Runtimes) > 0 {
			runtimes = append(runtimes, "stage-runtime "+s)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.platform.Capabilities)) {
		capabilities = append(capabilities, "capability "+string(name))
	}
	entry("no scenario looks at what drives an agent yet", runtimes...)
	entry("no scenario requires it yet", capabilities...)
	if b.Len() == 0 {
		return ""
	}
	return "holes: # what no scenario covers; understudy lint tells when that changes\n" + b.String()
}

func (w *suiteWriter) feature() (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "Feature: %s\n  What the platform file promises: it installs itself, and each stage takes the smallest result that it accepts.\n", oneLine(w.platform.Name))
	w.declared.WriteString("# What each fixture is for. A stage's result is held to the stage's schema before anything runs.\n")
	scenarios := 0
	installed := func(path string) {
		scenarios++
		fmt.Fprintf(&b, "\n  Scenario: It installs itself\n    Given the enrolled test repository\n    Then the repository has a file \"%s\" containing \"\"\n", path)
	}
	paths := slices.DeleteFunc(slices.Clone(w.platform.Install.Validate), func(path string) bool { return !sayable(path) })
	portable := slices.IndexFunc(paths, func(path string) bool { return unportable(path) == "" })
	if portable >= 0 {
		installed(paths[portable])
	}
	for _, s := range w.platform.Stages {
		text, why := w.stage(s)
		if why != "" {
			fmt.Fprintf(&b, "\n  # Stage %s has no scenario yet: %s.\n", s.Name, why)
			w.leftOut = append(w.leftOut, leftOut{s.Name, why})
			continue
		}
		w.asked = append(w.asked, s.Name)
		scenarios++
		b.WriteString(text)
	}
	if scenarios == 0 && len(paths) > 0 { // it names a vendor, which lint tells
		installed(paths[0])
	}
	if scenarios == 0 {
		return "", &hinted{fmt.Errorf("%s: nothing can be asked of %s without knowing more of it", w.platform.File, w.platform.Name),
			"give install.validate a path, or a stage a label"}
	}
	return b.String(), nil
}

// stage is the scenario of one stage, or why there is none.
func (w *suiteWriter) stage(s driver.Stage) (text, why string) {
	row := [3]string{"Read the readme", "read_file", "README.md"}
	switch {
	case s.Label == "":
		return "", "the platform file names no label that starts it"
	case !sayable(s.Label):
		return "", "its label cannot be written in a step"
	case s.Result != "" && s.Schema.Text == nil:
		return "", "its result has no schema to make one from; write a fixture for " + s.Result
	case s.Result != "":
		doc, err := smallest(s.Schema.Text, required(s.Checks))
		if err == nil {
			err = accepted(s, doc)
		}
		if err != nil {
			return "", oneLine(err.Error())
		}
		fixture := "fixtures/" + s.Name + "/minimal.json"
		w.fixtures = append(w.fixtures, written{fixture, doc, 0o644, "the least that stage " + s.Name + " accepts"})
		fmt.Fprintf(&w.declared, "%s:\n  stage: %s\n  purpose: the least that the stage accepts\n", fixture, s.Name)
		row = [3]string{"Emit the result", "write_fixture", strings.NewReplacer(`\`, `\\`, "|", `\|`).Replace(s.Result) + ", " + fixture}
	}
	width := utf8.RuneCountInString(row[2])
	line := func(cells [3]string) string {
		return fmt.Sprintf("      | %-15s | %-13s | %-*s |", cells[0], cells[1], width, cells[2])
	}
	return fmt.Sprintf(`
  Scenario: Stage %[1]s takes its turn
    Given the enrolled test repository
    And an issue
    And a dummy agent that would:
%[2]s
%[3]s
    When the issue is labeled "%[4]s"
    Then the %[1]s workflow completes successfully
    And the agent will succeed to %[5]s
`, s.Name, line([3]string{"description", "op", "args"}), line(row), s.Label, row[0]), ""
}

// sayable reports whether a text can stand in quotes in a step.
func sayable(text string) bool { return text != "" && !strings.ContainsAny(text, "\"\n\r<>") }

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
