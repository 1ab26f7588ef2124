package page_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/understudy-dev/understudy/internal/chromium"
)

// BenchmarkJournal opens and filters a journal of 10,000 entries: server time and bytes of a window.
func BenchmarkJournal(b *testing.B) {
	s := furnished(b, nil)
	busy(s.Server, 10_000)
	for name, path := range map[string]string{"latest": "journal?kind=all", "text": "journal?kind=all&q=job.completed+ada", "none": "journal?q=nothing", "cause": "journal?kind=all&cause=token:ada", "entry": "journal/9000"} {
		b.Run(name, func(b *testing.B) {
			bytes := 0
			for b.Loop() {
				resp, body := s.do(s.request(http.MethodGet, "/_/"+path))
				if resp.StatusCode != http.StatusOK {
					b.Fatal(resp.Status)
				}
				bytes = len(body)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/window")
			b.ReportMetric(float64(bytes)/1024, "KiB")
		})
	}
}

// BenchmarkJournalInBrowser is what a person waits for: opening the journal of 10,000 entries, and
// filtering it, until the sheet is loaded and laid out.
func BenchmarkJournalInBrowser(b *testing.B) {
	path, err := chromium.Find()
	if err != nil {
		b.Skip("skipped: chromium is not installed, so nobody opened the journal")
	}
	s := furnished(b, nil)
	busy(s.Server, 10_000)
	c, err := chromium.Start(context.WithoutCancel(b.Context()), path, b.TempDir())
	s.must(err)
	defer c.Close()
	s.must(c.Tab())
	for name, path := range map[string]string{"open": "journal", "filter": "journal?kind=all&q=job.completed+ada"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s.must(c.Open(s.URL() + "/_/" + path))
				s.must(c.Eval("document.body.getBoundingClientRect().height", nil))
			}
		})
	}
}
