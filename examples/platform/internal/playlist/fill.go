package playlist

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// placeholders are what recorded results leave open, as nobody knew it when they were recorded: the
// issue's or pull request's number, and the commit and the branch that is the pull request's head.
func placeholders() []string { return []string{"number", "head_sha", "head_branch"} }

var placeholder = regexp.MustCompile(`\{\{([^{}]*)\}\}`)

// fill replaces the placeholders. Without any values it only looks whether they are known.
func fill(text string, now map[string]string) (string, error) {
	var err error
	out := placeholder.ReplaceAllStringFunc(text, func(m string) string {
		name := strings.TrimSpace(m[2 : len(m)-2])
		switch {
		case !slices.Contains(placeholders(), name):
			err = fmt.Errorf("placeholder %q is unknown; there are %s", m, strings.Join(placeholders(), ", "))
		case now != nil && now[name] == "":
			err = fmt.Errorf("the event that started this run says nothing for %s", m)
		}
		return now[name]
	})
	return out, err
}

// known is what the agent is told of its event.
func known(getenv func(string) string) (map[string]string, error) {
	now := map[string]string{"number": getenv("CREW_NUMBER"), "head_sha": getenv("CREW_HEAD_SHA")}
	name := getenv("CREW_EVENT_PATH")
	if name == "" {
		return now, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var event struct {
		Pull struct {
			Head struct {
				Ref string `json:"ref"`
			} `json:"head"`
		} `json:"pull_request"`
	}
	if err := json.Unmarshal(data, &event); err != nil {
		return nil, fmt.Errorf("read the event: %w", err)
	}
	now["head_branch"] = event.Pull.Head.Ref
	return now, nil
}
