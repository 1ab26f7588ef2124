package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/understudy-dev/understudy/report"
	"github.com/understudy-dev/understudy/report/html"
	"github.com/understudy-dev/understudy/report/junit"
	"github.com/understudy-dev/understudy/report/markdown"
	"github.com/understudy-dev/understudy/report/messages"
	"github.com/understudy-dev/understudy/report/text"
	"github.com/understudy-dev/understudy/result"
)

// FuzzReport renders whatever can be read as a record: no format panics, and each gives the same
// bytes, or the same error, for the same record.
func FuzzReport(f *testing.F) {
	f.Add([]byte(`{"schema":1,"features":[{"uri":"a","text":"Feature: F\n  Scenario: S\n    Given x\n"}],"cells":[{"trials":[{"scenarios":[
		{"id":"a:2","verdict":"failed","steps":[{"number":1,"keyword":"Given","text":"x","line":3,"verdict":"failed","seconds":1e300,
		"problem":{"verdict":"failed","what":"w","expected":"e","seen":"s","pending":["p"]},"observations":[{"subject":"s","got":[1],"want":"w"}]}],
		"findings":[{"policy":"p","problem":{"what":"w"},"cause":"run:5"}],"evidence":[{"name":"n","path":"p","step":9}],
		"journal":[{"seq":1,"type":"run.created","cause":"run:5","subject":"run:5"},{"seq":2,"type":"request","cause":"run:5","detail":{"status":"500"}}]}]}]}]}`))
	f.Add([]byte(`{"schema":1,"problems":[{"what":"|"}],"warnings":["\u0000"]}`))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(dir, "record.json")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := result.Read(path)
		if err != nil {
			return
		}
		for _, format := range []report.Format{html.Format{}, junit.Format{}, markdown.Format{}, messages.Format{}, text.Format{}} {
			var one, two bytes.Buffer
			errOne, errTwo := format.Write(&one, r), format.Write(&two, r)
			if (errOne == nil) != (errTwo == nil) || !bytes.Equal(one.Bytes(), two.Bytes()) {
				t.Errorf("%T: two of one record differ, %v and %v", format, errOne, errTwo)
			}
			if _, ours := format.(messages.Format); errOne != nil && !ours {
				t.Errorf("%T: %v", format, errOne)
			}
		}
	})
}
