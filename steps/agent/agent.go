// Package agent lets scenarios say what the agent will do and see what it did. The agent is the
// dummy: a program that carries out a table of operations where a model would decide.
package agent

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world"
)

const (
	admin    = "admin"
	observer = "observer"
)

// Pack holds the steps. After the last step it reads every result of the scenario, so that an
// operation that failed and that no step claimed can be found. Before anything runs it reads the dummy
// agent tables and judges the fixtures in them.
var Pack = suite.Pack{Name: "agent", After: record, Lint: lint, Steps: slices.Concat(dummySteps, probeSteps, runtimeSteps)}

var dummySteps = []suite.Step{
	{
		Pattern: dummyStep, Do: dummyOfAll,
		Doc: "Commits a script of operations, with their fixtures, that the next agent run carries out. " +
			"In the arguments of checkout_branch <issue> is the number of the scenario's issue. A column iteration may say that an operation is for one time only that the agent is asked.",
		Example: dummyStep,
	},
	{
		Pattern: dummyOfOneStep, Do: dummy,
		Doc:     "The same for one agent alone: its script is beside places.script and called after it.",
		Example: `a dummy "code" agent that would:`,
	},
	{
		Pattern: `the agent will succeed to (.+)`, Do: succeeds,
		Doc:     "Waits for the agent's results; the operation with this description succeeded.",
		Example: `the agent will succeed to Emit triage JSON`,
	},
	{
		Pattern: `the agent will fail to (.+)`, Do: fails,
		Doc:     "Waits for the agent's results; the operation with this description failed.",
		Example: `the agent will fail to Search for foo`,
	},
	{
		Pattern: `the agent will output (\S+) with:`, Do: outputs,
		Doc:     "Waits for the agent's files; the one with this base name has this text, both trimmed.",
		Example: `the agent will output issues.out with:`,
	},
	{
		Pattern: decidedStep, Do: decided,
		Doc: "Waits for the platform's own record of its egress policy; it holds this decision about the URL. " +
			"The platform file says where the record is, in places.policy.",
		Example: `the platform refused the agent's request to "http://blocked.test/"`,
	},
	{
		Pattern: `the request to "([^"]+)" (reached|never reached) the network`, Do: reached,
		Doc:     "Is decided at quiet from the journal of the only door out.",
		Example: `the request to "http://blocked.test/" never reached the network`,
	},
}

func succeeds(ctx context.Context, description string) error {
	return operation(ctx, description, true)
}
func fails(ctx context.Context, description string) error { return operation(ctx, description, false) }

func operation(ctx context.Context, description string, want bool) error {
	w := world.From(ctx)
	return w.Until(ctx, func(ctx context.Context) error {
		results, hint, err := stimulated(ctx, w)
		if err != nil {
			return err
		}
		seen, claimed := []string{}, false
		for _, r := range results {
			for _, o := range r.operations {
				seen = append(seen, o.Description)
				if o.Description != description {
					continue
				}
				claimed = true
				err := w.ExpectKey(ctx, "agent.operation", r.key(o), o.Success, match.Equal(want))
				if err != nil {
					return match.Hint(err, o.Error)
				}
			}
		}
		if claimed {
			return nil
		}
		return match.Hint(w.Expect(ctx, "agent.operations", seen, match.Contains(description)), hint)
	})
}

func outputs(ctx context.Context, name string, want *suite.DocString) error {
	w := world.From(ctx)
	return w.Until(ctx, func(ctx context.Context) error {
		results, hint, err := stimulated(ctx, w)
		if err != nil {
			return err
		}
		names, last, key := []string{}, []byte(nil), ""
		for _, r := range results {
			for _, path := range slices.Sorted(maps.Keys(r.files)) {
				names = append(names, base(path))
				if base(path) == name {
					last, key = r.files[path], fmt.Sprintf("run:%d %s", r.run, path) // the last iteration's counts
				}
			}
		}
		if key == "" {
			return match.Hint(w.Expect(ctx, "agent.files", names, match.Contains(name)), hint)
		}
		return w.ExpectKey(ctx, "agent.output", key, string(last), match.Text(want.Content))
	})
}

func decided(ctx context.Context, decision, address string) error {
	w := world.From(ctx)
	return w.Until(ctx, func(ctx context.Context) error {
		results, hint, err := stimulated(ctx, w)
		if err != nil {
			return err
		}
		seen := []string{}
		for _, r := range results {
			for _, d := range r.decisions {
				seen = append(seen, d.Decision+" "+d.URL)
			}
		}
		return match.Hint(w.Expect(ctx, "policy.decisions", seen, match.Contains(decision+" "+address)), hint)
	})
}

func reached(ctx context.Context, address, how string) error {
	w := world.From(ctx)
	target, err := seenAs(address)
	if err != nil {
		return err
	}
	return w.Settled(ctx, func(ctx context.Context) error {
		entries, err := w.Drivers().Journal.Entries(ctx, 0)
		if err != nil {
			return err
		}
		seen := []string{}
		for _, e := range entries {
			if e.Type == "door.request" {
				_, asked, _ := strings.Cut(e.Subject, " ")
				if !strings.Contains(asked, "://") {
					asked = strings.ToLower(asked) // CONNECT names host and port
				} else if asked, err = seenAs(asked); err != nil {
					return err
				}
				seen = append(seen, asked)
			}
		}
		want := match.Contains(target)
		if how == "never reached" {
			want = match.Lacks(target)
		}
		return w.Expect(ctx, "network.requests", seen, want)
	})
}

// seenAs is how the door names a request to an address: a URL without its query for http, host and
// port for https, whose path no proxy sees. What the door could not tell apart is an error.
func seenAs(address string) (string, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return "", fmt.Errorf("read address %q: %w", address, err)
	case u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("%q is no http or https address", address)
	case u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return "", fmt.Errorf("%q: the network keeps no query, fragment or user; leave it out", address)
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if u.Scheme == "https" {
		if u.Path != "" && u.Path != "/" {
			return "", fmt.Errorf("%q: of https the network sees host and port only; leave the path out", address)
		}
		if port == "" {
			port = "443"
		}
		return net.JoinHostPort(host, port), nil
	}
	if port != "" && port != "80" {
		host = net.JoinHostPort(host, port)
	}
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	return "http://" + host + path, nil
}

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
