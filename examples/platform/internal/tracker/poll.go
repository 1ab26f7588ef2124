package tracker

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/crew/internal/defect"
	"example.com/crew/internal/event"
)

// Options say what to poll.
type Options struct {
	Client  *Client
	Project string
	Repo    string // that the issues' work is done in
	// Tell is given each event in the order in which they happened, with an id that is the same whenever it is told. When it fails, the
	// issue is not marked, and the next poll tells of it again.
	Tell   func(id string, e event.Event) error
	Defect defect.Name
}

// Poll tells of what happened to a project's issues since the last poll, each thing once. How far an issue was polled is
// marked in the issue itself, after its events were told: when the poller is killed between the two, the next poll tells
// the same events again with the same ids, and nothing is ever lost. Who acts on them does so once for each id.
func Poll(ctx context.Context, o Options) error {
	roles, err := o.Client.roles(ctx, o.Project)
	if err != nil {
		return fmt.Errorf("read the roles of project %s: %w", o.Project, err)
	}
	issues, err := o.Client.issues(ctx, o.Project)
	if err != nil {
		return fmt.Errorf("read the issues of project %s: %w", o.Project, err)
	}
	for _, i := range issues {
		if err := o.poll(ctx, i, roles); err != nil {
			return fmt.Errorf("poll issue %s: %w", i.Key, err)
		}
	}
	return nil
}

func (o Options) poll(ctx context.Context, i issue, roles map[string]string) error {
	last, seen, err := o.Client.marked(ctx, i.Key)
	if err != nil {
		return err
	}
	changes, err := o.Client.changelog(ctx, i.Key)
	if err != nil {
		return err
	}
	comments, err := o.Client.comments(ctx, i.Key)
	if err != nil {
		return err
	}
	news, now := gather(i, last, seen, changes, comments, o.Defect)
	for _, n := range news {
		e, err := o.event(i, n, roles)
		if err != nil {
			return err
		}
		if err := e.Validate(); err != nil {
			return fmt.Errorf("%s: %w", n.id, err)
		}
		if err := o.Tell(n.id, e); err != nil {
			return err
		}
	}
	if o.Defect == defect.TrackerDispatchedTwice || seen && now == last {
		return nil
	}
	return o.Client.setMark(ctx, i.Key, now)
}

// happening is one thing that happened to an issue.
type happening struct {
	id         string
	at         time.Time // the zero time is the beginning; ids of comments and of changes are counted apart
	actor      account
	transition event.Transition
	raw        string
}

// gather is what happened to an issue after the mark, and the mark afterwards. Of an issue that was never polled it is that it was opened, and that it got
// the labels that it began with, too.
func gather(i issue, last mark, seen bool, changes []history, comments []comment, d defect.Name) (news []happening, now mark) {
	now = last
	labeled := func(id string, at time.Time, who account, name, action string) {
		news = append(news, happening{
			id: fmt.Sprintf("%s/%s/label/%s/%s", i.Key, id, action, name), at: at, actor: who, raw: "jira:issue_updated",
			transition: event.Transition{Kind: event.LabelChanged, Label: &event.Label{Name: name, Action: action}},
		})
	}
	if !seen {
		news = append(news, happening{id: i.Key + "/opened", actor: i.Fields.Creator, raw: "jira:issue_created", transition: event.Transition{Kind: event.Opened}})
		for _, name := range began(i, changes) {
			labeled("opened", time.Time{}, i.Fields.Creator, name, event.Added)
		}
	}
	for _, h := range changes {
		if h.ID <= last.Changelog {
			continue
		}
		now.Changelog = max(now.Changelog, h.ID)
		for _, item := range h.Items {
			if item.Field != "labels" {
				continue
			}
			from, to := strings.Fields(item.From), strings.Fields(item.To)
			id := "changelog/" + strconv.FormatInt(int64(h.ID), 10)
			for _, name := range to {
				if !slices.Contains(from, name) {
					labeled(id, h.Created.Time, h.Author, name, event.Added)
				}
			}
			for _, name := range from {
				if !slices.Contains(to, name) {
					labeled(id, h.Created.Time, h.Author, name, event.Removed)
				}
			}
		}
	}
	for _, c := range comments {
		if c.ID <= last.Comment {
			continue
		}
		if d != defect.TrackerCommentAgain {
			now.Comment = max(now.Comment, c.ID)
		}
		if d == defect.TrackerCommentLost {
			continue
		}
		id := strconv.FormatInt(int64(c.ID), 10)
		news = append(news, happening{
			id: i.Key + "/comment/" + id, at: c.Created.Time, actor: c.Author, raw: "comment_created",
			transition: event.Transition{Kind: event.CommentAdded, Comment: event.NewComment(id, c.Body)},
		})
	}
	slices.SortStableFunc(news, func(a, b happening) int { return a.at.Compare(b.at) })
	return news, now
}

// began are the labels that an issue was opened with: those before the first change of them.
func began(i issue, changes []history) []string {
	for _, h := range changes {
		for _, item := range h.Items {
			if item.Field == "labels" {
				return strings.Fields(item.From)
			}
		}
	}
	return i.Fields.Labels
}

func (o Options) event(i issue, n happening, roles map[string]string) (event.Event, error) {
	id, err := strconv.ParseInt(i.ID, 10, 64)
	if err != nil {
		return event.Event{}, fmt.Errorf("its id %q is no number", i.ID)
	}
	role, kind := roles[n.actor.ID], event.Human
	if role == "" {
		role = event.NoRole
	}
	if o.Defect == defect.TrackerRoleIgnored {
		role = "write"
	}
	if n.actor.Type == "app" {
		kind = event.Bot
	}
	return event.Event{
		Repo:       o.Repo,
		Entity:     event.Entity{Kind: event.WorkItem, ID: id, Key: i.Key, URL: o.Client.base + "/browse/" + i.Key},
		Transition: n.transition,
		Actor:      event.Actor{ID: n.actor.ID, Kind: kind, Role: role, IsEntityAuthor: n.actor.ID == i.Fields.Creator.ID},
		State:      event.State{Labels: append([]string{}, i.Fields.Labels...)},
		Source:     event.Source{System: event.Jira, RawType: n.raw},
	}, nil
}
