package oracletest_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/google/go-github/v88/github"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func createApp(t *testing.T, c *github.Client) {
	t.Helper()
	_, _, err := c.Repositories.Create(t.Context(), "acme", &github.Repository{Name: github.Ptr("app"), AutoInit: github.Ptr(true)})
	check(t, err)
}

func fetch(t *testing.T, url string) string {
	t.Helper()
	res, err := http.Get(url)
	check(t, err)
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	check(t, err)
	return string(data)
}
