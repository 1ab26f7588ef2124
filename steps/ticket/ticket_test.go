package ticket_test

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/evidence"
	"github.com/understudy-dev/understudy/internal/ledger"
	"github.com/understudy-dev/understudy/steps/ticket"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/suite/feature"
	"github.com/understudy-dev/understudy/world"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a tracker that keeps what it was told, and a poller that prints what it is given.
type fake struct {
	did    []string
	output string
	fails  error
}

func (f *fake) As(_ context.Context, account string) (driver.TrackerSession, error) {
	s := session{f, account}
	return driver.TrackerSession{Tickets: s, Projects: s}, nil
}

func (f *fake) Poll(_ context.Context, project string) ([]byte, error) {
	f.did = append(f.did, "poll "+project)
	return []byte(f.output), f.fails
}

type session struct {
	*fake
	account string
}

func (s session) note(parts ...string) error {
	s.did = append(s.did, strings.Join(parts, " "))
	return nil
}

func (s session) Open(_ context.Context, t driver.Ticket) error {
	return s.note("open", t.Key, strings.Join(t.Labels, "+"))
}

func (s session) Get(context.Context, string) (driver.Ticket, error) { return driver.Ticket{}, nil }

func (s session) Edit(_ context.Context, key string, e driver.TicketEdit) error {
	return s.note("label", key, strings.Join(e.AddLabels, "+"))
}

func (s session) Comment(_ context.Context, key, body string) error {
	return s.note("comment", key, body, "by", s.account)
}

func (s session) Create(_ context.Context, key string) error { return s.note("create", key) }

func (s session) Back(_ context.Context, project, role, group string) error {
	return s.note("back", project, role, group)
}

func (s session) Join(_ context.Context, group, account string) error {
	return s.note("join", group, account)
}

// sink takes evidence and keeps none.
type sink struct{}

func (sink) Put(_ context.Context, m evidence.Meta, _ io.Reader) (evidence.Ref, error) {
	return evidence.Ref{Meta: m}, nil
}

func stage(t *testing.T) (*fake, context.Context) {
	t.Helper()
	f := &fake{}
	set := driver.Unassigned()
	set.Ledger, set.Tracker, set.Poller = ledger.New(), f, f
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	t.Cleanup(cancel)
	return f, world.Into(ctx, world.New(world.Options{Drivers: set, Sink: sink{}}))
}

// step runs the step of a pattern's beginning.
func step(t *testing.T, ctx context.Context, example string, args ...string) error {
	t.Helper()
	for _, s := range ticket.Pack.Steps {
		if !strings.HasPrefix(s.Example, example) {
			continue
		}
		switch do := s.Do.(type) {
		case func(context.Context) error:
			return do(ctx)
		case func(context.Context, string, string) error:
			return do(ctx, args[0], args[1])
		case func(context.Context, string) error:
			return do(ctx, args[0])
		case func(context.Context, string, string, string) error:
			return do(ctx, args[0], args[1], args[2])
		}
	}
	t.Fatalf("no step has an example like %q", example)
	return nil
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestRolesReachEachProject: those spoken of before a project and those after.
func TestRolesReachEachProject(t *testing.T) {
	f, ctx := stage(t)
	must(t, step(t, ctx, `the "Developers" Jira`, "Developers", "devs"))
	must(t, step(t, ctx, `a Jira issue`, "APP-2", "a, b,"))
	must(t, step(t, ctx, `a Jira issue`, "APP-3", ""))
	must(t, step(t, ctx, `the "Developers" Jira`, "Guests", "all"))
	must(t, step(t, ctx, `Jira user`, "dana", "devs"))
	must(t, step(t, ctx, `a comment "/crew-triage" from`, "hello", "dana", "APP-2"))
	must(t, step(t, ctx, `the label`, "x", "APP-2"))
	must(t, step(t, ctx, `the Jira poller`))
	want := []string{"create APP", "back APP Developers devs", "open APP-2 a+b", "open APP-3 ", "back APP Guests all", "join devs dana",
		"comment APP-2 hello by dana", "label APP-2 x", "poll APP"}
	if !slices.Equal(f.did, want) {
		t.Errorf("got  %q\nwant %q", f.did, want)
	}
}

func TestDispatchOutput(t *testing.T) {
	const one = `{"stage":"triage","issue":"APP-1","actor":"dana","role":"write","event":{}}` + "\n"
	for _, x := range []struct {
		name, output              string
		contains, lacks, due, bad bool
	}{
		{name: "none", lacks: true},
		{name: "one", output: one + "\n", contains: true, due: true},
		{name: "twice", output: one + one, due: true},
		{name: "another issue", output: strings.ReplaceAll(one, "APP-1", "APP-11"), lacks: true},
		{name: "another stage", output: strings.ReplaceAll(one, "triage", "code"), due: true},
		{name: "another actor", output: strings.ReplaceAll(one, "dana", "eve"), contains: true},
		{name: "another role", output: one + strings.ReplaceAll(strings.ReplaceAll(one, "write", "none"), "triage", "code"), contains: true},
		{name: "no JSON", output: "polling…\n" + one, bad: true},
		{name: "no stage", output: `{"issue":"APP-1"}`, bad: true},
	} {
		f, ctx := stage(t)
		f.output = x.output
		must(t, step(t, ctx, `a Jira issue`, "APP-1", ""))
		if err := step(t, ctx, `the dispatch output does not`, "APP-1"); err == nil {
			t.Error("nothing was polled, and nothing said so")
		}
		if err := step(t, ctx, `the Jira poller`); (err != nil) != x.bad {
			t.Errorf("%s: the poller: %v", x.name, err)
		}
		if x.bad {
			continue
		}
		for what, got := range map[string]struct {
			err  error
			want bool
		}{
			"contains": {step(t, ctx, `the dispatch output contains`, "triage", "APP-1"), x.contains},
			"lacks":    {step(t, ctx, `the dispatch output does not`, "APP-1"), x.lacks},
			"due":      {step(t, ctx, `the dispatch output attributes`, "APP-1", "dana", "write"), x.due},
		} {
			if (got.err == nil) != got.want {
				t.Errorf("%s: %s: %v", x.name, what, got.err)
			}
		}
	}
}

func TestPollerFails(t *testing.T) {
	f, ctx := stage(t)
	if err := step(t, ctx, `the Jira poller`); err == nil {
		t.Error("without a project there is nothing to poll")
	}
	must(t, step(t, ctx, `a Jira issue`, "APP-1", ""))
	f.fails = errors.New("exit code 1")
	if err := step(t, ctx, `the Jira poller`); err == nil {
		t.Error("a poller that failed was taken for one that had nothing to say")
	}
}

func TestLintAsksForTheTag(t *testing.T) {
	for _, x := range []struct {
		text, tag string
		problems  int
	}{
		{`a mock Jira server`, "@requires:capability:tracker", 0},
		{`a mock Jira server`, "@slow", 1},
		{`an issue`, "@slow", 0},
	} {
		d := suite.Draft{Scenarios: []feature.Scenario{{URI: "a.feature", Tags: []string{x.tag}, Steps: []feature.Step{{Text: x.text, Line: 4}, {Text: x.text, Line: 5}}}}}
		if got := ticket.Pack.Lint(d); len(got) != x.problems {
			t.Errorf("%s %s: %v", x.tag, x.text, got)
		}
	}
}
