// Package github tells a run on GitHub Actions what a record found: an annotation at each scenario
// that did not pass, and the job's summary.
//
//	github.Annotations{Dir: "examples/acceptance/features"}.Write(os.Stdout, record)
//
// The commands are those of https://docs.github.com/actions/reference/workflow-commands-for-github-actions.
package github

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-dev/understudy/report"
	"github.com/understudy-dev/understudy/result"
)

// maxMessage bounds one annotation; the page tells all.
const maxMessage = 4 << 10

// Annotations renders a record as workflow commands, one error a line, failed scenarios before broken
// ones: GitHub shows the first ten of a step. The zero value is ready.
type Annotations struct {
	Dir string // of the features as seen from the workspace, with slashes; "" is the workspace itself
}

var _ report.Format = Annotations{}

// Write renders r. A record in which everything passed gives nothing.
func (a Annotations) Write(w io.Writer, r result.Record) error {
	var out strings.Builder
	several := false
	for _, tries := range r.Tries() {
		several = several || len(tries) > 1
	}
	for _, v := range []result.Verdict{result.Failed, result.Broken} {
		for _, c := range r.Cells {
			for _, t := range c.Trials {
				for _, s := range t.Scenarios {
					if s.Verdict == v {
						trial := 0
						if several {
							trial = t.Number
						}
						out.WriteString(a.scenario(s, trial))
					}
				}
			}
		}
	}
	for _, p := range r.Problems {
		out.WriteString(command(nil, told(p)))
	}
	if _, err := io.WriteString(w, out.String()); err != nil {
		return fmt.Errorf("write annotations: %w", err)
	}
	return nil
}

// scenario is the annotation of one scenario: at the step that did not pass, else at its own line.
func (a Annotations) scenario(s result.Scenario, trial int) string {
	uri, line, _ := strings.Cut(s.ID, ":")
	title := fmt.Sprintf("%s: %s", s.Verdict, s.Name)
	if trial > 0 {
		title += fmt.Sprintf(" (trial %d)", trial)
	}
	var parts []string
	for _, st := range s.Steps {
		if st.Problem != nil {
			line = strconv.Itoa(st.Line)
			parts = append(parts, st.Keyword+" "+st.Text+"\n"+told(*st.Problem))
		}
	}
	for _, f := range s.Findings {
		parts = append(parts, f.Policy+": "+told(f.Problem))
	}
	if len(parts) == 0 {
		parts = append(parts, cmp.Or(s.Reason, string(s.Verdict)))
	}
	properties := []property{{"file", path.Join(a.Dir, uri)}, {"title", title}}
	if n, err := strconv.Atoi(line); err == nil && n > 0 {
		properties = slices.Insert(properties, 1, property{"line", line})
	}
	return command(properties, strings.Join(parts, "\n\n"))
}

func told(p result.Problem) string {
	text := p.Sentence()
	for _, v := range []struct{ name, value string }{
		{"expected", p.Expected}, {"seen", p.Seen}, {"hint", p.Hint}, {"still open", strings.Join(p.Pending, "; ")},
	} {
		if v.value != "" {
			text += "\n" + v.name + ": " + v.value
		}
	}
	return text
}

// property is one of a command's.
type property struct{ name, value string }

// command is one workflow command, ended by the only line end in it.
func command(properties []property, message string) string {
	var all []string
	for _, p := range properties {
		all = append(all, p.name+"="+value.Replace(clean(p.value)))
	}
	head := "::error"
	if len(all) > 0 {
		head += " " + strings.Join(all, ",")
	}
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "") + "…"
	}
	return head + "::" + data.Replace(clean(message)) + "\n"
}

// GitHub's own escapes: https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts
var (
	data  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	value = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
