package jira

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/understudy-dev/understudy/driver"
)

type tickets struct{ c *client }

// ParseKey splits an issue's key into that of its project and its number.
func ParseKey(key string) (project string, number int, err error) {
	project, digits, _ := strings.Cut(key, "-")
	number, err = strconv.Atoi(digits)
	if err != nil || number < 1 || project == "" || strconv.Itoa(number) != digits {
		return "", 0, fmt.Errorf("%q is no issue's key, such as APP-12", key)
	}
	return project, number, nil
}

func (t tickets) Open(ctx context.Context, in driver.Ticket) error {
	project, number, err := ParseKey(in.Key)
	if err != nil {
		return err
	}
	if t.c.o.Number != nil {
		if err := t.c.o.Number(project, number); err != nil {
			return fmt.Errorf("open issue %s: %w", in.Key, err)
		}
	}
	fields := map[string]any{
		"project": map[string]string{"key": project}, "issuetype": map[string]string{"name": "Task"}, "summary": in.Summary,
	}
	if len(in.Labels) > 0 {
		fields["labels"] = in.Labels
	}
	var made struct{ Key string }
	if err := t.c.do(ctx, http.MethodPost, "/rest/api/3/issue", map[string]any{"fields": fields}, &made); err != nil {
		return fmt.Errorf("open issue %s: %w", in.Key, err)
	}
	if made.Key != in.Key {
		return fmt.Errorf("open issue %s: the tracker made it %s: %w", in.Key, made.Key, driver.ErrConflict)
	}
	return nil
}

func (t tickets) Get(ctx context.Context, key string) (driver.Ticket, error) {
	var got struct {
		Key    string
		Fields struct {
			Summary string
			Labels  []string
		}
	}
	if err := t.c.do(ctx, http.MethodGet, issuePath(key, "?fields=summary,labels"), nil, &got); err != nil {
		return driver.Ticket{}, fmt.Errorf("read issue %s: %w", key, err)
	}
	return driver.Ticket{Key: got.Key, Summary: got.Fields.Summary, Labels: got.Fields.Labels}, nil
}

func (t tickets) Edit(ctx context.Context, key string, edit driver.TicketEdit) error {
	in := map[string]any{}
	if edit.Summary != "" {
		in["fields"] = map[string]any{"summary": edit.Summary}
	}
	var operations []map[string]string
	for _, l := range edit.AddLabels {
		operations = append(operations, map[string]string{"add": l})
	}
	for _, l := range edit.RemoveLabels {
		operations = append(operations, map[string]string{"remove": l})
	}
	if operations != nil {
		in["update"] = map[string]any{"labels": operations}
	}
	if err := t.c.do(ctx, http.MethodPut, issuePath(key, ""), in, nil); err != nil {
		return fmt.Errorf("edit issue %s: %w", key, err)
	}
	return nil
}

// Comment writes by version 2 of the API, which takes plain text.
func (t tickets) Comment(ctx context.Context, key, body string) error {
	path := "/rest/api/2/issue/" + url.PathEscape(key) + "/comment"
	if err := t.c.do(ctx, http.MethodPost, path, map[string]any{"body": body}, nil); err != nil {
		return fmt.Errorf("comment on issue %s: %w", key, err)
	}
	return nil
}

func issuePath(key, rest string) string { return "/rest/api/3/issue/" + url.PathEscape(key) + rest }
