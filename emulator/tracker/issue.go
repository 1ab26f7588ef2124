package tracker

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// issueRoutes are those of https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issues/
func issueRoutes() []route {
	const one = "/rest/api/{version}/issue/{issue}"
	return []route{
		{pattern: "POST /rest/api/{version}/issue", do: createIssue, query: []string{"updateHistory"}},
		{pattern: "GET " + one, do: getIssue, query: []string{"fields", "expand", "updateHistory"}},
		{pattern: "PUT " + one, do: editIssue, query: []string{"notifyUsers"}},
		{pattern: "GET " + one + "/changelog", do: listChangelog, query: []string{"startAt", "maxResults"}},
	}
}

// wireFields are the fields that can be set.
type wireFields struct {
	Project *struct {
		Key string `json:"key"`
		ID  string `json:"id"`
	} `json:"project"`
	IssueType *struct {
		Name string `json:"name"`
		ID   string `json:"id"`
	} `json:"issuetype"`
	Summary     *string         `json:"summary"`
	Description json.RawMessage `json:"description"`
	Labels      *[]string       `json:"labels"`
}

func (r *request) found() (*issue, error) {
	i := r.issue(r.who, r.PathValue("issue"))
	if i == nil {
		return nil, refuse(http.StatusNotFound, "Issue does not exist or you do not have permission to see it.")
	}
	return i, nil
}

// fields reads the body's fields by name; one that cannot be set is an error that names it, as at Jira.
func (r *request) fields(raw map[string]json.RawMessage) (f wireFields, err error) {
	bad := map[string]string{}
	for name := range raw {
		if !slices.Contains([]string{"project", "issuetype", "summary", "description", "labels"}, name) {
			bad[name] = "Field '" + name + "' cannot be set. It is not on the appropriate screen, or unknown."
		}
	}
	if len(bad) > 0 {
		return f, &failure{http.StatusBadRequest, []string{}, bad}
	}
	data, _ := json.Marshal(raw) // it was read from JSON
	if err := json.Unmarshal(data, &f); err != nil {
		return f, refuse(http.StatusBadRequest, "Invalid request payload. Refer to the REST API documentation and try again. (%v)", err)
	}
	if f.Labels != nil {
		if err := checkLabels(*f.Labels); err != nil {
			return f, err
		}
	}
	if f.Summary != nil {
		if err := checkSummary(*f.Summary); err != nil {
			return f, err
		}
	}
	f.Description, err = r.document("description", f.Description)
	return f, err
}

func checkSummary(s string) error {
	switch {
	case strings.TrimSpace(s) == "":
		return refuseField("summary", "You must specify a summary of the issue.")
	case len([]rune(s)) > 255:
		return refuseField("summary", "Summary must be less than 255 characters.")
	case strings.ContainsAny(s, "\r\n"):
		return refuseField("summary", "The summary is invalid because it contains newline characters.")
	}
	return nil
}

func checkLabels(labels []string) error {
	for _, l := range labels {
		switch {
		case strings.ContainsAny(l, " \t\r\n"):
			return refuseField("labels", "The label '%s' contains spaces which is invalid.", l)
		case l == "" || len([]rune(l)) > 255:
			return refuseField("labels", "A label has 1 to 255 characters.")
		}
	}
	return nil
}

// document turns what a field was given, in the form of the request's version, into a document; nil is none.
func (r *request) document(field string, raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	if r.documents() {
		if _, ok := parseDocument(raw); !ok {
			return nil, refuseField(field, "Operation value must be an Atlassian Document (see the Atlassian Document Format)")
		}
		return raw, nil
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return nil, refuseField(field, "Operation value must be a string")
	}
	if text == "" {
		return nil, nil
	}
	return documentOf(text), nil
}

// createIssue is https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issues/#api-rest-api-3-issue-post
func createIssue(r *request) (answer, error) {
	var in struct {
		Fields     map[string]json.RawMessage `json:"fields"`
		Properties []struct {
			Key   string          `json:"key"`
			Value json.RawMessage `json:"value"`
		} `json:"properties"`
	}
	if err := r.decode(&in); err != nil {
		return answer{}, err
	}
	f, err := r.fields(in.Fields)
	if err != nil {
		return answer{}, err
	}
	var p *project
	if f.Project != nil {
		p = r.project(f.Project.Key + f.Project.ID)
	}
	bad := map[string]string{}
	if p == nil || !r.sees(r.who, p) {
		bad["project"] = "valid project is required"
	}
	if f.IssueType == nil || !slices.Contains(kinds(), f.IssueType.Name) {
		bad["issuetype"] = "Specify a valid issue type"
	}
	if f.Summary == nil {
		bad["summary"] = "You must specify a summary of the issue."
	}
	if len(bad) > 0 {
		return answer{}, &failure{http.StatusBadRequest, []string{}, bad}
	}
	i := &issue{id: r.next(), project: p, number: p.last + 1, summary: *f.Summary, kind: f.IssueType.Name, description: f.Description,
		creator: r.who.ID, created: r.now(), properties: map[string]json.RawMessage{}}
	i.updated = i.created
	if f.Labels != nil {
		i.labels = sorted(*f.Labels)
	}
	for _, prop := range in.Properties {
		if err := checkProperty(prop.Key, prop.Value); err != nil {
			return answer{}, err
		}
		i.properties[prop.Key] = prop.Value
	}
	p.last = i.number
	r.issues = append(r.issues, i)
	r.changed("issue_created", i.key(), map[string]string{"labels": strings.Join(i.labels, " ")})
	return answer{http.StatusCreated, map[string]any{"id": strconv.FormatInt(i.id, 10), "key": i.key(), "self": r.at("/issue/%d", i.id)}}, nil
}

