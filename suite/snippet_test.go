package suite_test

import (
	"context"
	"go/parser"
	"regexp"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/suite/feature"
)

func TestSnippet(t *testing.T) {
	for _, tt := range []struct {
		step          feature.Step
		pattern, name string
	}{
		{feature.Step{Text: `the moon is "full"`}, "Pattern: `the moon is \"([^\"]*)\"`", "func theMoonIs(ctx context.Context, s1 string) error {"},
		{feature.Step{Text: `3 moons of 1.5 tons (or "more")`}, "Pattern: `(\\d+) moons of (\\d+\\.\\d+) tons \\(or \"([^\"]*)\"\\)`",
			"func moonsOfTonsOr(ctx context.Context, n1 int, f2 float64, s3 string) error {"},
		{feature.Step{Text: `it rains:`, Table: &suite.Table{}}, "Pattern: `it rains:`", "func itRains(ctx context.Context, t *suite.Table) error {"},
		{feature.Step{Text: `it "says":`, DocString: &suite.DocString{}}, "", "func it(ctx context.Context, s1 string, d *suite.DocString) error {"},
		{feature.Step{Text: "a `tick`"}, "Pattern: \"a `tick`\"", "func aTick(ctx context.Context) error {"},
		{feature.Step{Text: "42"}, "", "func step(ctx context.Context, n1 int) error {"},
		{feature.Step{Text: "go"}, "", "func goStep(ctx context.Context) error {"},
		{feature.Step{Text: "Überall 4x4"}, "", "func überall4x4(ctx context.Context) error {"},
		{feature.Step{Text: ""}, "", "func step(ctx context.Context) error {"},
	} {
		got := suite.Snippet(tt.step)
		if !strings.Contains(got, tt.pattern) || !strings.Contains(got, "\n"+tt.name+"\n") {
			t.Errorf("%q: got\n%s\nwant %s\n%s", tt.step.Text, got, tt.pattern, tt.name)
		}
		element, function, _ := strings.Cut(got, "\n\nfunc ")
		if _, err := parser.ParseExpr("[]suite.Step{" + element + "}"); err != nil {
			t.Errorf("%q: the element is no Go: %v\n%s", tt.step.Text, err, got)
		}
		_, function, _ = strings.Cut(function, "(")
		if _, err := parser.ParseExpr("func(" + function); err != nil {
			t.Errorf("%q: the function is no Go: %v\n%s", tt.step.Text, err, got)
		}
	}
}

// What a snippet suggests defines the step that it is for.
func FuzzSnippet(f *testing.F) {
	for _, seed := range []string{`the moon is "full"`, "1.5 of 3 (a|b) `x` \"", `"" ""`, "\\d+ [a] ^$", "ß 1"} {
		f.Add(seed)
	}
	pattern := regexp.MustCompile("(?s)Pattern: (`[^`]*`|\"(?:[^\"\\\\]|\\\\.)*\"), Do: ")
	f.Fuzz(func(t *testing.T, text string) {
		snippet := suite.Snippet(feature.Step{Text: text})
		if _, err := parser.ParseExpr("[]suite.Step{" + snippet[:strings.Index(snippet, "\n\nfunc ")] + "}"); err != nil {
			t.Fatalf("no Go: %v\n%s", err, snippet)
		}
		if !pattern.MatchString(snippet) {
			t.Errorf("no pattern in\n%s", snippet)
		}
	})
}

func TestWords(t *testing.T) {
	v, err := suite.Words([]suite.Pack{{Name: "p", Steps: []suite.Step{
		{Pattern: `a "([^"]*)" (\d+) times:`, Do: func(context.Context, string, int, *suite.Table) error { return nil }, Doc: "d", Example: `a "x" 1 times:`},
		{Pattern: `b`, Do: func(context.Context) error { return nil }, Doc: "d", Example: `b`},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	all := v.All()
	if len(all) != 2 || strings.Join(all[0].Values, " ") != "string int" || all[0].Takes != "table" || all[1].Takes != "" {
		t.Errorf("got %+v", all)
	}
	if of := v.Of(`a "y" 2 times:`); len(of) != 1 || of[0].Pattern != all[0].Pattern {
		t.Errorf("got %+v", of)
	}
	if of := v.Of(`c`); len(of) != 0 {
		t.Errorf("got %+v", of)
	}
	if _, err := suite.Words([]suite.Pack{{}}); err == nil {
		t.Error("a pack without a name is accepted")
	}
}
