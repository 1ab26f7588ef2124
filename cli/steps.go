package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/suite/feature"
)

type stepsFlags struct {
	asJSON, asMarkdown bool
	snippet, editor    string
}

func stepsCommand(o Options) *cobra.Command {
	var f stepsFlags
	cmd := &cobra.Command{
		Use:   "steps [WORD…]",
		Short: "List the steps that scenarios can use, or write one that is missing",
		Long: `List the steps that scenarios can use, by pack: pattern, meaning, example. With words, only the steps
that hold all of them somewhere, whatever their case.

--snippet writes the definition of an undefined step in Go. Lines after the step's own that begin with |
or """ are its table or docstring.

--editor writes what Cucumber's own editor extensions need, which cannot read packs: the patterns as
DIR/steps.js, the examples as DIR/steps.feature, and settings for VS Code as DIR/settings.json when
there are none. Run it again after a new release, or for new packs.`,
		Example: `  understudy steps label
  understudy steps --json
  understudy steps --snippet 'the moon is "full"'
  understudy steps --editor .vscode`,
		RunE: func(_ *cobra.Command, words []string) error {
			v, err := suite.Words(o.packs())
			if err != nil {
				return err
			}
			return f.run(o.Stdout, v, words)
		},
	}
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print the steps as JSON")
	cmd.Flags().BoolVar(&f.asMarkdown, "markdown", false, "print the steps as a page of reference")
	cmd.Flags().StringVar(&f.snippet, "snippet", "", "write the definition of this step")
	cmd.Flags().StringVar(&f.editor, "editor", "", "write settings for editors into this directory")
	cmd.MarkFlagsMutuallyExclusive("json", "markdown", "snippet", "editor")
	return cmd
}

func (f stepsFlags) run(w io.Writer, v suite.Vocabulary, words []string) error {
	if (f.snippet != "" || f.editor != "") && len(words) > 0 {
		return &hinted{fmt.Errorf("steps: %s stands beside --snippet or --editor", strings.Join(words, " ")), "the step is one argument: put it in quotes"}
	}
	found := []suite.Word{}
	for _, word := range v.All() {
		if holdsAll(word, words) {
			found = append(found, word)
		}
	}
	switch {
	case f.snippet != "":
		return writeSnippet(w, v, f.snippet)
	case f.editor != "":
		return writeEditor(w, f.editor, found)
	case f.asJSON:
		return writeJSON(w, found)
	case len(found) == 0:
		return &hinted{fmt.Errorf("no step holds %s", strings.Join(words, " and ")), "all of them: understudy steps"}
	case f.asMarkdown:
		stepsPage(w, found)
	default:
		stepsList(w, found)
	}
	return nil
}

func holdsAll(word suite.Word, words []string) bool {
	text := strings.ToLower(strings.Join([]string{word.Pack, word.Pattern, word.Doc, word.Example}, "\n"))
	for _, w := range words {
		if !strings.Contains(text, strings.ToLower(w)) {
			return false
		}
	}
	return true
}

func stepsList(w io.Writer, words []suite.Word) {
	pack := ""
	for _, s := range words {
		if s.Pack != pack {
			pack = s.Pack
			fmt.Fprintf(w, "%s\n", pack)
		}
		fmt.Fprintf(w, "  %s%s\n", s.Pattern, argument(s, "  + "))
		if s.Doc != "" { // a pack written for godog has none
			fmt.Fprintf(w, "      %s\n", s.Doc)
		}
		if s.Example != "" {
			fmt.Fprintf(w, "      e.g. %s\n", s.Example)
		}
	}
}

// argument says what a step takes besides its values, after a prefix; "" is nothing.
func argument(s suite.Word, prefix string) string {
	if s.Takes == "" {
		return ""
	}
	return prefix + "a " + s.Takes
}

// stepsPage is docs/reference/steps.md, or the same for packs of one's own.
func stepsPage(w io.Writer, words []suite.Word) {
	fmt.Fprint(w, "# Steps\n\n<!-- Written by `understudy steps --markdown`; `make update` renews it. -->\n\n"+
		"Patterns are regular expressions (RE2) for the whole text of a step, whatever its keyword.\n")
	pack := ""
	for _, s := range words {
		if s.Pack != pack {
			pack = s.Pack
			fmt.Fprintf(w, "\n## %s\n", pack)
		}
		fmt.Fprintf(w, "\n### %s\n\n", strings.ReplaceAll(code(s.Example), "\n", " "))
		if s.Doc != "" {
			fmt.Fprintf(w, "%s\n\n", s.Doc)
		}
		fmt.Fprintf(w, "Pattern: %s", code(s.Pattern))
		if len(s.Values) > 0 {
			fmt.Fprintf(w, " · values: %s", strings.Join(s.Values, ", "))
		}
		fmt.Fprintf(w, "%s\n", argument(s, " · takes "))
	}
}

// code is text in a code span, which may hold backquotes.
func code(text string) string {
	if strings.Contains(text, "`") {
		return "`` " + text + " ``"
	}
	return "`" + text + "`"
}

// writeSnippet writes the definition that a step lacks, or says which it has.
func writeSnippet(w io.Writer, v suite.Vocabulary, text string) error {
	first, rest, _ := strings.Cut(strings.TrimSpace(text), "\n")
	step := feature.Step{Text: strings.TrimSpace(first)}
	for _, keyword := range []string{"Given ", "When ", "Then ", "And ", "But ", "* "} {
		step.Text = strings.TrimSpace(strings.TrimPrefix(step.Text, keyword))
	}
	switch rest = strings.TrimSpace(rest); {
	case step.Text == "":
		return errors.New("--snippet: there is no step")
	case strings.HasPrefix(rest, "|"):
		step.Table = &suite.Table{}
	case strings.HasPrefix(rest, `"""`), strings.HasPrefix(rest, "```"):
		step.DocString = &suite.DocString{}
	case rest != "":
		return &hinted{fmt.Errorf("--snippet: %q is neither a table nor a docstring", rest), "one step at a time"}
	}
	if defined := v.Of(step.Text); len(defined) > 0 {
		fmt.Fprintf(w, "%s is defined already:\n\n", step.Text)
		stepsList(w, defined)
		return nil
	}
	_, err := fmt.Fprint(w, suite.Snippet(step))
	return err
}
