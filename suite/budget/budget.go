// Package budget holds together the times that a suite's tests may take: the limit of the CI job, the time-out
// of the test command in it, and what leases and scenarios cost. It is pure; files come in as text.
//
//	found, problems := budget.Read(b, os.ReadFile)
//	problems = append(problems, budget.Check(b, found, 66, 4)...)
package budget

import (
	"fmt"
	"strings"
	"time"
)

// Budget is `budget` of understudy.yaml.
type Budget struct {
	Workflow   string // file of the CI workflow
	Job        string // key of the job that runs the tests
	Command    Command
	Collection time.Duration // what the job needs besides: set-up before the tests, evidence after them
	Lease      time.Duration // one lease
	Scenario   time.Duration // one scenario, without its lease
	File       string        // understudy.yaml
	Line       int           // of the key
}

// Command says where the test command is. The zero value looks for it in the steps of the job.
type Command struct {
	Text     string // the command itself
	File     string // another file that has it, such as a Makefile; "" is the job
	Contains string // a text that tells it from other test commands there
	Line     int    // of the key
}

// Place is a line of a file.
type Place struct {
	File string
	Line int
}

// Limit is a time, and the place that says so. Where nothing does, Said is false, and the time is the default
// of whoever has it; 0 is none.
type Limit struct {
	Place
	Time time.Duration
	Said bool
	As   string // as people write it, such as "timeout-minutes 45"
}

// Found is what the files say.
type Found struct {
	Job     Limit
	Step    Limit // of the step that has the command; Time is 0 without one
	Command Limit
	Jobs    int // scenarios at once, as the command says; 0 is that it does not
	Repeat  int // how often each scenario runs; 0 is once
}

// Problem is a time that does not fit, or that cannot be read.
type Problem struct {
	Place
	What string
	Hint string
}

// Check holds what the files say to the budget: the time-out of the command is less than the limit of the job
// without what collection takes, and no less than all leases and scenarios take, jobs at once. 0 jobs are one.
func Check(b Budget, f Found, scenarios, jobs int) (problems []Problem) {
	tell := func(at Place, hint, format string, args ...any) {
		problems = append(problems, Problem{at, fmt.Sprintf(format, args...), hint})
	}
	if f.Command.Time == 0 {
		tell(f.Command.Place, "give it one that is less than "+short(f.Job.Time-b.Collection),
			"%s: when something hangs, the job is ended at its limit, %s%s, and nothing is collected", f.Command.As, f.Job.As, f.Job.elsewhere(f.Command.File))
		return problems
	}
	if left := f.Job.Time - b.Collection; f.Command.Time >= left {
		hint := fmt.Sprintf("a time-out of less than %s, or a limit of more than %s", short(left), short(f.Command.Time+b.Collection))
		if left <= 0 {
			hint = fmt.Sprintf("a limit of more than %s", short(f.Command.Time+b.Collection))
		}
		tell(f.Command.Place, hint, "%s is not less than the job's limit without collection: %s%s − %s = %s",
			f.Command.As, f.Job.As, f.Job.elsewhere(f.Command.File), short(b.Collection), short(left))
	}
	if f.Step.Time > 0 && f.Command.Time >= f.Step.Time {
		tell(f.Step.Place, "", "%s is not less than the limit of its step, %s", f.Command.As, f.Step.As)
	}
	if f.Jobs > 0 {
		jobs = f.Jobs
	}
	if need, sum := b.need(scenarios*max(f.Repeat, 1), jobs); f.Command.Time < need {
		tell(f.Command.Place, fmt.Sprintf("a time-out of %s or more", short(need)), "%s is less than what the suite may take: %s", f.Command.As, sum)
	}
	return problems
}

// need is what scenarios may take, and how that is reckoned.
func (b Budget) need(scenarios, jobs int) (time.Duration, string) {
	rounds, at := scenarios, ""
	if jobs > 1 {
		rounds, at = (scenarios+jobs-1)/jobs, fmt.Sprintf(", %d at once", jobs)
	}
	need := time.Duration(rounds) * (b.Lease + b.Scenario)
	return need, fmt.Sprintf("%d leases × %s + %d scenarios × %s%s = %s", scenarios, short(b.Lease), scenarios, short(b.Scenario), at, short(need))
}

// elsewhere names the place of a limit for who reads a line of another file.
func (l Limit) elsewhere(file string) string {
	switch {
	case !l.Said:
		return " (the default)"
	case l.File == file:
		return fmt.Sprintf(" (line %d)", l.Line)
	}
	return fmt.Sprintf(" (%s:%d)", l.File, l.Line)
}

// short is a time without the parts that are nothing.
func short(d time.Duration) string {
	text := d.Round(time.Millisecond).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
