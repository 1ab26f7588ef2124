package github_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/driver/github"
)

// A commit on a new branch begins at the default branch and makes the ref; one on a branch that is
// there moves it.
func TestCommitOnBranch(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   driver.NewCommit
		want []string // reads of refs, and what changes them
	}{
		{"default", driver.NewCommit{}, []string{"GET /git/ref/heads/main", `PATCH /git/refs/heads/main {"sha":"new"}`}},
		{"there", driver.NewCommit{Branch: "a/b"}, []string{"GET /git/ref/heads/a/b", `PATCH /git/refs/heads/a/b {"sha":"new"}`}},
		{"new", driver.NewCommit{Branch: "a/b", New: true}, []string{"GET /git/ref/heads/main", `POST /git/refs {"ref":"refs/heads/a/b","sha":"new"}`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				path := strings.TrimPrefix(r.URL.Path, "/repos/o/r")
				body, _ := io.ReadAll(r.Body)
				if strings.HasPrefix(path, "/git/ref") {
					got = append(got, strings.TrimSpace(r.Method+" "+path+" "+string(body)))
				}
				if r.Method == http.MethodPost {
					w.WriteHeader(http.StatusCreated)
				}
				fmt.Fprint(w, `{"sha":"new","default_branch":"main","object":{"sha":"old"},"tree":{"sha":"t"}}`)
			}))
			defer s.Close()
			f := github.New(github.Options{APIURL: s.URL, Tokens: map[string]string{"admin": "t"}})
			defer f.Close()
			session, err := f.As("admin")
			if err != nil {
				t.Fatal(err)
			}
			tt.in.Files = []driver.NewFile{{Path: "x", Content: []byte("x")}}
			if sha, err := session.Files.Commit(t.Context(), driver.Repo{Owner: "o", Name: "r"}, tt.in); sha != "new" || err != nil {
				t.Fatalf("got %q, %v", sha, err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}
