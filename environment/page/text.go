package page

import (
	"fmt"
	"html/template"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

func functions() template.FuncMap {
	return template.FuncMap{
		"clock":    func(t time.Time) string { return t.Local().Format("15:04:05") },
		"day":      day,
		"took":     took,
		"tone":     tone,
		"size":     size,
		"short":    func(sha string) string { return sha[:min(len(sha), 7)] },
		"first":    firstLine,
		"rest":     restOfMessage,
		"said":     said,
		"markdown": markdown,
		"repo":     repoURL,
		"files":    filesURL,
		"at":       at,
		"about":    about,
		"plural":   plural,
		"receiver": receiver,
	}
}

func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2 Jan 2006, 15:04:05")
}

// took is how long something lasted that may not have ended.
func took(from, to time.Time) string {
	if from.IsZero() || to.IsZero() {
		return ""
	}
	return to.Sub(from).Round(time.Second).String()
}

// tone is the colour of a run, a job or a step.
func tone(status, conclusion string) string {
	switch {
	case status != "completed":
		return "going"
	case conclusion == "success":
		return "good"
	case conclusion == "skipped" || conclusion == "cancelled" || conclusion == "neutral":
		return "quiet"
	}
	return "bad"
}

func size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

func restOfMessage(s string) string {
	_, rest, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return strings.TrimSpace(rest)
}

// said is what a step said last, without the marks of workflow commands.
func said(words string) string {
	var b strings.Builder
	for line := range strings.Lines(words) {
		b.WriteString(command.ReplaceAllString(line, ""))
	}
	return b.String()
}

// repoURL is the address of a repository's sheet.
func repoURL(name string) string {
	owner, repo, _ := strings.Cut(name, "/")
	return Root + "repo/" + url.PathEscape(owner) + "/" + url.PathEscape(repo)
}

// filesURL is the address of a file or a directory at a revision; "" is the default branch.
func filesURL(repo, rev, name string) string {
	segments := strings.Split(name, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	out := repoURL(repo) + "/files/" + strings.Join(segments, "/")
	if rev != "" {
		out += "?ref=" + url.QueryEscape(rev)
	}
	return out
}

// at is where a cause is shown: what happened, a run, a job; of what has no sheet, all that it caused.
func at(cause string) string {
	kind, id, _ := strings.Cut(cause, ":")
	if _, err := strconv.ParseUint(id, 10, 63); err == nil {
		switch kind {
		case "event":
			return Root + "journal/" + id
		case "run", "job":
			return Root + kind + "/" + id
		}
	}
	return Root + "journal?cause=" + url.QueryEscape(cause)
}

var subjectForm = regexp.MustCompile(`^([A-Za-z0-9_.\[\]-]+/[A-Za-z0-9_.-]+)(?:#([0-9]+))?$`)

// about is where the subject of an entry is shown; "" is nowhere.
func about(subject string) string {
	if strings.HasPrefix(subject, "run:") || strings.HasPrefix(subject, "job:") {
		return at(subject)
	}
	m := subjectForm.FindStringSubmatch(subject)
	switch {
	case m == nil:
		return ""
	case m[2] != "":
		return repoURL(m[1]) + "/issues/" + m[2]
	}
	return repoURL(m[1])
}
