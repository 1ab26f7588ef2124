package html_test

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/report/html"
	"github.com/understudy-dev/understudy/result"
)

var update = flag.Bool("update", false, "write golden files")

func render(t testing.TB, f html.Format, r result.Record) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func sample(t testing.TB, name string) result.Record {
	t.Helper()
	r, err := result.Read("../testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// repeated is a sample of which one scenario went otherwise in a second trial.
func repeated(t testing.TB) result.Record {
	t.Helper()
	r, again := sample(t, "red"), sample(t, "green")
	trial := again.Cells[0].Trials[0]
	trial.Number = 2
	r.Cells[0].Trials = append(r.Cells[0].Trials, trial)
	return r
}

var packed = regexp.MustCompile(`<script type="text/plain" id="([^"]+)">([^<]*)</script>`)

// unpacked gives what the page's script would unpack, by id, indented.
func unpacked(t *testing.T, page string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, m := range packed.FindAllStringSubmatch(page, -1) {
		b, err := base64.StdEncoding.DecodeString(m[2])
		if err != nil {
			t.Fatalf("%s: %v", m[1], err)
		}
		z, err := zlib.NewReader(bytes.NewReader(b))
		if err != nil {
			t.Fatalf("%s: %v", m[1], err)
		}
		plain, err := io.ReadAll(z)
		if err != nil {
			t.Fatalf("%s: %v", m[1], err)
		}
		var out bytes.Buffer
		if err := json.Indent(&out, plain, "", " "); err != nil {
			t.Fatalf("%s: %v", m[1], err)
		}
		found[m[1]] = out.String()
	}
	return found
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := "testdata/" + name + ".golden"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// The golden files hold the page without style, script, policy and packs, and the packs unpacked.
func TestGolden(t *testing.T) {
	apart := regexp.MustCompile(`(?s)<style>.*?</style>|<script.*?</script>|<meta http-equiv[^>]*>`)
	blank := regexp.MustCompile(`\n(\s*\n)+`)
	for name, r := range map[string]result.Record{"green": sample(t, "green"), "red": sample(t, "red"), "repeated": repeated(t)} {
		t.Run(name, func(t *testing.T) {
			whole := render(t, html.Format{Base: "runs/20260820T091401Z-1"}, r)
			golden(t, name, blank.ReplaceAllString(apart.ReplaceAllString(whole, ""), "\n"))
			if name == "repeated" {
				return // holds what the other two hold
			}
			data := unpacked(t, whole)
			if len(data) != 2 {
				t.Fatalf("%d packs, want the index and one", len(data))
			}
			golden(t, name+"_inside", data["index"]+"\n"+data["pack-0"]+"\n")
		})
	}
}

func TestSameBytes(t *testing.T) {
	if render(t, html.Format{}, sample(t, "red")) != render(t, html.Format{}, sample(t, "red")) {
		t.Error("the same record gives different pages")
	}
}

func TestPageLoadsNothing(t *testing.T) {
	page := render(t, html.Format{}, sample(t, "red"))
	for _, bad := range []*regexp.Regexp{
		regexp.MustCompile(`(?i)\ssrc=`), regexp.MustCompile(`(?i)<link\b`), regexp.MustCompile(`(?i)@import|url\(`),
		regexp.MustCompile(`(?i)<[a-z]+[^>]*\sstyle=`), regexp.MustCompile(`(?i)<[a-z]+[^>]*\son[a-z]+=`), regexp.MustCompile(`href="[a-z]+:`),
		regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|fetch\(|XMLHttpRequest`),
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
	page := render(t, html.Format{}, hostile())
	for _, bad := range []string{"<img", `href="javascript:`, "</script></style>"} {
		if strings.Contains(page, bad) {
			t.Errorf("%q gets through", bad)
		}
	}
	if open, closed := strings.Count(page, "<script"), strings.Count(page, "</script>"); open != closed || open != 3 {
		t.Errorf("%d scripts, %d ends, want 3: index, pack, script", open, closed)
	}
}

func TestEvidenceIsRelative(t *testing.T) {
	files := func(page string) []string {
		var all []string
		for _, m := range regexp.MustCompile(`"href": "([^"]*)"`).FindAllStringSubmatch(unpacked(t, page)["pack-0"], -1) {
			all = append(all, m[1])
		}
		return all
	}
	links := files(render(t, html.Format{Base: "runs/1"}, sample(t, "green")))
	if len(links) == 0 {
		t.Fatal("no evidence is linked")
	}
	for _, l := range links {
		if !strings.HasPrefix(l, "runs/1/by-scenario/") && !strings.HasPrefix(l, "runs/1/evidence/") {
			t.Errorf("link %q does not lead into the run's directory", l)
		}
	}
	r := sample(t, "green")
	s := &r.Cells[0].Trials[0].Scenarios[4]
	if len(s.Evidence) == 0 {
		t.Fatal("the sample has no evidence there")
	}
	for i, path := range []string{"javascript:alert(1)", "../../../etc/passwd", "//elsewhere.test/x", "a b/c?d#e"} {
		s.Evidence[0].Path, s.Evidence[0].Link = path, ""
		want := []string{"javascript%3Aalert%281%29", "etc/passwd", "elsewhere.test/x", "a%20b/c%3Fd%23e"}[i]
		got := files(render(t, html.Format{}, r))
		if !slices.Contains(got, want) {
			t.Errorf("%q is linked as one of %q, want %q", path, got, want)
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
