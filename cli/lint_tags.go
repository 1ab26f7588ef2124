package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/internal/nearest"
	"github.com/understudy-dev/understudy/suite/feature"
)

// knownTags are the tags that mean something to the kit; one that ends in a colon has a name after it.
var knownTags = []string{"@requires:capability:", "@skip:", "@lock:", "@serial", "@fresh"}

// places are what a scenario can be skipped in: environments, forges, their CI services, and ways to
// install. Not all of them are built yet, but features are older than environments.
var places = []string{"local", "live", "bare", "github", "gitlab", "forgejo", "gitea", "githubactions", "gitlabci", "forgejoactions", "per-repo", "per-org"}

// tags finds tags that are almost one of the kit's, and such as skip in no place that there is or
// without a reason. A reason is a comment: in the line of the tag, or right above the tags.
func (l *linter) tags() {
	for _, f := range l.files {
		comment := false
		for i, text := range plainLines(f.Source) {
			add := func(rule, what, hint string) {
				l.findings = append(l.findings, lintFinding{File: l.place(f.URI), Line: i + 1, Rule: rule, What: what, Hint: hint})
			}
			if !strings.HasPrefix(text, "@") {
				comment = strings.HasPrefix(text, "#") && strings.Trim(text, "# \t") != ""
				continue
			}
			before, why, _ := strings.Cut(text, " #")
			for tag := range strings.FieldsSeq(before) {
				if near := nearTag(tag); near != "" {
					add("unknown-tag", fmt.Sprintf("nobody knows the tag %s", tag), "did you mean "+near+"?")
				}
				place, skips := strings.CutPrefix(tag, "@skip:")
				if !skips || place == "" { // which the plan tells
					continue
				}
				if !slices.Contains(places, place) {
					add("unknown-tag", fmt.Sprintf("%s skips nowhere: there is no such environment, forge, CI service or way to install", tag),
						"there are: "+strings.Join(places, ", "))
				}
				if !comment && strings.TrimSpace(why) == "" {
					add("skip-reason", tag+" gives no reason", "say why in a comment behind it or right above: "+tag+" # why")
				}
			}
		}
	}
}

// nearTag is the tag of the kit that a tag was probably meant to be; "" when it is one, or is nothing
// like one.
func nearTag(tag string) string {
	head, _, named := strings.Cut(tag, ":")
	for _, known := range knownTags {
		if tag == known || known[len(known)-1] == ':' && strings.HasPrefix(tag, known) {
			return ""
		}
		name, _, needsName := strings.Cut(known, ":")
		switch {
		case head == name: // the plan tells what is wrong with its rest
			if !needsName && named {
				return known
			}
			return ""
		case strings.EqualFold(head, name), (named || len(name) > len("@lock")) && nearest.Of(head, []string{name}) != "":
			return known // a short word without a name after it, such as @clock, is one of its own
		}
	}
	return ""
}

// plainLines are the trimmed lines of a feature, empty where they belong to a docstring.
func plainLines(source string) []string {
	lines := strings.Split(source, "\n")
	fence := ""
	for i, line := range lines {
		line = strings.TrimSpace(line)
		switch {
		case fence != "":
			if line == fence {
				fence = ""
			}
			line = ""
		case strings.HasPrefix(line, `"""`):
			fence, line = `"""`, ""
		case strings.HasPrefix(line, "```"):
			fence, line = "```", ""
		}
		lines[i] = line
	}
	return lines
}

var (
	runtimeStep   = regexp.MustCompile(`^the repository runtime is "([^"]+)"$`)
	runtimeAgent  = regexp.MustCompile(`^an? "?([\w.-]+)"? agent "[^"]*" defined as:$`)
	runtimeConfig = regexp.MustCompile(`(?m)\bruntime:\s*["']?([\w-]+)`)
)

// realRuntime is the runtime other than the dummy that a step chooses.
func realRuntime(step feature.Step) (name string, ok bool) {
	var found [][]string
	for _, re := range []*regexp.Regexp{runtimeStep, runtimeAgent} {
		found = append(found, re.FindAllStringSubmatch(step.Text, -1)...)
	}
	if step.DocString != nil && strings.HasPrefix(step.Text, "the repository agents are configured with") {
		found = append(found, runtimeConfig.FindAllStringSubmatch(step.DocString.Content, -1)...)
	}
	for _, m := range found {
		if m[1] != "dummy" && !strings.HasPrefix(m[1], "dummy-") {
			return m[1], true
		}
	}
	return "", false
}

// runtimes finds scenarios that need a real runtime and do not say so in a tag: where it is missing
// they would break instead of being skipped.
func (l *linter) runtimes() {
	for _, s := range l.scenarios() {
		for _, step := range s.Steps {
			name, ok := realRuntime(step)
			tag := "@requires:capability:runtime-" + name
			if !ok || slices.ContainsFunc(s.Tags, func(t string) bool { return t == tag || strings.HasPrefix(t, tag+"-") }) {
				continue
			}
			l.findings = append(l.findings, lintFinding{File: l.place(s.URI), Line: step.Line, Rule: "runtime-capability",
				What: fmt.Sprintf("the scenario needs the real runtime %s, but no tag says so", name), Hint: "tag it " + tag})
		}
	}
}
