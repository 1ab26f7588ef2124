package tracker

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// searchRoutes are those of https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search/
func searchRoutes() []route {
	query := []string{"jql", "maxResults", "fields", "expand"}
	return []route{
		{pattern: "GET /rest/api/{version}/search/jql", do: searchByToken, query: append([]string{"nextPageToken"}, query...)},
		{pattern: "POST /rest/api/{version}/search/jql", do: searchByToken},
		{pattern: "GET /rest/api/{version}/search", do: searchByOffset, query: append([]string{"startAt"}, query...)},
		{pattern: "POST /rest/api/{version}/search", do: searchByOffset},
	}
}

// asked is a search, whichever way it came.
type asked struct {
	JQL           string   `json:"jql"`
	MaxResults    *int     `json:"maxResults"`
	StartAt       int      `json:"startAt"`
	NextPageToken string   `json:"nextPageToken"`
	Fields        []string `json:"fields"`
	Expand        any      `json:"expand"` // a text with commas, or at the older resource a list
}

func (r *request) asked() (a asked, expand []string, err error) {
	q := r.URL.Query()
	if r.Method == http.MethodPost {
		if err := r.decode(&a); err != nil {
			return a, nil, err
		}
		switch e := a.Expand.(type) {
		case nil:
		case string:
			expand = []string{e}
		case []any:
			for _, one := range e {
				text, _ := one.(string)
				expand = append(expand, text)
			}
		default:
			return a, nil, refuse(http.StatusBadRequest, "Invalid request payload. Refer to the REST API documentation and try again.")
		}
		return a, expand, nil
	}
	if err := r.numbers(); err != nil {
		return a, nil, err
	}
	a = asked{JQL: q.Get("jql"), NextPageToken: q.Get("nextPageToken"), Fields: q["fields"], StartAt: number(q.Get("startAt"), 0, 1<<30)}
	if q.Get("maxResults") != "" {
		n := number(q.Get("maxResults"), 50, 1<<30)
		a.MaxResults = &n
	}
	return a, q["expand"], nil
}

// results are the issues that a search finds among those that its account may see, in its order.
func (r *request) results(jql string, bounded bool) ([]*issue, error) {
	q, err := parseJQL(jql, r.now)
	if err != nil {
		return nil, err
	}
	if bounded && len(q.clauses) == 0 {
		return nil, refuse(http.StatusBadRequest, "Unbounded JQL queries are not allowed here. Please add a search restriction to your query.")
	}
	var out []*issue
	for _, i := range r.issues {
		if r.sees(r.who, i.project) && q.holds(i) {
			out = append(out, i)
		}
	}
	slices.Reverse(out) // newest first is what Jira does when nothing says otherwise
	slices.SortStableFunc(out, q.compare)
	return out, nil
}

// searchByToken is https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search/#api-rest-api-3-search-jql-get
// and -post: pages follow each other by a token, nobody counts, and by default an issue is its id only.
func searchByToken(r *request) (answer, error) {
	a, expand, err := r.asked()
	if err != nil {
		return answer{}, err
	}
	if a.StartAt != 0 {
		return answer{}, refuse(http.StatusBadRequest, "Invalid request payload. Refer to the REST API documentation and try again.")
	}
	count := 50
	if a.MaxResults != nil {
		if count = *a.MaxResults; count < 1 || count > 5000 {
			return answer{}, refuse(http.StatusBadRequest, "The provided maxResults must be between 1 and 5000.")
		}
	}
	start, known := openPageToken(a.NextPageToken, a.JQL)
	if !known {
		return answer{}, refuse(http.StatusBadRequest, "The provided next page token is invalid or expired.")
	}
	found, err := r.results(a.JQL, true)
	if err != nil {
		return answer{}, err
	}
	view, err := r.view(a.Fields, expand, "id")
	if err != nil {
		return answer{}, err
	}
	views := []any{}
	onlyID := len(split(a.Fields)) == 0 && len(split(expand)) == 0
	for _, i := range page(found, start, count) {
		if onlyID {
			views = append(views, map[string]any{"id": strconv.FormatInt(i.id, 10)})
			continue
		}
		views = append(views, view(i))
	}
	out := map[string]any{"issues": views, "isLast": start+len(views) >= len(found)}
	if start+len(views) < len(found) {
		out["nextPageToken"] = pageToken(start+len(views), a.JQL)
	}
	return ok(out), nil
}

// searchByOffset is https://developer.atlassian.com/cloud/jira/platform/rest/v2/api-group-issue-search/#api-rest-api-2-search-get,
// which Atlassian has deprecated in favour of the other.
func searchByOffset(r *request) (answer, error) {
	a, expand, err := r.asked()
	if err != nil {
		return answer{}, err
	}
	if a.NextPageToken != "" || a.StartAt < 0 {
		return answer{}, refuse(http.StatusBadRequest, "Invalid request payload. Refer to the REST API documentation and try again.")
	}
	count := 50
	if a.MaxResults != nil {
		if count = *a.MaxResults; count < 0 {
			return answer{}, refuse(http.StatusBadRequest, "The maxResults parameter must be a number that is 0 or more.")
		}
		count = min(count, 100)
	}
	found, err := r.results(a.JQL, false)
	if err != nil {
		return answer{}, err
	}
	view, err := r.view(a.Fields, expand, navigable)
	if err != nil {
		return answer{}, err
	}
	views := []any{}
	for _, i := range page(found, a.StartAt, count) {
		views = append(views, view(i))
	}
	return ok(map[string]any{"startAt": a.StartAt, "maxResults": count, "total": len(found), "issues": views}), nil
}

// pageToken names the place where the next page of a query begins. It is good for that query only.
func pageToken(start int, jql string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(start) + " " + digest(jql)))
}

func digest(jql string) string {
	sum := sha256.Sum256([]byte(jql))
	return hex.EncodeToString(sum[:8])
}

func openPageToken(token, jql string) (start int, known bool) {
	if token == "" {
		return 0, true
	}
	data, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return 0, false
	}
	place, of, _ := strings.Cut(string(data), " ")
	start, err = strconv.Atoi(place)
	return start, err == nil && start >= 0 && of == digest(jql)
}
