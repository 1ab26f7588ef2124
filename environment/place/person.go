package place

import (
	"cmp"

	"github.com/understudy-dev/understudy/emulator/forge"
)

// Person is an account with a role in the organisation and a token.
type Person struct {
	Name  string // key in Tokens
	Login string
	Title string // what the account is called in full; "" is Name
	Role  string // as for forge.Admin.SetOrgRole; none is no role
	Bot   bool
	Kit   bool   // acts for a scenario: see forge.TokenSpec
	Quiet bool   // only observes: see forge.TokenSpec
	Cause string // of what is done with the token, where Kit is not set

	Scopes []string          // of a classic token; nil is all that the account may
	App    map[string]string // permissions of an app, installed on the organisation; then Role is none
	AppKey string            // PEM of the app's private key; "" makes one
}

// Enlist makes a person's account, or an app and its installation, and returns a token.
func Enlist(admin *forge.Admin, org string, a Person) (token string, err error) {
	spec := forge.TokenSpec{Login: a.Login, Kit: a.Kit, Quiet: a.Quiet, Cause: a.Cause, Name: a.Name, Scopes: a.Scopes}
	if a.App != nil {
		info, err := admin.AddApp(forge.App{Slug: a.Login, Name: cmp.Or(a.Title, a.Name), Owner: org, Permissions: a.App, PrivateKey: a.AppKey})
		if err != nil {
			return "", err
		}
		spec.Login = info.Login
		if spec.Installation, err = admin.Install(a.Login, org); err != nil {
			return "", err
		}
		return admin.MintToken(spec)
	}
	if err := admin.AddUser(forge.User{Login: a.Login, Name: cmp.Or(a.Title, a.Name), Bot: a.Bot}); err != nil {
		return "", err
	}
	if a.Role != "none" {
		if err := admin.SetOrgRole(org, a.Login, a.Role); err != nil {
			return "", err
		}
	}
	return admin.MintToken(spec)
}
