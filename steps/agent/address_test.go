package agent

import "testing"

func TestSeenAs(t *testing.T) {
	for in, want := range map[string]string{
		"http://allowed.test/":      "http://allowed.test/",
		"http://allowed.test":       "http://allowed.test/",
		"HTTP://ALLOWED.TEST:80/x":  "http://allowed.test/x",
		"http://a.test:8080/X/y":    "http://a.test:8080/X/y",
		"https://Allowed.test/":     "allowed.test:443",
		"https://allowed.test:8443": "allowed.test:8443",
	} {
		if got, err := seenAs(in); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"allowed.test", "ftp://a.test/", "http://a.test/?q=1", "http://u@a.test/", "https://a.test/x", "http://"} {
		if got, err := seenAs(in); err == nil {
			t.Errorf("%s became %q", in, got)
		}
	}
}
