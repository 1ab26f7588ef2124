package page_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/internal/chromium"
)

// tab is a person in front of a page.
type tab struct {
	*chromium.Browser
	t *testing.T
	s *shown
}

// look opens a sheet in a real Chromium; where there is none, the test is skipped.
func look(t *testing.T, s *shown) *tab {
	t.Helper()
	path, err := chromium.Find()
	if err != nil {
		t.Skip("skipped: chromium is not installed, so nobody looked at the page")
	}
	b, err := chromium.Start(context.WithoutCancel(t.Context()), path, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("chromium: %v", err)
		}
	})
	s.must(b.Tab())
	return &tab{b, t, s}
}

func (b *tab) open(path string) {
	b.t.Helper()
	b.s.must(b.Open(b.s.URL() + "/_/" + path))
}

func (b *tab) until(expression string) {
	b.t.Helper()
	b.s.must(b.Until(expression))
}

// calm holds that the browser had nothing to complain about: nothing was refused, nothing thrown.
func (b *tab) calm() {
	b.t.Helper()
	for _, c := range b.Complaints() {
		b.t.Errorf("the browser complains: %s", c)
	}
}

func TestPageFollowsALog(t *testing.T) {
	s := furnished(t, nil)
	b := look(t, s)
	b.open("job/1")
	b.until(`document.querySelector("#log").innerText.includes("said <b> and [hidden]")`)
	s.say("one more <i>line</i>\nhalf")
	b.until(`document.querySelector("#log").innerText.includes("one more <i>line</i>")`)
	b.until(`!document.querySelector("#log").innerText.includes("half")`)
	s.end("success")
	b.until(`"ended" in document.querySelector("#log").dataset && !document.querySelector("#follow")`)
	b.until(`document.querySelector("#log").innerText.trim().endsWith("half")`)
	b.until(`document.querySelector("h2 .status").innerText === "success"`)
	var lines int
	s.must(b.Eval(`document.querySelectorAll("#log .l").length`, &lines))
	if lines != 4 {
		t.Errorf("the log has %d lines, want 4: each once", lines)
	}
	b.calm()
}

func TestPageFollowsWhatHappens(t *testing.T) {
	s := furnished(t, nil)
	b := look(t, s)
	b.open("repo/ada/app/issues")
	s.post("/repos/ada/app/issues", `{"title": "came later"}`)
	b.until(`document.body.innerText.includes("came later")`)
	b.open("journal")
	s.post("/repos/ada/app/issues", `{"title": "and another"}`)
	b.until(`document.querySelector("table.journal").innerText.includes("ada/app#3")`)
	s.must(b.Eval(`document.querySelector("[name=q]").value = "issues.opened ada/app#2"; document.querySelector("form.filter").requestSubmit()`, nil))
	b.until(`document.querySelectorAll("table.journal tbody tr").length === 1`) // on the page that comes
	b.open("journal/3")
	s.must(b.Eval(`document.querySelector(".effect a").click()`, nil))
	b.until(`document.querySelector("[name=cause]")?.value === "run:1"`)
	b.calm()
}

// TestPageFitsScreens opens each kind of sheet on a narrow and on a wide screen, in the dark and in the light.
func TestPageFitsScreens(t *testing.T) {
	s := furnished(t, fstest.MapFS{"README.md": {Data: []byte("# Title\n\n" + strings.Repeat("x", 500) + "\n\n|a|b|\n|-|-|\n|" + strings.Repeat("y", 300) + "|c|\n")}})
	for _, text := range []string{hostile[0], hostile[8], strings.Repeat("w", 256)} {
		s.post("/repos/ada/app/issues", fmt.Sprintf(`{"title": %q, "body": %q}`, text, strings.Repeat(text, 20)))
	}
	_, err := s.Admin().SaveRun(forge.Run{Repo: "ada/app", Workflow: ".github/workflows/w.yml", Name: strings.Repeat("n", 300), Title: strings.Repeat("t", 300),
		Event: "push", Actor: "ada", HeadBranch: strings.Repeat("b", 200), HeadSHA: s.sha, Status: "completed", Conclusion: "failure", Reason: strings.Repeat("r", 400)})
	s.must(err)
	b := look(t, s)
	for _, v := range []chromium.View{{Width: 500, Height: 900, Scheme: "dark"}, {Width: 1200, Height: 900, Scheme: "light"}} {
		s.must(b.Look(v))
		for _, path := range []string{"", "repo/ada/app", "repo/ada/app/files/README.md?plain", "repo/ada/app/issues", "repo/ada/app/issues/4", "repo/ada/app/runs",
			"repo/ada/app/commits", "repo/ada/app/commit/" + s.sha, "repo/ada/app/about", "run/1", "run/2", "job/1", "journal?kind=all", "journal?cause=token:ada", "journal/3", "nope"} {
			b.open(path)
			var is struct {
				Wide  int
				Paper string
			}
			s.must(b.Eval(`({Wide: document.documentElement.scrollWidth, Paper: getComputedStyle(document.body).backgroundColor})`, &is))
			if is.Wide > v.Width {
				t.Errorf("%s is %d wide on a screen of %d", path, is.Wide, v.Width)
			}
			if want := map[string]string{"dark": "rgb(21, 24, 28)", "light": "rgb(251, 250, 248)"}[v.Scheme]; is.Paper != want {
				t.Errorf("%s in the %s is on %s, want %s", path, v.Scheme, is.Paper, want)
			}
		}
	}
	for _, c := range b.Complaints() {
		if !strings.Contains(c, "404") {
			t.Errorf("the browser complains: %s", c)
		}
	}
}
