package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/understudy-dev/understudy/internal/jobwire"
)

// maxAnnotation is how many bytes of a message GitHub's runner keeps.
const maxAnnotation = 4096

// maxSummary bounds the summary of one step.
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#step-isolation-and-limits
const maxSummary = 1 << 20

// failure shows an error of the job itself, which is an annotation as well.
func (r *reporter) failure(s *stepState, message string) {
	r.log(s, "##[error]"+message)
	r.annotate(s, jobwire.Annotation{Level: "failure", Message: message})
}

func (r *reporter) annotate(s *stepState, n jobwire.Annotation) {
	if strings.TrimSpace(n.Message) == "" {
		return
	}
	n.Message, n.Title = clip(r.hide(n.Message)), clip(r.hide(n.Title))
	n.Path = clip(r.hide(r.within(n.Path)))
	number := 0
	if s != nil {
		r.start(s)
		number = s.number
	}
	r.emit(jobwire.Event{Type: jobwire.Annotated, Step: number, Annotation: &n})
}

// within is the path of a file in the workspace, which act makes below the job's directory.
func (r *reporter) within(path string) string {
	if below, ok := strings.CutPrefix(path, r.dir+"/"); ok {
		if _, file, ok := strings.Cut(below, "/hostexecutor/"); ok {
			return file
		}
	}
	return path
}

func clip(s string) string { return strings.ToValidUTF8(s[:min(len(s), maxAnnotation)], "") }

// summarize passes on what a step wrote to $GITHUB_STEP_SUMMARY.
func (r *reporter) summarize(s *stepState, content string) {
	if s == nil {
		return
	}
	if len(content) > maxSummary {
		r.failure(s, fmt.Sprintf("$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of %dk, got %dk.", maxSummary>>10, len(content)>>10))
		return
	}
	r.start(s)
	r.emit(jobwire.Event{Type: jobwire.Summarized, Step: s.number, Summary: strings.ToValidUTF8(r.hide(content), "\uFFFD")})
}

// annotationOf reads the workflow commands error, warning and notice.
// https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands#setting-a-notice-message
func annotationOf(command, raw string) (jobwire.Annotation, bool) {
	level, ok := map[string]string{"error": "failure", "warning": "warning", "notice": "notice"}[command]
	if !ok {
		return jobwire.Annotation{}, false
	}
	n := jobwire.Annotation{Level: level, Message: dataOf(raw)}
	head, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(raw), "::"), "::")
	_, properties, _ := strings.Cut(head, " ")
	numbers := map[string]int{}
	for property := range strings.SplitSeq(properties, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(property), "=")
		value = strings.NewReplacer("%25", "%", "%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",").Replace(value)
		switch name {
		case "file":
			n.Path = value
		case "title":
			n.Title = value
		case "line", "endLine", "col", "endColumn":
			if x, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && x > 0 {
				numbers[name] = x
			}
		}
	}
	place(&n, numbers)
	return n, true
}

// place sets lines and columns as far as they make sense together: what does not is dropped, as by GitHub's runner.
func place(n *jobwire.Annotation, numbers map[string]int) {
	line, end, from, to := numbers["line"], numbers["endLine"], numbers["col"], numbers["endColumn"]
	if line == 0 {
		line = end
	}
	if end == 0 {
		end = line
	}
	if from == 0 {
		from = to
	}
	if to == 0 {
		to = from
	}
	if end < line {
		return
	}
	if line == 0 || line != end || to < from {
		from, to = 0, 0
	}
	n.StartLine, n.EndLine, n.StartColumn, n.EndColumn = line, end, from, to
}
