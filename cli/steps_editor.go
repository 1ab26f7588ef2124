package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/understudy-dev/understudy/suite"
)

// editorMark is how a file that --editor may write again begins.
const editorMark = "Written by `understudy steps --editor`"

// writeEditor writes what Cucumber's language server reads in place of packs. It knows a call of Given
// with a regular expression in several languages, and offers steps that it saw in some feature:
// https://github.com/cucumber/language-service.
func writeEditor(w io.Writer, dir string, words []suite.Word) error {
	base := filepath.ToSlash(filepath.Clean(dir))
	if !filepath.IsLocal(dir) {
		base = filepath.Base(dir)
	}
	settings := map[string][]string{
		"cucumber.features": {"**/features/**/*.feature", base + "/steps.feature"},
		"cucumber.glue":     {base + "/steps.js"},
	}
	var asJSON strings.Builder
	if err := writeJSON(&asJSON, settings); err != nil {
		return err
	}
	files := []struct{ name, text string }{{"steps.js", glue(words)}, {"steps.feature", examples(words)}}
	for _, f := range files {
		if err := renewable(filepath.Join(dir, f.name)); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write settings for editors: %w", err)
	}
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if err := os.WriteFile(path, []byte(f.text), 0o644); err != nil {
			return fmt.Errorf("write settings for editors: %w", err)
		}
		fmt.Fprintf(w, "wrote %s\n", path)
	}
	path := filepath.Join(dir, "settings.json")
	if _, err := os.Lstat(path); err == nil {
		fmt.Fprintf(w, "\n%s is there and was left as it is. It needs:\n\n%s", path, asJSON.String())
		return nil
	}
	if err := writeNew(path, []byte(asJSON.String())); err != nil {
		return err
	}
	fmt.Fprintf(w, "wrote %s\n", path)
	return nil
}

// renewable refuses a file that somebody else wrote.
func renewable(path string) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("write settings for editors: %w", err)
	}
	if first, _, _ := strings.Cut(string(text), "\n"); !strings.Contains(first, editorMark) {
		return &hinted{fmt.Errorf("%s was written by somebody else; nothing was written", path), "name another directory"}
	}
	return nil
}

// foreign are forms of a regular expression that JavaScript does not have.
var foreign = []string{"(?i", "(?s", "(?m", "(?U", "(?-", `\A`, `\z`, `\Q`, `\C`, "[[:"}

func glue(words []suite.Word) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s for Cucumber's editor extensions; it is never run. Changes are lost.\n", editorMark)
	pack := ""
words:
	for _, s := range words {
		if s.Pack != pack {
			pack = s.Pack
			fmt.Fprintf(&b, "\n// %s\n", pack)
		}
		for _, form := range foreign {
			if strings.Contains(s.Pattern, form) {
				fmt.Fprintf(&b, "// left out, as JavaScript has no %s: %s\n", form, s.Pattern)
				continue words
			}
		}
		pattern := strings.NewReplacer(`\/`, `\/`, "/", `\/`, "\n", `\n`, "(?P<", "(?<").Replace(s.Pattern)
		if strings.Contains(pattern, "|") { // perhaps outside of any group
			pattern = "(?:" + pattern + ")"
		}
		fmt.Fprintf(&b, "Given(/^%s$/, () => {}) // %s\n", pattern, strings.ReplaceAll(s.Doc, "\n", " "))
	}
	return b.String()
}

func examples(words []suite.Word) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: one example of each step, to be offered by the editor; it is never run.\nFeature: Steps\n", editorMark)
	pack := ""
	for _, s := range words {
		if s.Example == "" {
			continue
		}
		if s.Pack != pack {
			pack = s.Pack
			fmt.Fprintf(&b, "\n  Scenario: %s\n", pack)
		}
		fmt.Fprintf(&b, "    * %s\n", strings.ReplaceAll(s.Example, "\n", " "))
		switch s.Takes {
		case "table":
			b.WriteString("      | a |\n")
		case "docstring":
			b.WriteString("      \"\"\"\n      \"\"\"\n")
		}
	}
	return b.String()
}
