package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/understudy-dev/understudy/environment"
	"github.com/understudy-dev/understudy/environment/reach"
	"github.com/understudy-dev/understudy/internal/clock"
	"github.com/understudy-dev/understudy/trial"
)

// reachOf finds the platform of a suite and the reach file beside its platform file; fs.ErrNotExist is that there is none.
func reachOf(suiteDir string) (f reach.File, p environment.Platform, err error) {
	config, err := trial.FindConfig(suiteDir, "")
	if errors.Is(err, trial.ErrNoConfig) || err == nil && config.Platform == "" {
		return f, p, &hinted{fmt.Errorf("%s has no understudy.yaml that names a platform: %w", suiteDir, fs.ErrNotExist), "--suite is the directory of the suite whose actors are meant"}
	}
	if err != nil {
		return f, p, err
	}
	if p, err = environment.ReadPlatform(fromHere(config.Platform)); err != nil {
		return f, p, err
	}
	path := filepath.Join(filepath.Dir(p.File), reach.FileName)
	if _, err := os.Stat(path); err != nil {
		return f, p, &hinted{fmt.Errorf("read reach file: %w", err), "docs/guide/actors.md says what stands in " + reach.FileName}
	}
	f, err = reach.Read(path, p)
	return f, p, err
}

// doctorActors looks how far the actors' accounts reach, prints it, and keeps a record.
func doctorActors(ctx context.Context, o Options, suiteDir, by string) error {
	f, p, err := reachOf(suiteDir)
	if err != nil {
		return err
	}
	file := reach.RecordFile(f.Path)
	old, had, err := reach.ReadRecord(file)
	if err != nil {
		return err
	}
	env := func(name string) string { return lookup(o.Env, name) }
	if err := f.Ready(env); err != nil {
		return &hinted{err, "set it to the token; it is shown nowhere"}
	}
	found, err := reach.Look(ctx, f, p, reach.Options{Env: env})
	if err != nil {
		fmt.Fprintln(o.Stderr, "understudy:", err)
		return exitError(exitBroken)
	}
	now := reach.NewRecord(f, p, found, cmp.Or(by, env("USER"), env("LOGNAME"), "unknown"), clock.New(nil).Wall())
	if err := now.Write(file); err != nil {
		return err
	}
	printActors(o.Stdout, now)
	lines := tellings(found)
	if had {
		for _, line := range now.Changes(old) {
			lines = append(lines, "grants changed since "+old.At.Format(time.DateOnly)+": "+line)
		}
	}
	if len(lines) > 0 {
		fmt.Fprintf(o.Stdout, "\n%s\n", strings.Join(lines, "\n"))
	}
	fmt.Fprintf(o.Stdout, "\nrecord: %s\n", file)
	return verdictOf(found)
}

// verdictOf is the exit code of a look: who reaches too far counts more than what could not be told.
func verdictOf(found []reach.Actor) error {
	switch {
	case slices.ContainsFunc(found, func(a reach.Actor) bool { return len(a.Findings) > 0 }):
		return exitError(exitFailed)
	case slices.ContainsFunc(found, func(a reach.Actor) bool { return len(a.Unknown) > 0 }):
		return exitError(exitBroken)
	}
	return nil
}

func printActors(w io.Writer, r reach.Record) {
	fmt.Fprintf(w, "actors at %s, %s by %s\n\n", r.API, r.At.Format("2006-01-02 15:04 MST"), r.By)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  actor\tlogin\tdeclared\tin organisations for tests\tmember elsewhere\twrites elsewhere")
	list := func(all []string) string { return cmp.Or(strings.Join(all, ", "), "no") }
	for _, a := range r.Actors {
		sign := "✓"
		if len(a.Unknown) > 0 {
			sign = "?"
		}
		if len(a.Findings) > 0 {
			sign = "✗"
		}
		var tests []string
		for org, roles := range a.Tests {
			tests = append(tests, org+" "+cmp.Or(roles, "nothing seen"))
		}
		slices.Sort(tests)
		fmt.Fprintf(t, "%s %s\t%s\t%s\t%s\t%s\t%s\n", sign, a.Name, a.Login, a.Role, list(tests), list(a.Member), list(a.Outside))
	}
	t.Flush()
}

// tellings are what is found and what cannot be told, a line each.
func tellings(found []reach.Actor) (lines []string) {
	for _, a := range found {
		for _, f := range a.Findings {
			lines = append(lines, "✗ "+a.Name+": "+f)
		}
		for _, u := range a.Unknown {
			lines = append(lines, "? "+a.Name+": cannot tell "+u)
		}
	}
	return lines
}

// lookup finds a variable in an environment.
func lookup(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

// lastLook is what doctor shows of the last look at the actors.
type lastLook struct {
	Record string   `json:"record"`
	At     string   `json:"at,omitempty"` // "" is never
	By     string   `json:"by,omitempty"`
	Due    []string `json:"due"` // why it is time to look again
}

// lookedAt reads the record of a suite's actors, without asking any forge; nil is that nobody wants to know.
func lookedAt(suiteDir string) (*lastLook, error) {
	f, p, err := reachOf(suiteDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	l := &lastLook{Record: reach.RecordFile(f.Path), Due: []string{}}
	r, there, err := reach.ReadRecord(l.Record)
	switch {
	case err != nil:
		return nil, err
	case !there:
		l.Due = append(l.Due, "never looked at")
		return l, nil
	}
	l.At, l.By = r.At.Format(time.DateOnly), r.By
	l.Due = append(l.Due, r.Due(f, p, clock.New(nil).Wall())...)
	return l, nil
}

func (l *lastLook) print(w io.Writer) {
	if l == nil {
		return
	}
	fmt.Fprint(w, "\nwhat the actors' accounts reach\n")
	if l.At != "" {
		fmt.Fprintf(w, "  looked at %s by %s: %s\n", l.At, l.By, l.Record)
	}
	if len(l.Due) > 0 {
		fmt.Fprintf(w, "✗ due again: %s\n  to look: understudy doctor --actors\n", strings.Join(l.Due, ", "))
	}
}
