//go:build linux

package cli_test

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestServeClock: the token of admin has time pass, others have not, and bad input moves nothing.
func TestServeClock(t *testing.T) {
	s := serve(t)
	url := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(s.welcome)
	admin := regexp.MustCompile(`admin\s+(ghp_\w+)`).FindStringSubmatch(s.welcome)
	if url == "" || admin == nil {
		t.Fatalf("no address or no token:\n%s", s.welcome)
	}
	post := func(token, body string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), "POST", url+"/_/clock", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(text)
	}
	for _, c := range []struct {
		token, body string
		status      int
		says        string
	}{
		{"", `{"advance":"24h"}`, 401, "token of admin"},
		{"ghp_wrong", `{"advance":"24h"}`, 401, "token of admin"},
		{admin[1], `{"advance":"24h","x":1}`, 400, "x"},
		{admin[1], `{}`, 400, "one of advance and to"},
		{admin[1], `{"advance":"a day"}`, 400, "a day"},
		{admin[1], `{"advance":"24h","to":"2099-01-01T00:00:00Z"}`, 400, "one of advance and to"},
		{admin[1], `{"advance":"24h"} {}`, 400, "more than one object"},
		{admin[1], `{"advance":"24h"}}`, 400, "more than one object"},
		{admin[1], `{"advance":"24h"` + strings.Repeat(" ", 2<<10) + `}`, 400, "too large"},
		{admin[1], `{"to":"2099-01-01T00:00:00Z"}`, 422, "ten years"},
		{admin[1], `{"advance":"-1h"}`, 422, "forward only"},
		{admin[1], `{"to":"2001-01-01T00:00:00Z"}`, 422, "forward only"},
		{admin[1], `{"advance":"24h"}`, 200, `"runs":0`},
		{admin[1], `{"to":"` + time.Now().UTC().AddDate(1, 0, 0).Format(time.RFC3339) + `"}`, 200, `"to":"` + time.Now().UTC().AddDate(1, 0, 0).Format("2006-01-")},
	} {
		if status, text := post(c.token, c.body); status != c.status || !strings.Contains(text, c.says) {
			t.Errorf("%s: %d %s, want %d and %q", c.body, status, text, c.status, c.says)
		}
	}
}
