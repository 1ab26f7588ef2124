package place_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/environment/place"
)

// TestEnlist: people by role and by scope, and apps.
func TestEnlist(t *testing.T) {
	f, err := forge.New(forge.Options{NoPort: true})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close(context.WithoutCancel(t.Context()))
	if err := f.Admin().AddOrg("acme"); err != nil {
		t.Fatal(err)
	}
	tokens := map[string]string{}
	for _, p := range []place.Person{
		{Name: "owner", Login: "owner", Role: "owner"},
		{Name: "write", Login: "write", Role: "write"},
		{Name: "narrow", Login: "narrow", Role: "write", Scopes: []string{"public_repo"}},
		{Name: "outsider", Login: "outsider", Role: "none"},
		{Name: "robot", Login: "robot", Role: "none", App: map[string]string{"issues": "write"}},
	} {
		if tokens[p.Name], err = place.Enlist(f.Admin(), "acme", p); err != nil {
			t.Fatal(err)
		}
	}
	do := func(who, method, path, body string) int {
		t.Helper()
		req, err := http.NewRequest(method, f.APIURL()+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+tokens[who])
		res, err := f.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		io.Copy(io.Discard, res.Body)
		return res.StatusCode
	}
	if got := do("owner", "POST", "/orgs/acme/repos", `{"name": "app", "private": true}`); got != 201 {
		t.Fatalf("repository: %d", got)
	}
	for who, want := range map[string]int{"owner": 201, "write": 201, "narrow": 404, "outsider": 404, "robot": 201} {
		if got := do(who, "POST", "/repos/acme/app/issues", `{"title": "x"}`); got != want {
			t.Errorf("%s opens an issue: %d, want %d", who, got, want)
		}
	}
	if got := do("robot", "GET", "/installation/repositories", ""); got != 200 {
		t.Errorf("the app is installed: %d", got)
	}
	for _, p := range []place.Person{
		{Name: "x", Login: "x", Role: "write", Scopes: []string{"everything"}},
		{Name: "y", Login: "y", Role: "none", App: map[string]string{"everything": "write"}},
		{Name: "write", Login: "write", Role: "write"},
	} {
		if _, err := place.Enlist(f.Admin(), "acme", p); err == nil {
			t.Errorf("%+v is enlisted", p)
		}
	}
}
