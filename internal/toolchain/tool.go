package toolchain

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Tool is one that an action of GitHub's sets up.
type Tool struct {
	Action string   // "actions/setup-go"
	Name   string   // "Go"
	Input  string   // that asks for a version: "go-version"
	names  string   // pattern of the names of its programs
	argv   []string // what makes it tell its version
	tells  string   // pattern of the version in what it tells
	alias  func(spec string) (c Constraint, known bool, err error)
}

// Tools are all of them.
func Tools() []Tool {
	return []Tool{
		{
			Action: "actions/setup-go", Name: "Go", Input: "go-version", names: `^go$`,
			argv: []string{"version"}, tells: `go version go(\S+)`, alias: goAlias,
		},
		{
			Action: "actions/setup-node", Name: "Node.js", Input: "node-version", names: `^node$`,
			argv: []string{"--version"}, tells: `^(v\d\S*)`, alias: nodeAlias,
		},
		{
			Action: "actions/setup-python", Name: "Python", Input: "python-version", names: `^python(3(\.\d+)?)?$`,
			argv: []string{"--version"}, tells: `^Python (\d\S*)`, alias: pythonAlias,
		},
		{
			Action: "actions/setup-java", Name: "Java", Input: "java-version", names: `^java$`,
			argv: []string{"-version"}, tells: `version "([^"]+)"`, alias: javaAlias,
		},
	}
}

// Of returns the tool that an action sets up. Names of actions are in any case.
func Of(action string) (Tool, bool) {
	for _, t := range Tools() {
		if strings.EqualFold(t.Action, action) {
			return t, true
		}
	}
	return Tool{}, false
}

// Want reads what a workflow asks of the tool.
func (t Tool) Want(spec string) (Constraint, error) {
	spec = strings.TrimSpace(spec)
	if strings.ContainsAny(spec, "\r\n") {
		return Constraint{}, fmt.Errorf("several versions at once are not supported: ask for one in each step")
	}
	c, known, err := t.alias(spec)
	if known || err != nil {
		c.text = spec
		return c, err
	}
	return ParseConstraint(spec)
}

// https://github.com/actions/setup-go#using-stableoldstable-aliases
func goAlias(spec string) (c Constraint, known bool, err error) {
	switch spec {
	case "stable":
		return c, true, nil
	case "oldstable":
		return c, false, fmt.Errorf("which version is %s is not known without a network; name it, or a range", spec)
	}
	return c, false, nil
}

// https://github.com/actions/setup-node/blob/main/docs/advanced-usage.md#version-syntax
func nodeAlias(spec string) (c Constraint, known bool, err error) {
	names := map[string]int{
		"argon": 4, "boron": 6, "carbon": 8, "dubnium": 10, "erbium": 12, "fermium": 14, "gallium": 16, "hydrogen": 18, "iron": 20, "jod": 22,
		"krypton": 24,
	}
	name, lts := strings.CutPrefix(strings.ToLower(spec), "lts/")
	switch {
	case spec == "latest", spec == "current", spec == "node":
		return c, true, nil
	case lts && name == "*":
		c.ok = func(v Version) bool { return v.Major >= 4 && v.Major%2 == 0 } // even ones become long-term versions
		return c, true, nil
	case lts && names[name] != 0:
		c.ok = func(v Version) bool { return v.Major == names[name] }
		return c, true, nil
	case lts, strings.Contains(spec, "nightly"), strings.Contains(spec, "canary"):
		return c, false, fmt.Errorf("which version is %q is not known without a network; name it, or a range", spec)
	}
	return c, false, nil
}

func pythonAlias(spec string) (c Constraint, known bool, err error) {
	for _, other := range []string{"pypy", "graalpy"} {
		if strings.HasPrefix(strings.ToLower(spec), other) {
			return c, false, fmt.Errorf("%s is not looked for, only CPython is", spec)
		}
	}
	if strings.HasSuffix(spec, "t") || strings.HasSuffix(spec, "-dev") {
		return c, false, fmt.Errorf("%s is not looked for, only usual builds of releases are", spec)
	}
	return c, false, nil
}

// https://github.com/actions/setup-java#supported-version-syntax
func javaAlias(spec string) (c Constraint, known bool, err error) {
	if spec == "latest" {
		return c, true, nil
	}
	if strings.HasSuffix(spec, "-ea") {
		return c, false, fmt.Errorf("%s is not looked for, only releases are", spec)
	}
	return c, false, nil
}

// read takes the version out of what the tool tells.
func (t Tool) read(told string) (text string, v Version, err error) {
	tells := regexp.MustCompile(t.tells)
	for line := range strings.Lines(told) {
		if m := tells.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			v, err := ParseVersion(modern(m[1]))
			return m[1], v, err
		}
	}
	return "", v, fmt.Errorf("it tells no version: %.80q", strings.TrimSpace(told))
}

var oldJava = pattern(`^1\.(\d+)\.0_(\d+)`)

// modern writes a version of old Java as its successors would.
func modern(text string) string {
	if m := oldJava().FindStringSubmatch(text); m != nil {
		patch, _ := strconv.Atoi(m[2])
		return fmt.Sprintf("%s.0.%d", m[1], patch)
	}
	return text
}
