// Package reach tells how far the accounts of a platform's actors reach on a forge, and whether that is where
// they should: in no organisation but those that are named for tests, with the roles that the platform file declares. It only
// reads, with the actors' own tokens.
package reach

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/environment"
	"github.com/understudy-dev/understudy/internal/nearest"
	"github.com/understudy-dev/understudy/internal/strictyaml"
)

// FileName is what a reach file is called unless told otherwise.
const FileName = "reach.yaml"

// DefaultDays is how long a check is good for unless the file says otherwise.
const DefaultDays = 90

// DefaultAPI is where github.com answers.
const DefaultAPI = "https://api.github.com"

// File is a reach file, read: where the actors' accounts live, and where they may do something.
type File struct {
	Path       string
	API        string            // address of the REST API
	Test       []string          // organisations in which the actors may do something
	Production []string          // organisations in which none of them may be
	Tokens     map[string]string // environment variables that hold the actors' tokens
	Auditor    string            // environment variable of a token that sees the members of Production; "" is none
	Days       int               // how long a check is good for
}

// Read reads and checks a reach file against the actors of a platform. Every problem names its file and line.
func Read(path string, p environment.Platform) (File, error) {
	data, err := strictyaml.Read(path)
	if err != nil {
		return File{}, err
	}
	return Parse(path, data, p)
}

// Parse is Read for text that was read already.
func Parse(path string, data []byte, p environment.Platform) (File, error) {
	var w struct {
		API        string            `yaml:"api"`
		Test       []string          `yaml:"test"`
		Production []string          `yaml:"production"`
		Tokens     map[string]string `yaml:"tokens"`
		Auditor    string            `yaml:"auditor"`
		Days       int               `yaml:"days"`
	}
	if err := strictyaml.Decode(path, data, &w); err != nil {
		return File{}, err
	}
	f := File{Path: path, API: strings.TrimSuffix(w.API, "/"), Test: w.Test, Production: w.Production, Tokens: w.Tokens, Auditor: w.Auditor, Days: w.Days}
	if f.API == "" {
		f.API = DefaultAPI
	}
	if f.Days == 0 {
		f.Days = DefaultDays
	}
	return f, f.check(p)
}

// check names what a file says that cannot be meant.
func (f File) check(p environment.Platform) error {
	tell := func(hint, format string, args ...any) error {
		return strictyaml.Errorf(f.Path, 1, format, args...).Hinted("%s", hint)
	}
	at, err := url.Parse(f.API)
	if err != nil {
		return tell("such as `api: "+DefaultAPI+"`", "api is no address")
	}
	switch loopback := slices.Contains([]string{"127.0.0.1", "::1", "localhost"}, at.Hostname()); {
	case at.Host == "" || at.User != nil || at.Scheme != "https" && !(at.Scheme == "http" && loopback):
		return tell("such as `api: "+DefaultAPI+"`, or what `understudy serve` prints", "api: %s is no address over https or of this machine", at.Redacted())
	case len(f.Test) == 0:
		return tell("such as `test: [acme-test]`", "test names no organisation")
	case f.Days < 0:
		return tell("such as `days: 90`", "days is %d", f.Days)
	}
	for _, org := range slices.Concat(f.Test, f.Production) {
		if org == "" || strings.ContainsAny(org, "/?#% ") {
			return tell("the name alone, such as acme", "%q is no organisation's name", org)
		}
	}
	for _, org := range f.Production {
		if slices.ContainsFunc(f.Test, func(t string) bool { return strings.EqualFold(t, org) }) {
			return tell("take it out of one", "%s is an organisation both of production and for tests", org)
		}
	}
	return f.checkTokens(p)
}

func (f File) checkTokens(p environment.Platform) error {
	for _, name := range slices.Sorted(maps.Keys(f.Tokens)) {
		hint := "actors are " + strings.Join(p.Order, ", ")
		if near := nearest.Of(name, p.Order); near != "" {
			hint = "did you mean " + near + "? " + hint
		}
		if !slices.Contains(p.Order, name) {
			return strictyaml.Errorf(f.Path, 1, "tokens has %q, which is no actor of %s", name, p.File).Hinted("%s", hint)
		}
	}
	for _, name := range p.Order {
		if f.Tokens[name] == "" {
			return strictyaml.Errorf(f.Path, 1, "tokens lacks actor %q of %s", name, p.File).
				Hinted("name the environment variable that holds his token: `tokens: {%s: %s_TOKEN}`", name, variable(name))
		}
	}
	return nil
}

func variable(actor string) string {
	return strings.ToUpper(strings.ReplaceAll(actor, "-", "_"))
}

// Ready says which variables are not set that hold tokens.
func (f File) Ready(env func(string) string) error {
	_, err := f.secrets(env)
	return err
}

// secrets reads the tokens out of an environment.
func (f File) secrets(env func(string) string) (map[string]string, error) {
	out := map[string]string{}
	var missing []error
	for _, name := range slices.Sorted(maps.Keys(f.Tokens)) {
		if out[name] = env(f.Tokens[name]); out[name] == "" {
			missing = append(missing, fmt.Errorf("%s is not set: it holds the token of %s, says %s", f.Tokens[name], name, f.Path))
		}
	}
	if f.Auditor != "" && env(f.Auditor) == "" {
		missing = append(missing, fmt.Errorf("%s is not set: it holds the auditor's token, says %s", f.Auditor, f.Path))
	}
	return out, errors.Join(missing...)
}
