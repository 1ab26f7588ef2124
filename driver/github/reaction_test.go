package github_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/driver/github"
)

// TestReactions: they come in order, each with who showed it, from all pages.
func TestReactions(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/repos/o/r/issues/7/reactions" {
			t.Errorf("asked for %s", r.URL)
		}
		if r.URL.Query().Get("page") == "2" {
			fmt.Fprint(w, `[{"content":"rocket","user":{"login":"eve"}}]`)
			return
		}
		w.Header().Set("Link", `<http://`+r.Host+r.URL.Path+`?page=2>; rel="next"`)
		fmt.Fprint(w, `[{"content":"eyes","user":{"login":"ada"}}]`)
	}))
	defer s.Close()
	f := github.New(github.Options{APIURL: s.URL, Tokens: map[string]string{"admin": "t"}})
	defer f.Close()
	session, err := f.As("admin")
	if err != nil {
		t.Fatal(err)
	}
	got, err := session.Reactions.List(t.Context(), driver.Ref{Repo: driver.Repo{Owner: "o", Name: "r"}, Number: 7})
	if diff := cmp.Diff([]driver.Reaction{{Author: "ada", Content: "eyes"}, {Author: "eve", Content: "rocket"}}, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}
