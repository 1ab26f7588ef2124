package cli

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/understudy-dev/understudy/emulator/forge"
	"github.com/understudy-dev/understudy/internal/journal"
)

// followRuns shows each run that ends from now on, in one line.
func (sv *serving) followRuns(s *screen) {
	artifacts := map[string]int{} // by run
	sv.follow(func(e journal.Entry) {
		switch e.Type {
		case "artifact.created":
			artifacts[e.Detail["run"]]++
		case "run.completed":
			id := strings.TrimPrefix(e.Subject, "run:")
			n, err := strconv.ParseInt(id, 10, 64)
			if err != nil {
				return
			}
			run, err := sv.Forge.Admin().View().Run(n)
			if err != nil {
				return // it was deleted meanwhile
			}
			s.printf("%s\n", strings.Map(printable, sv.scrub.String(runLine(run, artifacts[id]))))
			delete(artifacts, id)
		}
	})
}

// runLine is a run for a person: number, file, each job with its sign, what it left.
func runLine(v forge.RunView, artifacts int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "run %d  %s %s", v.Run.ID, v.Run.Repo, path.Base(v.Run.Workflow))
	for _, j := range v.Jobs {
		fmt.Fprintf(&b, "  %s %s", signOf(j.Conclusion), j.Name)
	}
	if len(v.Jobs) == 0 {
		fmt.Fprintf(&b, "  %s %s", signOf(v.Run.Conclusion), v.Run.Conclusion)
	}
	if v.Run.Reason != "" {
		fmt.Fprintf(&b, ": %s", v.Run.Reason)
	}
	switch artifacts {
	case 0:
	case 1:
		b.WriteString("  1 artifact")
	default:
		fmt.Fprintf(&b, "  %d artifacts", artifacts)
	}
	return b.String()
}

func signOf(conclusion string) string {
	switch conclusion {
	case "success":
		return "✓"
	case "skipped", "cancelled", "neutral":
		return "–"
	}
	return "✗"
}
