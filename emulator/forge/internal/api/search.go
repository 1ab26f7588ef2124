package api

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func (a *API) searchRoutes() []route {
	return []route{
		{method: http.MethodGet, pattern: "/search/issues", query: []string{"q", "sort", "order", "per_page", "page"}, do: a.searchIssues},
		{method: http.MethodGet, pattern: "/search/repositories", query: []string{"q", "sort", "order", "per_page", "page"}, do: a.searchRepos},
	}
}

func (a *API) searchIssues(c *call) (answer, error) {
	q := state.IssueSearch{}
	sort, err := c.oneOf("sort", "", "created", "updated", "comments", "reactions")
	if err != nil {
		return answer{}, err
	}
	order, err := c.oneOf("order", "desc", "asc")
	if err != nil {
		return answer{}, err
	}
	q.Sort, q.Ascending = sort, order == "asc"
	text, err := c.searched()
	if err != nil {
		return answer{}, err
	}
	if q.Terms, err = searchTerms(text, issueQualifiers()); err != nil {
		return answer{}, err
	}
	all, err := a.State.SearchIssues(c.who, q)
	if err != nil {
		return answer{}, err
	}
	return ok(wire.Found[wire.FoundIssue]{Total: len(all), Items: page(c, a.Base, all), Type: "lexical"})
}

// searched reads what is looked for.
func (c *call) searched() (string, error) {
	text := c.URL.Query().Get("q")
	if strings.TrimSpace(text) == "" {
		return "", wire.Invalid(wire.FieldError{Resource: "Search", Field: "q", Code: "missing"})
	}
	return text, nil
}

// searchTerms reads words, "several together" and qualifiers. What is not understood is refused by name:
// to leave it out would find what nobody asked for.
func searchTerms(text string, known qualifiers) ([]state.Term, error) {
	var out []state.Term
	for _, word := range searchWords(text) {
		t := state.Term{Value: word}
		if rest, negated := strings.CutPrefix(word, "-"); negated && rest != "" {
			t.Not, t.Value = true, rest
		}
		if slices.Contains([]string{"AND", "OR", "NOT"}, t.Value) || strings.HasPrefix(t.Value, "(") {
			return nil, wire.Unsupported("operator " + t.Value + " of a search")
		}
		name, value, qualified := strings.Cut(t.Value, ":")
		if qualified && !strings.HasPrefix(t.Value, `"`) {
			t.Name, t.Value = strings.ToLower(name), strings.Trim(value, `"`)
			var err error
			if t.When, err = known.check(t); err != nil {
				return nil, err
			}
		}
		t.Value = strings.Trim(t.Value, `"`)
		out = append(out, t)
	}
	return out, nil
}

// searchWords cuts a text at spaces that stand in no quotation marks.
func searchWords(text string) []string {
	quoted := false
	return strings.FieldsFunc(text, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return !quoted && (r == ' ' || r == '\t' || r == '\n')
	})
}

// qualifiers are those of a search for one kind of thing.
type qualifiers struct {
	of     string
	values map[string][]string // a list has all values that one can have
	times  []string            // whose values are periods
}

func issueQualifiers() qualifiers {
	return qualifiers{of: "issues", times: []string{"created", "updated", "closed"}, values: map[string][]string{
		"repo": nil, "org": nil, "user": nil, "label": nil, "author": nil, "assignee": nil, "mentions": nil, "milestone": nil, "head": nil, "base": nil,
		"is":    {"issue", "pr", "pull-request", "open", "closed", "merged", "unmerged", "draft", "locked", "unlocked", "public", "private"},
		"type":  {"issue", "pr"},
		"state": {"open", "closed"},
		"no":    {"label", "assignee", "milestone"},
		"in":    {"title", "body", "comments"},

		"archived": {"true", "false"},
	}}
}

// check returns the period that a term is about, or says what cannot be understood of it.
func (k qualifiers) check(t state.Term) (state.Period, error) {
	if slices.Contains(k.times, t.Name) {
		return period(t.Name, t.Value)
	}
	values, known := k.values[t.Name]
	if !known || t.Name == "in" && t.Not {
		return state.Period{}, wire.Unsupported("qualifier " + t.Name + " of a search for " + k.of)
	}
	each := []string{t.Value}
	if t.Name == "in" {
		each = strings.Split(t.Value, ",")
	}
	for _, v := range each {
		if values != nil && !slices.Contains(values, v) || t.Value == "" {
			return state.Period{}, wire.Unsupported("qualifier " + t.Name + ":" + t.Value + " of a search for " + k.of)
		}
	}
	return state.Period{}, nil
}

// period reads >DATE, >=DATE, <DATE, <=DATE, DATE..DATE with * for no bound, or DATE, which is that day.
func period(name, text string) (p state.Period, err error) {
	moment := func(s string) (from, to time.Time) {
		if s == "*" || err != nil {
			return from, to
		}
		if from, err = time.Parse(time.DateOnly, s); err == nil {
			return from, from.AddDate(0, 0, 1)
		}
		from, err = time.Parse(time.RFC3339, s)
		return from, from.Add(time.Second)
	}
	from, to, between := strings.Cut(text, "..")
	switch {
	case between:
		p.From, _ = moment(from)
		_, p.To = moment(to)
	case strings.HasPrefix(text, ">="):
		p.From, _ = moment(text[2:])
	case strings.HasPrefix(text, "<="):
		_, p.To = moment(text[2:])
	case strings.HasPrefix(text, ">"):
		_, p.From = moment(text[1:])
	case strings.HasPrefix(text, "<"):
		p.To, _ = moment(text[1:])
	default:
		p.From, p.To = moment(text)
	}
	if err != nil {
		return p, wire.Invalid(wire.FieldError{Resource: "Search", Field: "q", Code: "invalid", Message: text + " is no date of " + name + "."})
	}
	return p, nil
}
