package bench_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// list asks for a page of a hundred issues, without a connection.
func list(b *testing.B, t *table) {
	f, url, token := newForge(b)
	for i := range 100 {
		ask(b, f, "POST", url+"/repos/acme/app/issues", token, fmt.Sprintf(`{"title":"issue %d","body":"steps to reproduce","labels":["bug"]}`, i), http.StatusCreated)
	}
	req := httptest.NewRequest("GET", url+"/repos/acme/app/issues?per_page=100", nil)
	req.Header.Set("Authorization", "Bearer "+token)
	const rounds = 200
	var c cost
	for range rounds {
		rec := httptest.NewRecorder()
		rec.Body.Grow(1 << 20)
		c.add(b, func() { f.ServeHTTP(rec, req) })
		if n := strings.Count(rec.Body.String(), `"body":"steps`); rec.Code != http.StatusOK || n != 100 {
			b.Fatal(rec.Code, n)
		}
	}
	t.add(figure{name: "list of 100 issues: handler alone", value: milli(c.cpu(), rounds), target: 1, unit: "ms CPU", format: "%.2f",
		peer: fmt.Sprintf("%.2f ms by the clock", milli(c.wall, rounds))})
}

// large is a forge of 1,000 repositories and 100,000 issues beside one with a single issue.
func large(b *testing.B, t *table) {
	exe := buildServer(b)
	servers := []*server{serve(b, exe), serve(b, exe, "large")}
	u := servers[1].usage(b)
	cpu := eachOf(b, servers)
	t.add(figure{name: "1,000 repositories, 100,000 issues: memory, journal included", value: u.RSS / 1024, target: 250, unit: "MB", format: "%.0f",
		peer: fmt.Sprintf("%.0f MB at most while they were made", u.MaxRSS/1024)})
	t.add(figure{name: "GET issue there, to that of a small forge", value: cpu[1] / cpu[0], target: 1.2, unit: "×", format: "%.2f",
		peer: fmt.Sprintf("%.0f and %.0f µs CPU", cpu[1], cpu[0])})
}
