package drivertest_test

import (
	"context"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/driver/drivertest"
	"github.com/understudy-dev/understudy/driver/github"
	"github.com/understudy-dev/understudy/emulator/forge"
)

// The driver for GitHub passes the contract on the forge of this module.
func TestGitHub(t *testing.T) {
	drivertest.Run(t, func(t *testing.T) drivertest.Place {
		s, err := forge.New(forge.Options{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			if err := s.Close(ctx); err != nil {
				t.Error(err)
			}
		})
		tokens := map[string]string{}
		a := s.Admin()
		if err := a.AddOrg("acme"); err != nil {
			t.Fatal(err)
		}
		for login, role := range map[string]string{"ada": "owner", "wanda": "write", "oscar": ""} {
			if err := a.AddUser(forge.User{Login: login}); err != nil {
				t.Fatal(err)
			}
			if role != "" {
				if err := a.SetOrgRole("acme", login, role); err != nil {
					t.Fatal(err)
				}
			}
			if tokens[login], err = a.MintToken(forge.TokenSpec{Login: login}); err != nil {
				t.Fatal(err)
			}
		}
		f := github.New(github.Options{APIURL: s.APIURL(), Tokens: tokens})
		t.Cleanup(f.Close)
		return drivertest.Place{Forge: f, Owner: "acme", Admin: "ada", Writer: "wanda", Outsider: "oscar", WriterLogin: "wanda", OutsiderLogin: "oscar"}
	})
}
