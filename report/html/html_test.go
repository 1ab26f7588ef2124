package html_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/evidence"
	"github.com/understudy-dev/understudy/report/html"
	"github.com/understudy-dev/understudy/result"
)

var update = flag.Bool("update", false, "write golden files")

func render(t *testing.T, f html.Format, r result.Record) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func sample(t *testing.T, name string) result.Record {
	t.Helper()
	r, err := result.Read("../testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The golden files hold the page without style, script and policy.
func TestGolden(t *testing.T) {
	apart := regexp.MustCompile(`(?s)<style>.*?</style>|<script>.*?</script>|<meta http-equiv[^>]*>`)
	blank := regexp.MustCompile(`\n(\s*\n)+`)
	for _, name := range []string{"green", "red"} {
		t.Run(name, func(t *testing.T) {
			whole := render(t, html.Format{Base: "runs/20260820T091401Z-1"}, sample(t, name))
			got := blank.ReplaceAllString(apart.ReplaceAllString(whole, ""), "\n")
			golden := "testdata/" + name + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPageLoadsNothing(t *testing.T) {
	page := render(t, html.Format{}, sample(t, "red"))
	for _, bad := range []*regexp.Regexp{
		regexp.MustCompile(`(?i)\ssrc=`), regexp.MustCompile(`(?i)<link\b`), regexp.MustCompile(`(?i)@import|url\(`),
		regexp.MustCompile(`(?i)<[a-z]+[^>]*\sstyle=`), regexp.MustCompile(`(?i)<[a-z]+[^>]*\son[a-z]+=`), regexp.MustCompile(`href="[a-z]+:`),
	} {
		if m := bad.FindString(page); m != "" {
			t.Errorf("the page has %q", m)
		}
	}
	if !strings.Contains(page, "default-src &#39;none&#39;") {
		t.Error("no policy keeps the page from loading things")
	}
}

func TestNothingEscapes(t *testing.T) {
	evil := `</script></style><img src=x onerror=alert(1)>"'` + "`{{.}}"
	got, _ := json.Marshal(evil)
	ob := []result.Observation{{Subject: evil, Key: evil, Got: got, Want: evil, Decided: evil}}
	p := result.Problem{Verdict: result.Verdict(evil), What: evil, Where: evil, Expected: evil, Seen: evil, Hint: evil, Pending: []string{evil}, Stack: evil}
	s := result.Scenario{ID: evil, Feature: evil, Rule: evil, Name: evil, Tags: []string{evil}, Verdict: result.Verdict(evil), Reason: evil, After: ob,
		Steps:    []result.Step{{Keyword: evil, Text: evil, Argument: evil, Verdict: result.Verdict(evil), Problem: &p, Observations: ob}},
		Findings: []result.Finding{{Policy: evil, Cause: evil, Problem: p}},
		Journal: []driver.Entry{{Seq: 1, Type: "step", Subject: "step:1", Detail: map[string]string{"text": evil, evil: evil}},
			{Seq: 2, Type: evil, Cause: "step:1", Subject: evil, Actor: evil, Detail: map[string]string{"label": evil, "decision": evil, "reason": evil, "failed_step": evil}}},
		Evidence: []evidence.Ref{{Meta: evidence.Meta{Name: evil, Origin: evil, MediaType: evil}, Path: "javascript:alert(1)"}},
	}
	r := result.Record{Kit: evil, Isolation: evil, Warnings: []string{evil}, Problems: []result.Problem{p},
		Platform: result.Platform{Name: evil, Defect: evil, Digest: map[string]string{evil: evil}},
		Cells:    []result.Cell{{Suite: evil, Trials: []result.Trial{{Number: 1, Scenarios: []result.Scenario{s}}, {Number: 2, Scenarios: []result.Scenario{s}}}}}}
	page := render(t, html.Format{}, r)
	for _, bad := range []string{"<img", `href="javascript:`, "</script></style>"} {
		if strings.Contains(page, bad) {
			t.Errorf("%q gets through", bad)
		}
	}
	if n := strings.Count(page, "</script>"); n != 1 {
		t.Errorf("%d script ends, want 1", n)
	}
}

func TestEvidenceIsRelative(t *testing.T) {
	page := render(t, html.Format{Base: "runs/1"}, sample(t, "green"))
	links := regexp.MustCompile(`<a href="([^"]*)"`).FindAllStringSubmatch(page, -1)
	if len(links) == 0 {
		t.Fatal("no evidence is linked")
	}
	for _, l := range links {
		if !strings.HasPrefix(l[1], "runs/1/evidence/") {
			t.Errorf("link %q does not lead into the run's directory", l[1])
		}
	}
}

func TestNothingRan(t *testing.T) {
	page := render(t, html.Format{}, result.Record{})
	if !strings.Contains(page, "Nothing ran") || !strings.Contains(page, `<header class="broken">`) {
		t.Error("an empty run looks like a good one")
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteError(t *testing.T) {
	if err := (html.Format{}).Write(full{}, sample(t, "green")); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("got %v", err)
	}
}
