// Package ticket lets scenarios open and change the issues of an issue tracker, run the platform's poller, and look
// at what it dispatches.
package ticket

import (
	"context"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
)

const (
	quoted = `"([^"]+)"`
	key    = `"([A-Z][A-Z0-9_]+-[1-9][0-9]*)"`
)

// Pack holds the steps.
var Pack = suite.Pack{Name: "ticket", Lint: lint, Steps: []suite.Step{
	{
		Pattern: `a mock Jira server`, Do: server,
		Doc:     "Starts the issue tracker. The other steps about Jira start it too if nobody has.",
		Example: `a mock Jira server`,
	},
	{
		Pattern: `a Jira issue ` + key + ` with labels "([^"]*)"`, Do: open,
		Doc:     "Opens an issue with that key and those labels, divided by commas; its project is made with the first one. No labels are \"\".",
		Example: `a Jira issue "APP-12" with labels "bug,urgent"`,
	},
	{
		Pattern: `a comment "([^"]*)" is added to Jira issue ` + key, Do: comment,
		Doc:     "Comments as the account that administers the tracker.",
		Example: `a comment "please look" is added to Jira issue "APP-12"`,
	},
	{
		Pattern: `a comment "([^"]*)" from Jira user ` + quoted + ` is added to Jira issue ` + key, Do: commentFrom,
		Doc:     "Comments as that account, which is made if there is none.",
		Example: `a comment "/crew-triage" from Jira user "dana" is added to Jira issue "APP-12"`,
	},
	{
		Pattern: `the label "([^"\s]+)" is added to Jira issue ` + key, Do: label,
		Doc:     "Adds the label as the account that administers the tracker.",
		Example: `the label "ready-for-triage" is added to Jira issue "APP-12"`,
	},
	{
		Pattern: `the ` + quoted + ` Jira project role is backed by group ` + quoted, Do: back,
		Doc:     "Gives the role to all members of the group, in each project that the scenario has and will have.",
		Example: `the "Developers" Jira project role is backed by group "app-devs"`,
	},
	{
		Pattern: `Jira user ` + quoted + ` belongs to group ` + quoted, Do: join,
		Doc:     "Makes the account, if there is none, a member of the group.",
		Example: `Jira user "dana" belongs to group "app-devs"`,
	},
	{
		Pattern: `the Jira poller runs`, Do: poll,
		Doc: "Runs the platform's poller (poller of the platform file) once for each project of the scenario, and keeps what it prints. " +
			"A line is a record: a JSON object with stage, issue, actor and role; a line that is none is an error.",
		Example: `the Jira poller runs`,
	},
	{
		Pattern: `the dispatch output contains a ` + quoted + ` stage for issue ` + key, Do: dispatched,
		Doc:     "Looks for a record of the last time that the poller ran. Two records of one stage and issue fail it: each event counts once.",
		Example: `the dispatch output contains a "triage" stage for issue "APP-12"`,
	},
	{
		Pattern: `the dispatch output does not contain a stage for issue ` + key, Do: notDispatched,
		Doc:     "Holds if the poller, when it last ran, printed no record of the issue.",
		Example: `the dispatch output does not contain a stage for issue "APP-12"`,
	},
	{
		Pattern: `the dispatch output attributes issue ` + key + ` to actor ` + quoted + ` with role ` + quoted, Do: attributed,
		Doc:     "Every record of the issue that the poller printed when it last ran is due to that account, with that role as the platform sees it.",
		Example: `the dispatch output attributes issue "APP-12" to actor "dana" with role "write"`,
	},
}}

// scene is what a scenario has done to the tracker.
type scene struct {
	projects []string
	backings [][2]string // role, group
	polled   bool
	records  []record // of the last time that the poller ran
}

var scenes = world.NewSlot[scene]("tracker")

// admin is the tracker as the account sees it that administers it.
func admin(ctx context.Context) (driver.TrackerSession, error) { return as(ctx, "") }

func as(ctx context.Context, account string) (driver.TrackerSession, error) {
	return world.From(ctx).Drivers().Tracker.As(ctx, account)
}

func server(ctx context.Context) error {
	_, err := admin(ctx)
	return err
}

func open(ctx context.Context, key, labels string) error {
	s, err := admin(ctx)
	if err != nil {
		return err
	}
	project, _, _ := strings.Cut(key, "-")
	if err := ensure(ctx, s, project); err != nil {
		return err
	}
	var list []string
	for l := range strings.SplitSeq(labels, ",") {
		if l = strings.TrimSpace(l); l != "" {
			list = append(list, l)
		}
	}
	return s.Tickets.Open(ctx, driver.Ticket{Key: key, Summary: "A test issue", Labels: list})
}

// ensure makes a project that the scenario does not have yet, with the roles that it has spoken of.
func ensure(ctx context.Context, s driver.TrackerSession, project string) error {
	sc := scenes.Of(ctx)
	for _, p := range sc.projects {
		if p == project {
			return nil
		}
	}
	if err := s.Projects.Create(ctx, project); err != nil {
		return err
	}
	sc.projects = append(sc.projects, project)
	for _, b := range sc.backings {
		if err := s.Projects.Back(ctx, project, b[0], b[1]); err != nil {
			return err
		}
	}
	return nil
}

func comment(ctx context.Context, text, key string) error { return commentFrom(ctx, text, "", key) }

func commentFrom(ctx context.Context, text, account, key string) error {
	s, err := as(ctx, account)
	if err != nil {
		return err
	}
	return s.Tickets.Comment(ctx, key, text)
}

func label(ctx context.Context, name, key string) error {
	s, err := admin(ctx)
	if err != nil {
		return err
	}
	return s.Tickets.Edit(ctx, key, driver.TicketEdit{AddLabels: []string{name}})
}

func back(ctx context.Context, role, group string) error {
	s, err := admin(ctx)
	if err != nil {
		return err
	}
	sc := scenes.Of(ctx)
	sc.backings = append(sc.backings, [2]string{role, group})
	for _, p := range sc.projects {
		if err := s.Projects.Back(ctx, p, role, group); err != nil {
			return err
		}
	}
	return nil
}

func join(ctx context.Context, account, group string) error {
	s, err := admin(ctx)
	if err != nil {
		return err
	}
	return s.Projects.Join(ctx, group, account)
}
