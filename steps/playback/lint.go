package playback

import (
	"fmt"
	"io/fs"
	"regexp"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/suite"
	"github.com/understudy-dev/understudy/world/settings"
)

var (
	returnsText   = regexp.MustCompile("^" + returnsStep + "$")
	publishedText = regexp.MustCompile("^" + publishedStep + "$")
)

// Returns is the agent that a step with this text gives a recorded result; false is that it gives none.
func Returns(text string) (agent string, ok bool) {
	m := returnsText.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// Published is the directory of fixtures that a step with this text compares; false is that it compares none.
func Published(text string) (dir string, ok bool) {
	m := publishedText.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// lint finds edits that the platform file does not name, and fixtures that are not there.
func lint(d suite.Draft) (problems []error) {
	for _, s := range d.Scenarios {
		for _, step := range s.Steps {
			var err error
			if m := returnsText.FindStringSubmatch(step.Text); m != nil {
				if d.Platform.Name != "" {
					err = settings.Missing(d.Platform, driver.EditPlaylist, driver.EditPlayback, driver.EditRuntime)
				}
				if err == nil && d.Fixtures != nil {
					if _, err = fs.ReadFile(d.Fixtures, m[2]); err != nil {
						err = fmt.Errorf("recorded result: %w", err)
					}
				}
			} else if m := publishedText.FindStringSubmatch(step.Text); m != nil && d.Fixtures != nil {
				if _, err = tree(d.Fixtures, m[1]); err != nil {
					err = fmt.Errorf("fixture %s: %w", m[1], err)
				}
			}
			if err != nil {
				problems = append(problems, suite.At(s, step, err))
			}
		}
	}
	return problems
}
