package page_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/internal/journal"
)

// busy appends as many entries as a long day leaves: labels, each with a run of two jobs and requests.
func busy(f *forge.Server, entries int) {
	j := f.Admin().Journal()
	for n := len(j.Entries(0)); n < entries; n = len(j.Entries(0)) {
		label := j.Append(journal.Entry{Kind: journal.Change, Type: "issues.labeled", Cause: "token:ada", Actor: "ada",
			Subject: fmt.Sprintf("ada/app#%d", n), Detail: map[string]string{"label": fmt.Sprintf("label-%d", n), "repo": "ada/app"}})
		run := fmt.Sprintf("run:%d", 1000+n)
		j.Append(journal.Entry{Kind: journal.Change, Type: "run.created", Cause: fmt.Sprintf("event:%d", label), Actor: "ada", Subject: run})
		for k := range 2 {
			job := fmt.Sprintf("job:%d", 2000+2*n+k)
			j.Append(journal.Entry{Kind: journal.Change, Type: "job.created", Cause: run, Actor: "ada", Subject: job, Detail: map[string]string{"name": "build"}})
			j.Append(journal.Entry{Kind: journal.Read, Type: "request", Cause: job, Actor: "github-actions[bot]", Subject: "GET /repos/ada/app/issues", Detail: map[string]string{"status": "200"}})
			j.Append(journal.Entry{Kind: journal.Change, Type: "job.completed", Cause: run, Actor: "ada", Subject: job})
		}
		j.Append(journal.Entry{Kind: journal.Change, Type: "run.completed", Cause: fmt.Sprintf("event:%d", label), Actor: "ada", Subject: run})
	}
}

var (
	rowForm   = regexp.MustCompile(`<tr id="event-(\d+)"`)
	olderForm = regexp.MustCompile(`<a href="([^"]*)">(?:older|next)</a>`)
)

// windows follows the links to all windows of a list and returns the numbers of their rows.
func (s *shown) windows(path string) (rows []string, sheets int) {
	s.t.Helper()
	for path != "" && sheets < 100 {
		body := s.sees(path)
		sheets++
		for _, m := range rowForm.FindAllStringSubmatch(body, -1) {
			rows = append(rows, m[1])
		}
		path = ""
		if m := olderForm.FindStringSubmatch(body); m != nil {
			path = strings.TrimPrefix(strings.ReplaceAll(m[1], "&amp;", "&"), "/_/")
		}
	}
	return rows, sheets
}

func TestJournalOfTenThousandEntries(t *testing.T) {
	s := furnished(t, nil)
	busy(s.Server, 10_000)
	all := s.Admin().Journal().Entries(0)
	count := func(takes func(journal.Entry) bool) (n int) {
		for _, e := range all {
			if takes(e) {
				n++
			}
		}
		return n
	}
	last := all[len(all)-9] // a label
	for path, want := range map[string]int{
		"journal?kind=all":                    len(all),
		"journal":                             count(func(e journal.Entry) bool { return e.Kind == journal.Change }),
		"journal?kind=reads":                  count(func(e journal.Entry) bool { return e.Kind == journal.Read }),
		"journal?kind=all&q=job.completed":    count(func(e journal.Entry) bool { return e.Type == "job.completed" }),
		"journal?q=LABEL-" + last.Subject[8:]: 1,
		"journal?q=nothing+has+this":          0,
	} {
		rows, sheets := s.windows(path)
		distinct := map[string]bool{}
		for _, r := range rows {
			distinct[r] = true
		}
		if len(rows) != want || len(distinct) != len(rows) || want > 0 && sheets != (want+199)/200 {
			t.Errorf("%s: %d rows, %d distinct, on %d sheets, want %d rows", path, len(rows), len(distinct), sheets, want)
		}
	}
	rows, _ := s.windows(fmt.Sprintf("journal?kind=all&cause=event:%d", last.Seq))
	if len(rows) != 9 || rows[0] != fmt.Sprint(last.Seq) {
		t.Errorf("a label, number %d, caused %v, want itself and the eight entries after it", last.Seq, rows)
	}
	whole, sheets := s.windows("journal?kind=all&cause=token:ada")
	if len(whole) < 9000 || sheets != (len(whole)+199)/200 {
		t.Errorf("a token caused %d entries on %d sheets", len(whole), sheets)
	}
}

func TestEntryTellsWhyAndWhatCameOfIt(t *testing.T) {
	s := furnished(t, nil)
	busy(s.Server, 30)
	var request, label journal.Entry
	for _, e := range s.Admin().Journal().Entries(0) {
		switch {
		case e.Type == "issues.labeled" && strings.HasPrefix(e.Detail["label"], "label-") && label.Seq == 0:
			label = e
		case e.Type == "request" && strings.HasPrefix(e.Cause, "job:") && request.Seq == 0:
			request = e
		}
	}
	body := s.sees(fmt.Sprintf("journal/%d", request.Seq), "job.created", "run.created", "issues.labeled", "which came of", "token:ada")
	if i, j := strings.Index(body, "job.created"), strings.Index(body, "issues.labeled"); i > j {
		t.Error("the nearest cause does not come first")
	}
	s.sees(fmt.Sprintf("journal/%d", label.Seq), "It came of", "run.created", "job.completed", `class="d2"`, "GET /repos/ada/app/issues")
	s.sees("journal?cause=" + url.QueryEscape("no such thing"))
}

func TestPageOfManyFiles(t *testing.T) {
	files := fstest.MapFS{}
	for i := range 3000 {
		files[fmt.Sprintf("many/file-%04d.txt", i)] = &fstest.MapFile{Data: []byte("x")}
	}
	s := furnished(t, files)
	body := s.sees("repo/ada/app/files/many", "file-0000.txt", "file-2999.txt")
	if n := strings.Count(body, "<li>"); n != 3000 {
		t.Errorf("%d files are listed", n)
	}
	s.sees("repo/ada/app/commit/"+s.sha, "1000 changed files and 2001 more")
}

func TestLogIsToldInWholeLinesFromWhereOneIs(t *testing.T) {
	s := furnished(t, nil)
	s.say(strings.Repeat("y", 300<<10) + "\n") // longer than one part
	s.say("half")
	next, told := 0, ""
	for range 10 {
		resp, body := s.do(s.request("GET", fmt.Sprintf("/_/job/1/log?from=%d", next)))
		told += body
		if got := resp.Header.Get("Log-Next"); got == fmt.Sprint(next) {
			break
		}
		_, err := fmt.Sscan(resp.Header.Get("Log-Next"), &next)
		s.must(err)
		if resp.Header.Get("Log-Ended") != "false" {
			t.Error("the log has ended while the job goes on")
		}
	}
	if n := strings.Count(told, "y"); n != 300<<10 || strings.Contains(told, "half") {
		t.Errorf("%d of %d bytes of a long line were told; half a line: %v", n, 300<<10, strings.Contains(told, "half"))
	}
	s.end("success")
	resp, body := s.do(s.request("GET", fmt.Sprintf("/_/job/1/log?from=%d", next)))
	if !strings.Contains(body, "half") || resp.Header.Get("Log-Ended") != "true" {
		t.Errorf("the end of the log: %q, ended %s", body, resp.Header.Get("Log-Ended"))
	}
	s.sees("job/1", "are before this", "half")
	s.sees("job/1?from=0", "said &lt;b&gt;", ">later</a>")
}
