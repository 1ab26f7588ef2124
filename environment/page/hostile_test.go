package page_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/environment/page"
)

// hostile are texts that others wrote to break a page.
var hostile = []string{
	`</title><script>alert(1)</script>`, `" onmouseover="alert(1)`, `' autofocus onfocus='alert(1)`, "{{.}}", "${alert(1)}",
	"\u202egnp.exe\u202c", "nul \x00 and \x1b[31m", "👩‍👩‍👧 😀 é", strings.Repeat("long ", 50), "<!--", "]]>", "javascript:alert(1)", "\xff\xfe",
}

// mistakes are what no sheet may hold, whatever it shows.
func mistakes(body string) []string {
	var out []string
	for _, bad := range []string{"<script>a", "\u202e", "\x00", "\x1b", "ZgotmplZ", ` onmouseover="`, `href="javascript:`} {
		if strings.Contains(body, bad) {
			out = append(out, bad)
		}
	}
	return out
}

func TestPageOfHostileTexts(t *testing.T) {
	s := furnished(t, nil)
	sheets := []string{"", "journal?kind=all", "repo/ada/app/issues", "repo/ada/app/runs", "run/1", "job/1"}
	for _, text := range hostile {
		text = strings.ToValidUTF8(text, "?")
		body, err := json.Marshal(map[string]string{"title": text, "body": text + strings.Repeat(" y", 5000)})
		s.must(err)
		s.post("/repos/ada/app/issues", string(body))
		run := forge.Run{Repo: "ada/app", Workflow: ".github/workflows/w.yml", Name: text, Title: text, Event: text, Actor: text, Cause: text,
			HeadSHA: s.sha, HeadBranch: text, Status: "completed", Conclusion: "failure", Reason: text}
		run, err = s.Admin().SaveRun(run)
		s.must(err)
		job, err := s.Admin().SaveJob(forge.Job{RunID: run.ID, Key: text, Name: text, Status: "completed", Conclusion: "failure", Error: text,
			Steps: []forge.Step{{Number: 1, Name: text, Status: "completed", Conclusion: "failure"}}})
		s.must(err)
		s.must(s.Admin().AppendLog(job.ID, []byte("##[error]"+text+"\n"+text)))
		sheets = append(sheets, fmt.Sprintf("run/%d", run.ID), fmt.Sprintf("job/%d", job.ID), fmt.Sprintf("job/%d/log?from=0", job.ID),
			fmt.Sprintf("repo/ada/app/issues/%d", run.ID), "journal?cause="+url.QueryEscape(text), "journal?q="+url.QueryEscape(text))
	}
	for _, e := range s.Admin().Journal().Entries(0) {
		sheets = append(sheets, fmt.Sprintf("journal/%d", e.Seq))
	}
	for _, path := range sheets {
		if bad := mistakes(s.sees(path)); bad != nil {
			t.Errorf("%s shows %q", path, bad)
		}
	}
}

// FuzzPath asks for all kinds of addresses: the answer is a sheet, or says what is missing.
func FuzzPath(f *testing.F) {
	s := furnished(f, fstest.MapFS{"a/b c.txt": {Data: []byte("x")}})
	for _, p := range []string{"", "repo/ada/app", "repo/ada/app/files/a/b%20c.txt", "repo/ada/app/files/%2e%2e/x", "repo/ada/app?ref=refs/heads/main",
		"repo/ada/app/files//", "repo/ada/app/commits?ref=..", "repo/ada/app/issues?before=-1", "run/1/artifact/1", "job/1/log?from=99999999999999999999",
		"job/1?from=5", "journal?cause=event:3&skip=1", "journal?before=2&kind=reads", "journal/18446744073709551615", "repo/%00/%ff", "repo/ada/app/commit/0000000"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, path string) {
		u, err := url.Parse(page.Root + path)
		if err != nil || u.IsAbs() || u.Host != "" || strings.ContainsAny(path, "\r\n") {
			return
		}
		req, err := http.NewRequest(http.MethodGet, s.URL()+u.RequestURI(), nil)
		if err != nil {
			return
		}
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		resp, err := client.Do(req)
		if err != nil {
			return // no address that a client sends
		}
		resp.Body.Close()
		if resp.StatusCode >= http.StatusInternalServerError {
			t.Errorf("%q: %s", path, resp.Status)
		}
	})
}

// TestMarkdownOfHostileShape holds that no text takes long to set.
func TestMarkdownOfHostileShape(t *testing.T) {
	s := furnished(t, nil)
	for i, unit := range []string{">", "- ", "[", "*a ", "![", "`", "<", "|", "1. ", "**", "[a](", "&", "_a_"} {
		body, err := json.Marshal(map[string]string{"title": "x", "body": strings.Repeat(unit, 60_000/len(unit))})
		s.must(err)
		s.post("/repos/ada/app/issues", string(body))
		s.sees(fmt.Sprintf("repo/ada/app/issues/%d", i+2), "open")
	}
}
