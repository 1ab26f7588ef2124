package dispatch

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/suite/feature"
	"github.com/understudy-dev/understudy/world/settings"
)

var (
	killText   = regexp.MustCompile("^" + killStep + "$")
	customText = regexp.MustCompile("^" + customStep + "$")
	basedText  = regexp.MustCompile("^" + basedStep + "$")

	hostText     = regexp.MustCompile("^" + hostStep + "$")
	urlText      = regexp.MustCompile("^" + urlStep + "$")
	urlBaseText  = regexp.MustCompile("^" + urlBaseStep + "$")
	urlBasedText = regexp.MustCompile("^" + urlBasedStep + "$")

	// ranText is any step about an agent by its name.
	ranText = regexp.MustCompile(`^the harness "([\w.-]+)" (?:agent|workflow|was dispatched) `)
)

// lint finds agents that no platform could take, settings that the platform file does not say how to
// change, and names of agents that nobody has brought.
func lint(d suite.Draft) (problems []error) {
	if d.Platform.Name == "" {
		return nil
	}
	for _, s := range d.Scenarios {
		b := brought{agents: map[string]bool{}, bases: map[string]bool{}}
		for _, step := range s.Steps {
			if err := judge(d.Platform, step, &b); err != nil {
				problems = append(problems, suite.At(s, step, err))
			}
		}
	}
	return problems
}

// brought is what the steps before one have made.
type brought struct {
	host   bool            // a repository for harnesses
	agents map[string]bool // registered ones
	bases  map[string]bool // in the other repository, for bases
}

// judge says what is wrong with one step.
func judge(p driver.Platform, step feature.Step, b *brought) error {
	switch {
	case killText.MatchString(step.Text):
		return settings.Missing(p, driver.EditKillSwitch)
	case ownersText.MatchString(step.Text):
		return settings.Missing(p, driver.EditOwners)
	case hostText.MatchString(step.Text):
		b.host = true
		return hosting(p)
	}
	if m := ranText.FindStringSubmatch(step.Text); m != nil {
		return known(p, m[1], b.agents)
	}
	c, ok := claim(step.Text)
	if !ok || step.DocString == nil {
		return nil
	}
	var err error
	switch {
	case c.hosted && !b.host:
		err = errors.New("no step before this one makes a repository for it: `a harness-hosting repository \"…\"`")
	case c.urlBase != "" && !b.bases[c.urlBase]:
		err = fmt.Errorf("no step before this one brings the base %q: `a URL-sourced base harness %q with:`", c.urlBase, c.urlBase)
	case c.base != "":
		if err = known(p, c.base, b.agents); err != nil {
			err = fmt.Errorf("the base of %q: %w", c.name, err)
		}
	}
	if c.hosted {
		b.bases[c.name] = true
	}
	if !c.onlyBase {
		b.agents[c.name] = true
	}
	if err != nil {
		return err
	}
	if err := usable(p, c.name, step.DocString.Content); err != nil {
		return err
	}
	return settings.Missing(p, c.edits...)
}

// brings is what a step brings.
type brings struct {
	name, base, urlBase string
	hosted, onlyBase    bool
	edits               []string // that it needs
}

func claim(text string) (c brings, ok bool) {
	c.edits = []string{driver.EditAgent}
	if m := customText.FindStringSubmatch(text); m != nil {
		c.name = m[2]
		if m[1] != "" {
			c.edits = append(c.edits, driver.EditDisable)
		}
	} else if m := basedText.FindStringSubmatch(text); m != nil {
		c.name, c.base, c.edits = m[1], m[2], append(c.edits, driver.EditBase)
	} else if m := urlText.FindStringSubmatch(text); m != nil {
		c.name, c.hosted, c.edits = m[1], true, append(c.edits, driver.EditAllow)
	} else if m := urlBaseText.FindStringSubmatch(text); m != nil {
		c.name, c.hosted, c.onlyBase, c.edits = m[1], true, true, nil
	} else if m := urlBasedText.FindStringSubmatch(text); m != nil {
		c.name, c.urlBase, c.hosted = m[2], m[3], m[1] != ""
		c.edits = append(c.edits, driver.EditAllow, driver.EditBase)
	}
	return c, c.name != ""
}

// known says that no agent is of this name.
func known(p driver.Platform, name string, brought map[string]bool) error {
	var all []string
	for _, s := range p.Stages {
		all = append(all, s.Name)
	}
	for b := range brought {
		all = append(all, b)
	}
	if slices.Contains(all, name) {
		return nil
	}
	slices.Sort(all)
	return fmt.Errorf("%q is no stage of the platform file, and no step before this one brings such an agent; there are: %s", name, strings.Join(all, ", "))
}
