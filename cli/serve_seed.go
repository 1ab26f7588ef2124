package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/world/fixture"
)

// seededApp is an app of a seed, as it is printed and kept for the next start; its key is in a file of its own.
type seededApp struct {
	Slug          string
	ID            int64
	ClientID      string
	Installations []fixture.MadeInstallation
}

// checkSeedNames refuses tokens of a seed that are called as an actor that is there anyway.
func checkSeedNames(seed fixture.Seed) error {
	for _, t := range seed.Tokens {
		if slices.ContainsFunc(people(), func(p person) bool { return p.name == t.Name }) {
			return &hinted{fmt.Errorf("--seed: the token %s is called as an actor that there is anyway", t.Name), "give it another name"}
		}
	}
	return nil
}

// plant makes what the seed says; its tokens are then beside those of the actors, and the keys of its apps in files.
func (sv *serving) plant(ctx context.Context, env []string) error {
	made, err := plantSeed(ctx, sv.Place, sv.seed, env, sv.hide)
	if err != nil {
		return err
	}
	for name, value := range made.Tokens {
		if err := sv.hide(value, "token:"+name); err != nil {
			return err
		}
		sv.Tokens[name] = value
	}
	for _, t := range sv.seed.Tokens {
		sv.kinds[t.Name] = t.Login + ", " + t.Kind()
	}
	for _, a := range made.Apps {
		if err := os.MkdirAll(sv.keys(), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(sv.key(a.Slug), []byte(a.PrivateKey), 0o600); err != nil {
			return err
		}
		if err := sv.hide(a.PrivateKey, "key:"+a.Slug); err != nil {
			return err
		}
		sv.apps = append(sv.apps, seededApp{Slug: a.Slug, ID: a.ID, ClientID: a.ClientID, Installations: a.Installations})
	}
	return nil
}

// keys is the directory of the keys of apps.
func (sv *serving) keys() string {
	if sv.stays != nil {
		return filepath.Join(sv.stays.path, "apps")
	}
	return filepath.Join(sv.dir.Path, "apps")
}

func (sv *serving) key(slug string) string { return filepath.Join(sv.keys(), slug+".pem") }

// welcomeApps shows who an app is, and where its key is.
func (sv *serving) welcomeApps(b *strings.Builder) {
	for _, a := range sv.apps {
		fmt.Fprintf(b, "  app %s: id %d, client id %s, key %s\n", a.Slug, a.ID, a.ClientID, sv.key(a.Slug))
		for _, x := range a.Installations {
			fmt.Fprintf(b, "    installation %d on %s\n", x.ID, x.On)
		}
	}
}

// pasteApp is a command that gets a token of an app's installation with nothing but curl and openssl.
func (sv *serving) pasteApp(b *strings.Builder) {
	i := slices.IndexFunc(sv.apps, func(a seededApp) bool { return len(a.Installations) > 0 })
	if i < 0 {
		return
	}
	a := sv.apps[i]
	fmt.Fprintf(b, "  # a token of the app %s on %s, by its key\n", a.Slug, a.Installations[0].On)
	fmt.Fprintf(b, "  b64() { openssl base64 -A | tr '+/' '-_' | tr -d =; }\n")
	fmt.Fprintf(b, "  CLAIMS=$(printf '{\"alg\":\"RS256\"}' | b64).$(printf '{\"iss\":\"%d\",\"iat\":%%d,\"exp\":%%d}' $(($(date +%%s)-30)) $(($(date +%%s)+300)) | b64)\n", a.ID)
	fmt.Fprintf(b, "  JWT=$CLAIMS.$(printf %%s \"$CLAIMS\" | openssl dgst -sha256 -sign '%s' | b64)\n", sv.key(a.Slug))
	fmt.Fprintf(b, "  curl -fsS -X POST -H \"Authorization: Bearer $JWT\" \"$GITHUB_API_URL/app/installations/%d/access_tokens\"\n\n", a.Installations[0].ID)
}

// checkExecApps refuses apps whose keys would be made: the program has no way to get them.
func checkExecApps(seed fixture.Seed) error {
	for _, a := range seed.Apps {
		if a.Key == "" {
			return &hinted{fmt.Errorf("exec: --seed: the app %s has no key, and the program would not know one that is made", a.Slug),
				"give it one that the program knows: `key: {env: VARIABLE}`"}
		}
	}
	return nil
}
