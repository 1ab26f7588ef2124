package behaviourtest

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/trial"
)

// variables are what the environment variables decide.
type variables struct {
	tags         string
	jobs         int // 0 is what the environment can hold
	capabilities []driver.Capability
	artifacts    string
	preset       string
}

// choice is a variable that has one of a few values.
type choice struct {
	name    string
	built   []string // the first is the default
	planned []string // known, but not built yet
}

var choices = [...]choice{
	{"BEHAVIOUR_SCM", []string{"github"}, []string{"gitlab", "forgejo"}},
	{"BEHAVIOUR_CI", []string{"githubactions"}, []string{"gitlabci", "forgejoactions", "tekton"}},
	{"BEHAVIOUR_INSTALL_MODE", []string{"per-repo"}, []string{"per-org"}},
	{"ENVIRONMENT", []string{"dev"}, []string{"stage"}},
	{"PLAYBACK_RUNTIME", []string{""}, []string{"dummy-playback"}},
}

// unbuilt are variables of which no value can be honoured yet.
var unbuilt = [...]string{"BEHAVIOUR_POOL_SIZE", "BEHAVIOUR_SUITE_NAME", "BEHAVIOUR_APP_SET"}

// ours have this prefix; a name with it that nobody knows is a typing mistake.
const prefix = "BEHAVIOUR_"

// readVariables reads and checks all variables. It reports everything it finds.
func readVariables(lookup func(string) (string, bool), environ []string) (variables, error) {
	var v variables
	var problems []error
	known := []string{"BEHAVIOUR_ARTIFACT_DIR", "BEHAVIOUR_CAPABILITIES", "BEHAVIOUR_CONFIG_PRESET"}
	for _, c := range choices {
		known = append(known, c.name)
		problems = append(problems, c.check(lookup))
	}
	for _, name := range unbuilt {
		known = append(known, name)
		if value, _ := lookup(name); value != "" {
			problems = append(problems, fmt.Errorf("%s=%s: this variable is not built yet; leave it unset", name, value))
		}
	}
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, prefix) && !slices.Contains(known, name) {
			slices.Sort(known)
			problems = append(problems, fmt.Errorf("%s: there is no such variable; there are %s", name, strings.Join(known, ", ")))
		}
	}
	var err error
	v.artifacts, _ = lookup("BEHAVIOUR_ARTIFACT_DIR")
	v.preset, _ = lookup("BEHAVIOUR_CONFIG_PRESET")
	if err := trial.CheckPreset(v.preset); err != nil {
		problems = append(problems, fmt.Errorf("BEHAVIOUR_CONFIG_PRESET=%s: %w", v.preset, err))
	}
	v.capabilities, err = capabilities(lookup)
	problems = append(problems, err)
	v.jobs, err = jobs(lookup)
	problems = append(problems, err)
	tags, _ := lookup("GODOG_TAGS")
	v.tags = tagExpression(tags)
	return v, errors.Join(problems...)
}

func (c choice) check(lookup func(string) (string, bool)) error {
	value, _ := lookup(c.name)
	switch {
	case value == "" || slices.Contains(c.built, value):
		return nil
	case slices.Contains(c.planned, value):
		return fmt.Errorf("%s=%s: this value is not built yet; %s", c.name, value, c.allowed())
	}
	return fmt.Errorf("%s=%s: there is no such value; %s", c.name, value, c.allowed())
}

func (c choice) allowed() string {
	if c.built[0] == "" {
		return "leave it unset"
	}
	return "it is " + strings.Join(c.built, " or ") + ", also when unset"
}

func capabilities(lookup func(string) (string, bool)) ([]driver.Capability, error) {
	value, set := lookup("BEHAVIOUR_CAPABILITIES")
	if !set {
		return nil, nil
	}
	out := []driver.Capability{} // set but empty declares none
	if strings.TrimSpace(value) == "" {
		return out, nil
	}
	for name := range strings.SplitSeq(value, ",") {
		if name = strings.TrimSpace(name); name == "" || strings.ContainsAny(name, " \t@") {
			return nil, fmt.Errorf("BEHAVIOUR_CAPABILITIES=%s: %q is not a name; the form is NAME,NAME", value, name)
		}
		out = append(out, driver.Capability(name))
	}
	return out, nil
}

func jobs(lookup func(string) (string, bool)) (int, error) {
	value, _ := lookup("GODOG_CONCURRENCY")
	if value == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("GODOG_CONCURRENCY=%s: it is a number, and 0 is what the environment can hold", value)
	}
	return n, nil
}

// tagExpression turns godog's own form ("@a,@b && ~@slow") into the one that is common to all
// (cucumber's "(@a or @b) and not @slow"), which passes unchanged.
func tagExpression(tags string) string {
	if !strings.ContainsAny(tags, "&~,") {
		return tags
	}
	all := strings.Split(tags, "&&")
	for i, any := range all {
		either := strings.Split(any, ",")
		for j, tag := range either {
			tag = strings.TrimSpace(tag)
			if rest, ok := strings.CutPrefix(tag, "~"); ok {
				tag = "not " + rest
			}
			either[j] = tag
		}
		all[i] = "(" + strings.Join(either, " or ") + ")"
	}
	return strings.Join(all, " and ")
}
