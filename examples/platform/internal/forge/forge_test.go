package forge_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"example.com/crew/internal/forge"
	"example.com/crew/internal/forge/forgetest"
)

func open(t *testing.T) (*forgetest.Forge, *forge.Client) {
	t.Helper()
	f := forgetest.New(t)
	c, err := forge.New(f.URL, "token", forgetest.Repo)
	if err != nil {
		t.Fatal(err)
	}
	return f, c
}

func TestNewRefuses(t *testing.T) {
	for _, tc := range []struct{ api, token, repo string }{
		{"localhost:80", "t", "a/b"}, {"ftp://h", "t", "a/b"}, {"http://", "t", "a/b"},
		{"http://h", "", "a/b"}, {"http://h", "t", "b"}, {"http://h", "t", "a/b/c"}, {"http://h", "t", "a/../b"},
	} {
		if _, err := forge.New(tc.api, tc.token, tc.repo); err == nil {
			t.Errorf("%+v was accepted", tc)
		}
	}
}

func TestCommit(t *testing.T) {
	f, c := open(t)
	files := []forge.File{{Path: "a/b.txt", Text: "one"}, {Path: "c.txt", Text: "two"}}
	f.MoveBranch(2)
	sha, err := c.Commit(t.Context(), "main", "Add", files)
	if err != nil {
		t.Fatal(err)
	}
	last := f.Commits[len(f.Commits)-1]
	if last.SHA != sha || last.Files["a/b.txt"] != "one" || last.Files["c.txt"] != "two" || last.Files["other.txt"] != "xx" {
		t.Errorf("last commit %+v", last)
	}
	if sha, err := c.Commit(t.Context(), "main", "Again", files); sha != "" || err != nil {
		t.Errorf("second time: %q, %v", sha, err)
	}
	f.MoveBranch(3)
	if _, err := c.Commit(t.Context(), "main", "Late", files[:1]); err != nil {
		t.Errorf("nothing to do: %v", err)
	}
	if _, err := c.Commit(t.Context(), "main", "Late", []forge.File{{Path: "d", Text: "x"}}); err == nil || !strings.Contains(err.Error(), "422 Update is not a fast forward") {
		t.Errorf("always late: %v", err)
	}
}

func TestStick(t *testing.T) {
	f, c := open(t)
	f.Comments = []string{"a person quotes <!-- m -->"}
	for _, text := range []string{"first", "second"} {
		if err := c.Stick(t.Context(), 1, "<!-- m -->", text); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"a person quotes <!-- m -->", "<!-- m -->\nsecond"}; !slices.Equal(f.Comments, want) {
		t.Errorf("comments %q, want %q", f.Comments, want)
	}
}

func TestVariableAndSecret(t *testing.T) {
	f, c := open(t)
	for _, v := range []string{"one", "one", "two"} {
		if err := c.SetVariable(t.Context(), "V", v); err != nil {
			t.Fatal(err)
		}
		if err := c.SetSecret(t.Context(), "S", "s-"+v); err != nil {
			t.Fatal(err)
		}
		if f.Variables["V"] != v || f.Secrets["S"] != "s-"+v {
			t.Errorf("variables %v, secrets %v", f.Variables, f.Secrets)
		}
	}
}

func TestErrors(t *testing.T) {
	answer := ""
	status := http.StatusForbidden
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(answer))
	}))
	defer s.Close()
	c, err := forge.New(s.URL, "s3cret", "a/b")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		status int
		body   string
		want   string
	}{
		{403, `{"message":"Resource not accessible"}`, "POST /issues/1/labels: 403 Resource not accessible"},
		{502, `<html>`, "POST /issues/1/labels: 502 Bad Gateway"},
	} {
		status, answer = tc.status, tc.body
		err := c.AddLabel(t.Context(), 1, "x")
		if err == nil || err.Error() != tc.want {
			t.Errorf("error %v, want %q", err, tc.want)
		}
	}
	status, answer = 200, "not JSON"
	if _, err := c.Labels(t.Context(), 1); err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("not JSON: %v", err)
	}
	s.Close()
	if err := c.AddLabel(t.Context(), 1, "x"); err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("no forge: %v", err)
	}
}
