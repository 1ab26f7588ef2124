package envvar

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/understudy-dev/understudy/internal/nearest"
)

// prefix is that of names which are nobody else's: one that the table lacks is a typing mistake.
const prefix = "BEHAVIOUR_"

// Values are what the variables decide.
type Values struct {
	Tags         string
	Jobs         int      // 0 is what the environment can hold
	Capabilities []string // nil is what the platform file says
	Artifacts    string
	Preset       string
}

// Read checks all variables of an environment ("NAME=VALUE", of which a later one counts). It reports everything it
// finds, and never the value of a secret. Whether a preset is there is for others to say.
func Read(environ []string) (Values, error) {
	set := map[string]string{}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		set[name] = value
	}
	var problems []error
	var known []string
	for _, v := range Table() {
		if strings.HasPrefix(v.Name, prefix) {
			known = append(known, v.Name)
		}
		problems = append(problems, v.check(set[v.Name]))
	}
	slices.Sort(known)
	for _, name := range unknown(set, known) {
		hint := "there are " + strings.Join(known, ", ")
		if near := nearest.Of(name, known); near != "" {
			hint = "is it " + near + "?"
		}
		problems = append(problems, fmt.Errorf("%s: there is no such variable; %s", name, hint))
	}
	v := Values{Artifacts: set["BEHAVIOUR_ARTIFACT_DIR"], Preset: set["BEHAVIOUR_CONFIG_PRESET"], Tags: tagExpression(set["GODOG_TAGS"])}
	var errs [3]error
	var pool int
	if names, there := set["BEHAVIOUR_CAPABILITIES"]; there {
		if v.Capabilities, errs[0] = Names(names); errs[0] != nil {
			errs[0] = fmt.Errorf("BEHAVIOUR_CAPABILITIES=%s: %w", names, errs[0])
		}
	}
	v.Jobs, errs[1] = number("GODOG_CONCURRENCY", set["GODOG_CONCURRENCY"], 0)
	pool, errs[2] = number("BEHAVIOUR_POOL_SIZE", set["BEHAVIOUR_POOL_SIZE"], 1)
	if pool > 0 && (v.Jobs == 0 || v.Jobs > pool) {
		v.Jobs = pool
	}
	return v, errors.Join(append(problems, errs[:]...)...)
}

func unknown(set map[string]string, known []string) []string {
	var names []string
	for name := range set {
		if strings.HasPrefix(name, prefix) && !slices.Contains(known, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// check looks at the value of a choice.
func (v Variable) check(value string) error {
	switch {
	case v.Allowed == nil || value == "" || slices.Contains(v.Allowed, value):
		return nil
	case slices.Contains(v.Planned, value):
		return fmt.Errorf("%s=%s: this value is not built yet; %s", v.Name, value, v.allowed())
	}
	err := fmt.Errorf("%s=%s: there is no such value; %s", v.Name, value, v.allowed())
	if near := nearest.Of(value, v.Allowed); near != "" {
		err = fmt.Errorf("%w; is it %s?", err, near)
	}
	return err
}

// Names reads a list of capabilities, NAME,NAME; an empty one declares none.
func Names(value string) ([]string, error) {
	out := []string{}
	if strings.TrimSpace(value) == "" {
		return out, nil
	}
	for name := range strings.SplitSeq(value, ",") {
		if name = strings.TrimSpace(name); name == "" || strings.ContainsAny(name, " \t@") {
			return nil, fmt.Errorf("%q is not a name; the form is NAME,NAME", name)
		}
		out = append(out, name)
	}
	return out, nil
}

// number reads one that is least or more; unset is 0.
func number(name, value string, least int) (int, error) {
	if value == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < least {
		return 0, fmt.Errorf("%s=%s: it is a number from %d on", name, value, least)
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
