package forge_test

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// openIssue is the code under test of TestBot.
func openIssue(api, token string) error {
	req, err := http.NewRequest(http.MethodPost, api+"/repos/ada/app/issues", strings.NewReader(`{"title": "A title"}`))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

func TestBot(t *testing.T) {
	f, err := forge.New(forge.Options{}) // listens on a loopback port
	must(t, err)
	defer f.Close(context.Background())
	must(t, f.Admin().AddUser(forge.User{Login: "ada"}))
	_, err = f.Admin().Seed("ada/app", "ada", fstest.MapFS{"README.md": {Data: []byte("# app\n")}})
	must(t, err) // git clones f.URL()+"/ada/app.git"
	token, err := f.Admin().MintToken(forge.TokenSpec{Login: "ada"})
	must(t, err)
	must(t, openIssue(f.APIURL(), token)) // your code
	for _, e := range f.Admin().Journal().Entries(0) {
		t.Log(e.Type, e.Subject, e.Cause) // what happened, in order, and because of what
	}
}

// TestReadmeShowsTestBot: the first door of the README is this test, line for line.
func TestReadmeShowsTestBot(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	must(t, err)
	source, err := os.ReadFile("door_test.go")
	must(t, err)
	_, rest, found := strings.Cut(string(readme), "```go\n")
	shown, _, ended := strings.Cut(rest, "```\n")
	if !found || !ended || !strings.Contains(string(source), "\n"+shown) || !strings.Contains(shown, "forge.New") {
		t.Errorf("the README's first Go block is not what is run here:\n%s", shown)
	}
}
