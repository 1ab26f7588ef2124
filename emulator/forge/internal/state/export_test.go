package state

import "fmt"

// Closings lists the issues that a text closes, as owner/name#number.
func Closings(text, full, site string) []string {
	var out []string
	for _, c := range closings(text, full, site) {
		out = append(out, fmt.Sprintf("%s#%d", c.repo, c.number))
	}
	return out
}