// kinds are the issue types that every project has.
func kinds() []string { return []string{"Task", "Bug", "Story", "Epic"} }

func sorted(labels []string) []string {
	out := slices.Clone(labels)
	slices.Sort(out)
	return slices.Compact(out)
}

// getIssue is https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issues/#api-rest-api-3-issue-issueidorkey-get
func getIssue(r *request) (answer, error) {
	i, err := r.found()
	if err != nil {
		return answer{}, err
	}
	q := r.URL.Query()
	view, err := r.view(q["fields"], q["expand"], "*all")
	if err != nil {
		return answer{}, err
	}
	return ok(view(i)), nil
}

// editIssue is https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issues/#api-rest-api-3-issue-issueidorkey-put
func editIssue(r *request) (answer, error) {
	i, err := r.found()
	if err != nil {
		return answer{}, err
	}
	var in struct {
		Fields map[string]json.RawMessage              `json:"fields"`
		Update map[string][]map[string]json.RawMessage `json:"update"`
	}
	if err := r.decode(&in); err != nil {
		return answer{}, err
	}
	f, err := r.fields(in.Fields)
	if err != nil {
		return answer{}, err
	}
	if f.Project != nil || f.IssueType != nil {
		return answer{}, unsupported("moving an issue to another project or type")
	}
	labels, err := updateLabels(i.labels, f, in.Update)
	if err != nil {
		return answer{}, err
	}
	var items []changed
	if f.Summary != nil && *f.Summary != i.summary {
		items = append(items, changed{"summary", i.summary, *f.Summary})
		i.summary = *f.Summary
	}
	if _, given := in.Fields["description"]; given && string(f.Description) != string(i.description) {
		items = append(items, changed{"description", textOf(i.description), textOf(f.Description)})
		i.description = f.Description
	}
	if !slices.Equal(labels, i.labels) {
		items = append(items, changed{"labels", strings.Join(i.labels, " "), strings.Join(labels, " ")})
		i.labels = labels
	}
	if len(items) > 0 {
		c := change{id: r.next(), author: r.who.ID, at: r.now(), items: items}
		i.history, i.updated = append(i.history, c), c.at
		detail := map[string]string{"changelog": strconv.FormatInt(c.id, 10)}
		for _, it := range items {
			if it.field == "labels" {
				detail["from"], detail["to"] = it.from, it.to
			}
		}
		r.changed("issue_updated", i.key(), detail)
	}
	return answer{status: http.StatusNoContent}, nil
}

// updateLabels is what becomes of labels: set as a whole by fields, or by the operations of update in their order.
func updateLabels(labels []string, f wireFields, update map[string][]map[string]json.RawMessage) ([]string, error) {
	for field := range update {
		if field != "labels" {
			return nil, unsupported("update of the field " + field)
		}
	}
	operations := update["labels"]
	if f.Labels != nil {
		if len(operations) > 0 {
			return nil, refuseField("labels", "Field 'labels' cannot appear in both 'fields' and 'update'")
		}
		return sorted(*f.Labels), nil
	}
	out := slices.Clone(labels)
	for _, operation := range operations {
		for verb, value := range operation {
			var one string
			var all []string
			if verb == "set" && json.Unmarshal(value, &all) == nil {
				out = all
			} else if json.Unmarshal(value, &one) != nil {
				return nil, refuseField("labels", "string expected at index 0")
			}
			switch verb {
			case "add":
				out = append(out, one)
			case "remove":
				out = slices.DeleteFunc(out, func(l string) bool { return l == one })
			case "set":
			default:
				return nil, refuseField("labels", "Field does not support update '%s'", verb)
			}
		}
	}
	if err := checkLabels(out); err != nil {
		return nil, err
	}
	return sorted(out), nil
}
