package forge

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
)

// App describes a GitHub App: a program with an account of its own, "slug[bot]", that acts through the
// tokens of its installations. https://docs.github.com/en/apps
type App = driver.NewApp

// AppInfo is an app that was made, with the key that it signs with.
type AppInfo = driver.App

// AddApp makes an app. A slug whose account exists is driver.ErrConflict.
func (a *Admin) AddApp(in App) (AppInfo, error) {
	info, err := a.addApp(in)
	return info, wrap("add app "+in.Slug, a.conflict(in.Slug+"[bot]", err))
}

func (a *Admin) addApp(in App) (AppInfo, error) {
	private, text, err := privateKey(in.PrivateKey)
	if err != nil {
		return AppInfo{}, err
	}
	spec := state.NewApp{Slug: in.Slug, Name: in.Name, Description: in.Description, Owner: in.Owner, Key: &private.PublicKey,
		Permissions: in.Permissions, Events: in.Events}
	if in.WebhookURL != "" {
		json := "json"
		spec.Webhook = state.HookConfigEdit{URL: &in.WebhookURL, ContentType: &json, Secret: &in.Secret}
	}
	v, err := a.state.AddApp(spec)
	if err != nil {
		return AppInfo{}, err
	}
	return AppInfo{ID: v.ID, ClientID: v.ClientID, Login: in.Slug + "[bot]", PrivateKey: text}, nil
}

// NewPrivateKey makes a key for apps, so that several forges can have the same app.
func NewPrivateKey() (pem string, err error) {
	_, text, err := privateKey("")
	return text, err
}

// privateKey reads the PEM of an RSA key, or makes one.
func privateKey(text string) (*rsa.PrivateKey, string, error) {
	if text == "" {
		k, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			return nil, "", err
		}
		return k, string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(k)})), nil
	}
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, "", errors.New("private key: want PEM")
	}
	if k, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return k, text, nil
	}
	any, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	k, isRSA := any.(*rsa.PrivateKey)
	if err != nil || !isRSA {
		return nil, "", errors.New("private key: want an RSA key, as PKCS #1 or PKCS #8")
	}
	return k, text, nil
}

// Install puts an app on a person or an organisation, with the named repositories or, without names, all that
// there are and will be. It returns the number of the installation. An app that is there already gets the
// new selection.
func (a *Admin) Install(slug, login string, repos ...string) (id int64, err error) {
	v, err := a.state.Install(state.Identity{Login: login}, slug, login, repos)
	return v.ID, wrap("install "+slug+" on "+login, err)
}
