package api

import (
	"net/http"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
)

// The levels that have variables and secrets, as they stand in patterns.
const (
	repoLevel        = "/repos/{owner}/{repo}"
	environmentLevel = repoLevel + "/environments/{environment}"
	orgLevel         = "/orgs/{org}"
)

func (a *API) configRoutes() []route {
	var out []route
	for _, level := range []string{repoLevel, orgLevel} {
		out = append(out, a.variableRoutes(level+"/actions/variables")...)
		out = append(out, a.secretRoutes(level+"/actions/secrets")...)
	}
	out = append(out, a.variableRoutes(environmentLevel+"/variables")...)
	out = append(out, a.secretRoutes(environmentLevel+"/secrets")...)
	for _, secret := range []bool{false, true} {
		out = append(out, a.selectionRoutes(secret)...)
	}
	return append(out, a.sharedRoutes()...)
}

// level is where the variables and secrets of a request stand.
func (c *call) level() state.Level {
	if org := c.param["org"]; org != "" {
		return state.Level{Org: org}
	}
	return state.Level{Repo: c.repo(), Environment: c.param["environment"]}
}

func (a *API) variableRoutes(variables string) []route {
	return []route{
		{method: http.MethodGet, pattern: variables, list: true, do: func(c *call) (answer, error) {
			all, err := a.State.Variables(c.who, c.level())
			return counted(c, a.Base, "variables", all, err)
		}},
		{method: http.MethodPost, pattern: variables, do: func(c *call) (answer, error) {
			in, err := c.variable()
			switch {
			case err != nil:
				return answer{}, err
			case in.Name == nil:
				return answer{}, missing("name")
			case in.Value == nil:
				return answer{}, missing("value")
			}
			var to state.Audience
			if in.To != nil {
				to = *in.To
			}
			if err := a.State.CreateVariable(c.who, c.level(), *in.Name, *in.Value, to); err != nil {
				return answer{}, err
			}
			return created(struct{}{})
		}},
		{method: http.MethodGet, pattern: variables + "/{name}", do: func(c *call) (answer, error) {
			return answered(a.State.Variable(c.who, c.level(), c.param["name"]))
		}},
		{method: http.MethodPatch, pattern: variables + "/{name}", do: func(c *call) (answer, error) {
			in, err := c.variable()
			if err != nil {
				return answer{}, err
			}
			return done(a.State.EditVariable(c.who, c.level(), c.param["name"], in))
		}},
		{method: http.MethodDelete, pattern: variables + "/{name}", do: func(c *call) (answer, error) {
			return done(a.State.DeleteVariable(c.who, c.level(), c.param["name"]))
		}},
	}
}

// audience is who sees what an organisation has, as requests say it.
type audience struct {
	Visibility string  `json:"visibility"`
	Selected   []int64 `json:"selected_repository_ids"`
}

// variable reads a body about a variable; a repository's or an environment's has no audience.
func (c *call) variable() (state.VariableEdit, error) {
	var in struct {
		Name  *string `json:"name"`
		Value *string `json:"value"`
	}
	if c.level().Org == "" {
		err := c.decode(smallBody, &in)
		return state.VariableEdit{Name: in.Name, Value: in.Value}, err
	}
	var all struct {
		Name  *string `json:"name"`
		Value *string `json:"value"`
		audience
	}
	err := c.decode(smallBody, &all)
	to := state.Audience(all.audience)
	return state.VariableEdit{Name: all.Name, Value: all.Value, To: &to}, err
}

func (a *API) secretRoutes(secrets string) []route {
	return []route{
		{method: http.MethodGet, pattern: secrets, list: true, do: func(c *call) (answer, error) {
			all, err := a.State.SecretNames(c.who, c.level())
			return counted(c, a.Base, "secrets", all, err)
		}},
		{method: http.MethodGet, pattern: secrets + "/public-key", do: func(c *call) (answer, error) {
			return answered(a.State.SealingKey(c.who, c.level()))
		}},
		{method: http.MethodGet, pattern: secrets + "/{name}", do: func(c *call) (answer, error) {
			return answered(a.State.SecretName(c.who, c.level(), c.param["name"]))
		}},
		{method: http.MethodPut, pattern: secrets + "/{name}", do: a.putSecret},
		{method: http.MethodDelete, pattern: secrets + "/{name}", do: func(c *call) (answer, error) {
			return done(a.State.DeleteSecret(c.who, c.level(), c.param["name"]))
		}},
	}
}

func (a *API) putSecret(c *call) (answer, error) {
	in, err := c.sealed()
	if err != nil {
		return answer{}, err
	}
	isNew, err := a.State.PutSecret(c.who, c.level(), c.param["name"], in)
	if err != nil {
		return answer{}, err
	}
	if isNew {
		return created(struct{}{})
	}
	return noContent()
}

// sealed reads a body about a secret; a repository's has no audience.
func (c *call) sealed() (state.Sealed, error) {
	var in struct {
		EncryptedValue string `json:"encrypted_value"`
		KeyID          string `json:"key_id"`
	}
	if c.level().Org == "" {
		err := c.decode(smallBody, &in)
		return state.Sealed{Value: in.EncryptedValue, KeyID: in.KeyID}, err
	}
	var all struct {
		EncryptedValue string `json:"encrypted_value"`
		KeyID          string `json:"key_id"`
		audience
	}
	err := c.decode(smallBody, &all)
	return state.Sealed{Value: all.EncryptedValue, KeyID: all.KeyID, To: state.Audience(all.audience)}, err
}

// selectionRoutes are about the repositories that see what an organisation has for selected ones.
func (a *API) selectionRoutes(secret bool) []route {
	at := orgLevel + "/actions/variables/{name}/repositories"
	if secret {
		at = orgLevel + "/actions/secrets/{name}/repositories"
	}
	of := func(c *call) state.Selection {
		return state.Selection{Org: c.param["org"], Secret: secret, Name: c.param["name"]}
	}
	one := func(there bool) func(*call) (answer, error) {
		return func(c *call) (answer, error) {
			id, err := c.number("repository")
			if err != nil {
				return answer{}, err
			}
			return done(a.State.SelectOne(c.who, of(c), id, there))
		}
	}
	return []route{
		{method: http.MethodGet, pattern: at, list: true, do: func(c *call) (answer, error) {
			all, err := a.State.Selected(c.who, of(c))
			return counted(c, a.Base, "repositories", all, err)
		}},
		{method: http.MethodPut, pattern: at, do: func(c *call) (answer, error) {
			var in struct {
				Selected *[]int64 `json:"selected_repository_ids"`
			}
			if err := c.decode(smallBody, &in); err != nil {
				return answer{}, err
			}
			if in.Selected == nil {
				return answer{}, missing("selected_repository_ids")
			}
			return done(a.State.Select(c.who, of(c), *in.Selected))
		}},
		{method: http.MethodPut, pattern: at + "/{repository}", do: one(true)},
		{method: http.MethodDelete, pattern: at + "/{repository}", do: one(false)},
	}
}

// sharedRoutes show what a repository sees of its organisation's.
func (a *API) sharedRoutes() []route {
	return []route{
		{method: http.MethodGet, pattern: repoLevel + "/actions/organization-variables", list: true, do: func(c *call) (answer, error) {
			all, err := a.State.SharedVariables(c.who, c.repo())
			return counted(c, a.Base, "variables", all, err)
		}},
		{method: http.MethodGet, pattern: repoLevel + "/actions/organization-secrets", list: true, do: func(c *call) (answer, error) {
			all, err := a.State.SharedSecrets(c.who, c.repo())
			return counted(c, a.Base, "secrets", all, err)
		}},
	}
}
