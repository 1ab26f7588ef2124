package api

import (
	"net/http"
)

func (a *API) configRoutes() []route { return append(a.variableRoutes(), a.secretRoutes()...) }

func (a *API) variableRoutes() []route {
	const variables = "/repos/{owner}/{repo}/actions/variables"
	return []route{
		{method: http.MethodGet, pattern: variables, list: true, do: func(c *call) (answer, error) {
			all, err := a.State.Variables(c.who, c.repo())
			return counted(c, a.Base, "variables", all, err)
		}},
		{method: http.MethodPost, pattern: variables, do: func(c *call) (answer, error) {
			name, value, err := variableBody(c)
			switch {
			case err != nil:
				return answer{}, err
			case name == nil:
				return answer{}, missing("name")
			case value == nil:
				return answer{}, missing("value")
			}
			if err := a.State.CreateVariable(c.who, c.repo(), *name, *value); err != nil {
				return answer{}, err
			}
			return created(struct{}{})
		}},
		{method: http.MethodGet, pattern: variables + "/{name}", do: func(c *call) (answer, error) {
			v, err := a.State.Variable(c.who, c.repo(), c.param["name"])
			if err != nil {
				return answer{}, err
			}
			return ok(v)
		}},
		{method: http.MethodPatch, pattern: variables + "/{name}", do: func(c *call) (answer, error) {
			name, value, err := variableBody(c)
			if err != nil {
				return answer{}, err
			}
			if err := a.State.EditVariable(c.who, c.repo(), c.param["name"], name, value); err != nil {
				return answer{}, err
			}
			return noContent()
		}},
		{method: http.MethodDelete, pattern: variables + "/{name}", do: func(c *call) (answer, error) {
			if err := a.State.DeleteVariable(c.who, c.repo(), c.param["name"]); err != nil {
				return answer{}, err
			}
			return noContent()
		}},
	}
}

func variableBody(c *call) (name, value *string, err error) {
	var in struct {
		Name  *string `json:"name"`
		Value *string `json:"value"`
	}
	err = c.decode(smallBody, &in)
	return in.Name, in.Value, err
}

func (a *API) secretRoutes() []route {
	const secrets = "/repos/{owner}/{repo}/actions/secrets"
	return []route{
		{method: http.MethodGet, pattern: secrets, list: true, do: func(c *call) (answer, error) {
			all, err := a.State.SecretNames(c.who, c.repo())
			return counted(c, a.Base, "secrets", all, err)
		}},
		{method: http.MethodGet, pattern: secrets + "/public-key", do: func(c *call) (answer, error) {
			k, err := a.State.SealingKey(c.who, c.repo())
			if err != nil {
				return answer{}, err
			}
			return ok(k)
		}},
		{method: http.MethodGet, pattern: secrets + "/{name}", do: func(c *call) (answer, error) {
			v, err := a.State.SecretName(c.who, c.repo(), c.param["name"])
			if err != nil {
				return answer{}, err
			}
			return ok(v)
		}},
		{method: http.MethodPut, pattern: secrets + "/{name}", do: a.putSecret},
		{method: http.MethodDelete, pattern: secrets + "/{name}", do: func(c *call) (answer, error) {
			if err := a.State.DeleteSecret(c.who, c.repo(), c.param["name"]); err != nil {
				return answer{}, err
			}
			return noContent()
		}},
	}
}

func (a *API) putSecret(c *call) (answer, error) {
	var in struct {
		EncryptedValue string `json:"encrypted_value"`
		KeyID          string `json:"key_id"`
	}
	if err := c.decode(smallBody, &in); err != nil {
		return answer{}, err
	}
	isNew, err := a.State.PutSecret(c.who, c.repo(), c.param["name"], in.EncryptedValue, in.KeyID)
	if err != nil {
		return answer{}, err
	}
	if isNew {
		return created(struct{}{})
	}
	return noContent()
}
