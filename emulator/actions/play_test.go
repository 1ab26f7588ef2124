package actions_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/understudy-dev/understudy/internal/journal"
)

// play does what the lines of a vector say and returns what it started: runs and jobs as they ended, the
// reasons of what failed before any step, the last words of what failed later, and what it looked for.
func (p *platform) play(lines []string) string {
	p.t.Helper()
	hold := filepath.Join(p.scratch, "hold")
	if err := syscall.Mkfifo(hold, 0o600); err != nil {
		p.t.Fatal(err)
	}
	var looks []string
	for _, line := range lines {
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case word == "look":
			looks = append(looks, rest)
		case word == "advance":
			p.advance(rest)
			p.settle()
		case word == "until":
			p.untilThere(rest)
		case line == "await":
			if _, err := os.ReadFile(hold); err != nil {
				p.t.Fatal(err)
			}
		case line == "release":
			if err := os.WriteFile(hold, []byte("\n"), 0); err != nil {
				p.t.Fatal(err)
			}
			p.settle()
		case word == "+":
			p.happen(rest)
		default:
			p.happen(line)
			p.settle()
		}
	}
	p.settle()
	return p.outcome(looks)
}

// untilThere waits for a number of runs or jobs: "2 runs".
func (p *platform) untilThere(text string) {
	p.t.Helper()
	number, what, _ := strings.Cut(text, " ")
	n, err := strconv.Atoi(number)
	if err != nil || what != "runs" && what != "jobs" {
		p.t.Fatalf("until %s: want N runs or N jobs", text)
	}
	p.until(text, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return what == "runs" && len(p.runs) >= n || what == "jobs" && len(p.jobs) >= n
	})
}

func (p *platform) outcome(looks []string) string {
	out := inOrder(p.report())
	for _, r := range p.runs {
		if r.Reason != "" {
			out += "reason " + strings.Join(strings.Fields(r.Reason), " ") + "\n"
		}
	}
	for _, j := range p.jobs {
		if j.Conclusion == "failure" && j.Error != "" {
			out += fmt.Sprintf("error %s: %s\n", j.Name, j.Error)
		}
	}
	for _, j := range p.jobs {
		for _, n := range j.Annotations {
			if slices.Contains(looks, "annotations") {
				out += fmt.Sprintf("%s %s step %d %s:%d-%d:%d-%d %q %q\n", n.Level, j.Name, n.Step, n.Path, n.StartLine, n.EndLine, n.StartColumn, n.EndColumn, n.Title, n.Message)
			}
		}
		for _, s := range j.Steps {
			if s.Summary != "" {
				out += fmt.Sprintf("summary %s step %d: %.60q\n", j.Name, s.Number, s.Summary)
			}
		}
	}
	looks = slices.DeleteFunc(slices.Clone(looks), func(l string) bool { return l == "annotations" })
	for _, text := range looks {
		verb := "lacks"
		if strings.Contains(p.allLogs(), text) {
			verb = "has"
		}
		out += "log " + verb + " " + text + "\n"
	}
	if out == "" {
		return "nothing\n"
	}
	return out
}

// advance announces what is due in a time: "2026-12-01T00:00:00Z 24h".
func (p *platform) advance(text string) {
	p.t.Helper()
	begin, length, _ := strings.Cut(text, " ")
	from, err := time.Parse(time.RFC3339, begin)
	if err != nil {
		p.t.Fatal(err)
	}
	d, err := time.ParseDuration(length)
	if err != nil {
		p.t.Fatal(err)
	}
	due, err := p.engine.Due(p.t.Context(), []string{"acme/app"}, from, from.Add(d))
	if err != nil {
		p.t.Fatal(err)
	}
	work := p.l.Open("advance")
	defer work.Close()
	for _, x := range due {
		body, err := json.Marshal(map[string]any{"schedule": x.Cron, "workflow": x.Workflow})
		if err != nil {
			p.t.Fatal(err)
		}
		p.j.Append(journal.Entry{
			Time: x.At, Kind: journal.Change, Type: "schedule", Actor: "alice", Payload: body,
			Detail: map[string]string{"repo": x.Repo, "event": "schedule", "workflow": x.Workflow, "ref": "refs/heads/main", "sha": x.SHA},
		})
	}
}
