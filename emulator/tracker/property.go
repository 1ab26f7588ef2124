package tracker

import (
	"encoding/json"
	"net/http"
)

// propertyRoutes are those of https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-properties/
func propertyRoutes() []route {
	const all = "/rest/api/{version}/issue/{issue}/properties"
	return []route{
		{pattern: "GET " + all, do: listProperties},
		{pattern: "GET " + all + "/{property}", do: getProperty},
		{pattern: "PUT " + all + "/{property}", do: setProperty},
		{pattern: "DELETE " + all + "/{property}", do: deleteProperty},
	}
}

// What a property may be. https://developer.atlassian.com/cloud/jira/platform/jira-entity-properties/
const (
	maxPropertyKey   = 255
	maxPropertyValue = 32768
)

func checkProperty(key string, value json.RawMessage) error {
	switch {
	case key == "" || len(key) > maxPropertyKey:
		return refuse(http.StatusBadRequest, "The property key must have 1 to %d characters.", maxPropertyKey)
	case len(value) > maxPropertyValue:
		return refuse(http.StatusBadRequest, "The property value cannot be longer than %d characters.", maxPropertyValue)
	case !json.Valid(value):
		return refuse(http.StatusBadRequest, "The value has to be a valid, non-empty JSON value.")
	}
	return nil
}

// listProperties is https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-properties/#api-rest-api-3-issue-issueidorkey-properties-get
func listProperties(r *request) (answer, error) {
	i, err := r.found()
	if err != nil {
		return answer{}, err
	}
	keys := []any{}
	for _, key := range i.propertyKeys() {
		keys = append(keys, map[string]any{"key": key, "self": r.at("/issue/%d/properties/%s", i.id, key)})
	}
	return ok(map[string]any{"keys": keys}), nil
}

// getProperty is https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-properties/#api-rest-api-3-issue-issueidorkey-properties-propertykey-get
func getProperty(r *request) (answer, error) {
	i, err := r.found()
	if err != nil {
		return answer{}, err
	}
	key := r.PathValue("property")
	value, found := i.properties[key]
	if !found {
		return answer{}, refuse(http.StatusNotFound, "The property with the key '%s' does not exist.", key)
	}
	return ok(map[string]any{"key": key, "value": value}), nil
}

// setProperty is https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-properties/#api-rest-api-3-issue-issueidorkey-properties-propertykey-put
func setProperty(r *request) (answer, error) {
	i, err := r.found()
	if err != nil {
		return answer{}, err
	}
	key := r.PathValue("property")
	if err := checkProperty(key, r.body); err != nil {
		return answer{}, err
	}
	_, there := i.properties[key]
	i.properties[key] = r.body
	r.changed("issue_property_set", i.key(), map[string]string{"property": key})
	if there {
		return answer{status: http.StatusOK}, nil
	}
	return answer{status: http.StatusCreated}, nil
}

// deleteProperty is https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-properties/#api-rest-api-3-issue-issueidorkey-properties-propertykey-delete
func deleteProperty(r *request) (answer, error) {
	if _, err := getProperty(r); err != nil {
		return answer{}, err
	}
	i, err := r.found()
	if err != nil {
		return answer{}, err
	}
	key := r.PathValue("property")
	delete(i.properties, key)
	r.changed("issue_property_deleted", i.key(), map[string]string{"property": key})
	return answer{status: http.StatusNoContent}, nil
}
