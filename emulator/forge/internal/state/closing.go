package state

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// closingForm is a word that closes an issue, and the issue.
// https://docs.github.com/en/issues/tracking-your-work-with-issues/using-issues/linking-a-pull-request-to-an-issue
var closingForm = regexp.MustCompile(`(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ \t]+(?:(https?://[^\s/]+/)?([\w.-]+/[\w.-]+)(?:#|/issues/)|#|GH-)(\d+)\b`)

// closing is an issue that a text closes.
type closing struct {
	repo   string // lower-case full name
	number int
}

// closings finds the issues that a text closes, for a repository and the address of the site.
func closings(text, full, site string) []closing {
	var out []closing
	for _, m := range closingForm.FindAllStringSubmatch(text, -1) {
		n, err := strconv.Atoi(m[3])
		if err != nil || m[1] != "" && !strings.EqualFold(m[1], site+"/") {
			continue
		}
		c := closing{repo: key(full), number: n}
		if m[2] != "" {
			c.repo = key(m[2])
		}
		if !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// closeIssues closes the issues that texts name which reached the default branch of r.
func (s *State) closeIssues(who Identity, r *repo, texts ...string) {
	for _, c := range closings(strings.Join(texts, "\n"), r.fullName(), s.base.String()) {
		in := s.repos[c.repo]
		if in == nil || c.number < 1 || c.number > len(in.issues) || in != r && s.roleFor(who, in) < Write {
			continue
		}
		if i := in.issues[c.number-1]; i.pull == nil && i.state == stateOpen {
			closed := stateClosed
			i.updated = s.now()
			s.setIssueState(who, in, i, IssueEdit{State: &closed})
		}
	}
}
