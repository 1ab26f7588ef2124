package environment

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/nearest"
	"github.com/understudy-dev/understudy/internal/scope"
	"github.com/understudy-dev/understudy/internal/strictyaml"
)

// roles are what an actor can be allowed.
func roles() []string { return []string{"admin", "maintain", "write", "triage", "read", "none"} }

func (p *Platform) readActors(at places, n yaml.Node) (problems []error) {
	p.Actors = map[string]driver.Actor{}
	pairs, err := entries(at.file, "actors", "`write: {role: write}`", n)
	if err != nil {
		return []error{err}
	}
	logins := map[string]string{}
	for _, pair := range pairs {
		key := pair[0]
		tell := func(hint, format string, args ...any) {
			problems = append(problems, strictyaml.Errorf(at.file, key.Line, "actor %q "+format, append([]any{key.Value}, args...)...).Hinted("%s", hint))
		}
		var w struct {
			Login string `yaml:"login"`
			Role  string `yaml:"role"`
			Bot   bool   `yaml:"bot"`

			Scopes []string          `yaml:"scopes"`
			App    map[string]string `yaml:"app"`
		}
		if err := strictyaml.DecodePart(at.file, "actors."+key.Value, pair[1], &w); err != nil {
			problems = append(problems, err)
			p.Actors[key.Value] = driver.Actor{} // he is there, and that is all that is known
			continue
		}
		if w.Login == "" {
			w.Login = key.Value
		}
		if w.App != nil && w.Role == "" {
			w.Role, w.Bot = "none", true
		} else if w.App != nil {
			tell("its permissions stand for a role; take the role out", "is an app and has a role")
		}
		other, twice := logins[strings.ToLower(w.Login)]
		switch {
		case key.Value == ActorObserver:
			tell("scenarios read with it; take it out", "is built in and cannot be declared")
		case w.Role == "":
			tell("it is one of "+strings.Join(roles(), ", "), "has no role")
		case !slices.Contains(roles(), w.Role):
			tell("it is one of "+strings.Join(roles(), ", "), "has role %q", w.Role)
		case w.Scopes != nil && (w.App != nil || w.Bot):
			tell("only a person's token has scopes; an app has permissions: `app: {issues: write}`", "is a program and has scopes")
		case twice:
			tell("give one of them another with `login:`", "has the login %q, as has %q", w.Login, other)
		}
		tellScopes(tell, w.Scopes, w.App)
		logins[strings.ToLower(w.Login)] = key.Value
		p.Actors[key.Value] = driver.Actor{Name: key.Value, Login: w.Login, Role: w.Role, Bot: w.Bot, Scopes: w.Scopes, App: w.App}
		p.Order = append(p.Order, key.Value)
	}
	for _, name := range []string{ActorAdmin, ActorWrite} {
		if _, ok := p.Actors[name]; !ok {
			problems = append(problems, at.errorf("actors", "actors lacks %q, whom steps use", name).Hinted("add `%s: {role: %s}`", name, name))
		}
	}
	return problems
}

// tellScopes complains of scopes and permissions that there are not.
func tellScopes(tell func(hint, format string, args ...any), scopes []string, permissions map[string]string) {
	meant := func(typed string, words []string) string {
		if near := nearest.Of(typed, words); near != "" {
			return "did you mean " + near + "?"
		}
		return "there are " + strings.Join(words, ", ")
	}
	for _, name := range scopes {
		if !slices.Contains(scope.Classic(), name) {
			tell(meant(name, scope.Classic()), "has the scope %q, which there is not", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(permissions)) {
		switch level := permissions[name]; {
		case !slices.Contains(scope.Permissions(), strings.ReplaceAll(name, "-", "_")):
			tell(meant(name, scope.Permissions()), "has the permission %q, which there is not", name)
		case !slices.Contains(scope.Levels(), level):
			tell("it is one of "+strings.Join(scope.Levels(), ", "), "has the permission %s: %q", name, level)
		}
	}
}
