package budget

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// gitlabLimit is what a job has without timeout, where the project does not say otherwise
// (https://docs.gitlab.com/ci/pipelines/settings/#set-a-limit-for-how-long-jobs-can-run).
const gitlabLimit = time.Hour

// readGitLab reads a job of GitLab's form: a key at the top that has a script. False is that it is none.
func readGitLab(file string, doc *yaml.Node, name string) (j job, at Place, ok bool, err error) {
	n := value(doc, name)
	script := value(n, "script")
	if value(doc, "jobs") != nil || script == nil {
		return j, at, false, nil
	}
	j.line, at = n.Line, Place{file, n.Line}
	j.limit = Limit{Place: at, Time: gitlabLimit, As: "timeout 1h"}
	if v := value(n, "timeout"); v != nil {
		j.limit = Limit{Place: Place{file, v.Line}, Said: true, As: "timeout " + oneLine(v.Value)}
		if j.limit.Time, err = period(v.Value); err != nil {
			return j, j.limit.Place, true, fmt.Errorf("job %q: %w", name, err)
		}
	}
	lines := []*yaml.Node{script}
	for i := 0; i < len(lines) && i < maxScript; i++ { // lists stand in lists
		switch l := deref(lines[i]); l.Kind {
		case yaml.ScalarNode:
			j.steps = append(j.steps, scriptOf(l))
		case yaml.SequenceNode:
			lines = append(lines, l.Content...)
		}
	}
	return j, at, true, nil
}

// maxScript bounds the lines and lists of a script, which could stand in each other without end.
const maxScript = 1000

var units = regexp.MustCompile(`^(\d+(?:\.\d+)?) ?(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)\b[ ,]*(?:and )?`)

// period reads a time in words, such as "3h 30m" or "3 hours 30 minutes".
func period(text string) (d time.Duration, err error) {
	rest := strings.ToLower(oneLine(text))
	for rest != "" {
		m := units.FindStringSubmatch(rest)
		if m == nil {
			return 0, fmt.Errorf("timeout is %q, which cannot be read as a time; it is such as 1h 30m", text)
		}
		n, err := strconv.ParseFloat(m[1], 64)
		of := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}[m[2][0]]
		if err != nil || n*of.Seconds() > 1e8 {
			return 0, fmt.Errorf("timeout is %q, which is more than there is", text)
		}
		d += time.Duration(n * float64(of))
		rest = rest[len(m[0]):]
		if d > 1e8*time.Second {
			return 0, fmt.Errorf("timeout is %q, which is more than there is", text)
		}
	}
	if d <= 0 {
		return 0, fmt.Errorf("timeout is %q, which is no time", text)
	}
	return d, nil
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
