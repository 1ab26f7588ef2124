package run_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/ledger"
	"github.com/understudy-dev/understudy/match"
	"github.com/understudy-dev/understudy/steps/run"
	"github.com/understudy-dev/understudy/world"
)

// forge has one run with two jobs, which the stimulus caused.
type forge struct {
	driver.Runs
	decide string // log of the first
	second driver.Job
}

func (f forge) As(string) (driver.Session, error) { return driver.Session{Runs: f}, nil }

func (f forge) List(context.Context, driver.Repo, driver.RunFilter) ([]driver.Run, error) {
	return []driver.Run{{ID: 5, Workflow: "w.yml", Status: "completed", Conclusion: "success"}}, nil
}

func (f forge) Jobs(context.Context, driver.Repo, int64) ([]driver.Job, error) {
	return []driver.Job{{ID: 1, Name: "decide", Status: "completed", Conclusion: "success"}, f.second}, nil
}

func (f forge) Log(_ context.Context, _ driver.Repo, job int64) ([]byte, error) {
	if job != 1 {
		return nil, driver.ErrNotFound
	}
	return []byte(f.decide), nil
}

func (f forge) Entries(context.Context, uint64) ([]driver.Entry, error) {
	return []driver.Entry{{Seq: 1, Type: "run.created", Subject: "run:5", Cause: "stimulus:1"}}, nil
}

// TestHintSaysWhatThePlatformSaid: a stage that did not start, or did, is looked for in what the jobs said of it.
func TestHintSaysWhatThePlatformSaid(t *testing.T) {
	const at = "2026-12-01T05:03:54.0000000Z "
	ran := driver.Job{ID: 2, Name: "run (sort)", Status: "completed", Conclusion: "success"}
	for _, tt := range []struct {
		name, step, decide string
		second             driver.Job
		want               string
	}{
		{"skipped", `the harness "sort" workflow completes successfully`, at + "sorted, sort-of, my.sort\n" + at + "agent sort: no trigger\n", driver.Job{ID: 2, Name: "run (x)", Conclusion: "skipped"},
			`the last stimulus caused run:5 w.yml success, without a job of stage sort; "decide" says: agent sort: no trigger`},
		{"nothing is said", `the harness "sort" workflow completes successfully`, at + "resort\n", driver.Job{ID: 2, Name: "run (x)", Conclusion: "skipped"},
			"the last stimulus caused run:5 w.yml success, without a job of stage sort"},
		{"started", `the harness "sort" agent did not run`, "a sort\nb sort\nc sort\nd sort\n", ran, `"decide" says: a sort; "decide" says: b sort; "decide" says: c sort`},
		{"as expected", `the harness "sort" was dispatched exactly 1 time`, "sort\n", ran, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := driver.Unassigned()
			f := forge{decide: tt.decide, second: tt.second}
			set.Forge, set.Journal, set.Ledger = f, f, ledger.New()
			set.Platform = driver.Platform{Name: "p", JobPattern: "run ({stage})", Stages: []driver.Stage{{Name: "sort"}}}
			ctx := world.Into(t.Context(), world.New(world.Options{Drivers: set}))
			world.Share(ctx, world.TheRepository, driver.Repo{Owner: "o", Name: "r"})
			world.Share(ctx, world.TheStimulus, driver.Cause("stimulus:1"))
			err := do(ctx, t, tt.step)
			var m *match.Mismatch
			if !errors.As(err, &m) {
				m = &match.Mismatch{}
			}
			if (err == nil) != (tt.want == "") || m.Hint != tt.want {
				t.Errorf("got %v\nhint %q\nwant %q", err, m.Hint, tt.want)
			}
		})
	}
}

// TestLogsAreQuotedWithoutTimes: what was seen of a log is what it says, not when.
func TestLogsAreQuotedWithoutTimes(t *testing.T) {
	set := driver.Unassigned()
	f := forge{decide: "2026-12-01T05:03:54.0000000Z nothing to do\n", second: driver.Job{ID: 2, Name: "x", Conclusion: "skipped"}}
	set.Forge, set.Journal, set.Ledger = f, f, ledger.New()
	ctx := world.Into(t.Context(), world.New(world.Options{Drivers: set}))
	world.Share(ctx, world.TheRepository, driver.Repo{Owner: "o", Name: "r"})
	world.Share(ctx, world.TheStimulus, driver.Cause("stimulus:1"))
	err := do(ctx, t, `the job "decide" succeeds saying "starts sort"`)
	if err == nil || !strings.Contains(err.Error(), "nothing to do") || strings.Contains(err.Error(), "2026-") {
		t.Errorf("got %v", err)
	}
}

// do runs the pack's step with this text.
func do(ctx context.Context, t *testing.T, text string) error {
	t.Helper()
	for _, s := range run.Pack.Steps {
		m := regexp.MustCompile("^" + s.Pattern + "$").FindStringSubmatch(text)
		if m == nil {
			continue
		}
		switch f := s.Do.(type) {
		case func(context.Context, string) error:
			return f(ctx, m[1])
		case func(context.Context, string, string) error:
			return f(ctx, m[1], m[2])
		case func(context.Context, string, string, string) error:
			return f(ctx, m[1], m[2], m[3])
		case func(context.Context, string, int) error:
			return f(ctx, m[1], len(strings.TrimSpace(m[2]))) // "1"
		}
	}
	t.Fatalf("no step for %q", text)
	return nil
}
