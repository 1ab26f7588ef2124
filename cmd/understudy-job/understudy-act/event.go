package main

import (
	"regexp"
	"strings"
)

// github is the context's name, with the names behind it.
var github = regexp.MustCompile(`(?i)github\b((?:\s*\.\s*[a-z_][a-z0-9_-]*)*)`)

// eventFor returns what a job can see of its event through expressions: the parts that its text names, and
// those that act reads itself. act reads the event again for each expression that it evaluates, which is a
// third of a short job's processor time when the whole event is there. Where the text does not say which parts
// it takes, it gets all.
func eventFor(text []byte, event map[string]any) map[string]any {
	seen := map[string]any{}
	for _, path := range [...]string{"pull_request.base.ref", "pull_request.head.ref", "inputs"} {
		take(seen, event, strings.Split(path, "."))
	}
	for _, m := range github.FindAllSubmatch(text, -1) {
		var path []string
		for name := range strings.SplitSeq(string(m[1]), ".") {
			path = append(path, strings.TrimSpace(name))
		}
		switch {
		case len(path) == 1 || len(path) == 2 && strings.EqualFold(path[1], "event"):
			return event
		case strings.EqualFold(path[1], "event"):
			take(seen, event, path[2:])
		}
	}
	return seen
}

// take copies what stands at the path, where names are as in expressions: without case.
func take(into, from map[string]any, path []string) {
	for name, value := range from {
		if !strings.EqualFold(name, path[0]) {
			continue
		}
		below, isMap := value.(map[string]any)
		if len(path) == 1 || !isMap {
			into[name] = value
			continue
		}
		had, ok := into[name].(map[string]any)
		if !ok {
			had = map[string]any{}
			into[name] = had
		}
		take(had, below, path[1:])
	}
}
