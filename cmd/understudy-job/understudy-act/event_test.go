package main

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEventFor(t *testing.T) {
	const event = `{"action": "labeled", "Number": 7, "issue": {"number": 1, "labels": [{"name": "a", "id": 2}], "user": {"login": "x", "id": 3}},
		"inputs": {"who": "me"}, "pull_request": {"base": {"ref": "main", "sha": "b"}, "head": {"ref": "topic"}, "id": 4}}`
	const always = `"inputs": {"who": "me"}, "pull_request": {"base": {"ref": "main"}, "head": {"ref": "topic"}}`
	for _, c := range []struct{ text, want string }{
		{`run: crew run`, `{` + always + `}`},
		{`run: echo ${{ github.token }} $GITHUB_TOKEN ${{ secrets.GITHUB_TOKEN }}`, `{` + always + `}`},
		{`if: github.event.action == 'labeled'`, `{"action": "labeled", ` + always + `}`},
		{`if: GitHub . Event . number == 7`, `{"Number": 7, ` + always + `}`},
		{`name: "\ngithub.event.issue.number"`, `{"issue": {"number": 1}, ` + always + `}`},
		{`github.event.issue.user.login github.event.issue.number github.event.none.of`, `{"issue": {"number": 1, "user": {"login": "x"}}, ` + always + `}`},
		{`github.event.issue.user.login github.event.issue`, `{"issue": {"number": 1, "labels": [{"name": "a", "id": 2}], "user": {"login": "x", "id": 3}}, ` + always + `}`},
		{`contains(github.event.issue.labels.*.name, 'a')`, `{"issue": {"labels": [{"name": "a", "id": 2}]}, ` + always + `}`},
		{`github.event.issue['user'].login`, `{"issue": {"number": 1, "labels": [{"name": "a", "id": 2}], "user": {"login": "x", "id": 3}}, ` + always + `}`},
		{`github.event.pull_request.base.sha`, `{"inputs": {"who": "me"}, "pull_request": {"base": {"ref": "main", "sha": "b"}, "head": {"ref": "topic"}}}`},
		{`toJSON(github.event)`, event},
		{`github.event['issue']`, event},
		{`github['event'].issue`, event},
		{`toJSON( GITHUB )`, event},
		{`github.*`, event},
	} {
		t.Run(c.text, func(t *testing.T) {
			if diff := cmp.Diff(decoded(t, c.want), eventFor([]byte(c.text), decoded(t, event))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func decoded(t *testing.T, text string) (v map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}
