package api

import (
	"github.com/understudy-dev/understudy/emulator/forge/internal/state"
	"github.com/understudy-dev/understudy/emulator/forge/internal/wire"
)

func repoQualifiers() qualifiers {
	return qualifiers{of: "repositories", times: []string{"created", "pushed"}, values: map[string][]string{
		"repo": nil, "org": nil, "user": nil, "topic": nil, "language": nil,
		"archived": {"true", "false"},
		"fork":     {"true", "only"},
		"is":       {"public", "private"},
		"in":       {"name", "description", "topics"},
	}}
}

func (a *API) searchRepos(c *call) (answer, error) {
	sort, err := c.oneOf("sort", "", "stars", "forks", "updated")
	if err != nil {
		return answer{}, err
	}
	order, err := c.oneOf("order", "desc", "asc")
	if err != nil {
		return answer{}, err
	}
	text, err := c.searched()
	if err != nil {
		return answer{}, err
	}
	q := state.RepoSearch{Sort: sort, Ascending: order == "asc", Language: a.mainLanguage}
	if q.Terms, err = searchTerms(text, repoQualifiers()); err != nil {
		return answer{}, err
	}
	all, err := a.State.SearchRepos(c.who, q)
	if err != nil {
		return answer{}, err
	}
	items := page(c, a.Base, all)
	for i := range items {
		a.speak(c, &items[i].Repository)
	}
	return ok(wire.Found[wire.FoundRepo]{Total: len(all), Items: items})
}

// instead says what to do where an operation that is often asked for is not served.
func instead(path string) string {
	if path == "/search/code" {
		return ": there is no index of what files say; clone the repository, or read it with GET /repos/OWNER/REPO/git/trees/REF?recursive=1 and /contents/PATH"
	}
	return ""
}
