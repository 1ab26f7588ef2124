package page_test

import (
	"net/http"
	"testing"
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
			b.ReportMetric(float64(bytes)/1024, "KiB")
		})
	}
}
