package trial

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/suite"
)

// makePlan selects what runs and lets the packs look at it.
func (p *Prepared) makePlan() error {
	declared, known, err := p.capabilities()
	if err != nil {
		return err
	}
	o := suite.PlanOptions{
		Tags: p.o.Tags, Environment: p.env.Name(), Capabilities: slices.Concat(p.env.Capabilities(), declared), Known: known,
		HowTo: map[driver.Capability]string{},
	}
	for _, name := range known {
		all := list(append(slices.Clone(declared), name), ",")
		o.HowTo[name] = fmt.Sprintf("it runs with --capabilities %s, or BEHAVIOUR_CAPABILITIES=%s under go test", all, all)
	}
	if p.plan, err = suite.Plan(p.files, o); err != nil {
		return err
	}
	if err := p.narrow(); err != nil {
		return err
	}
	return suite.Lint(p.o.Packs, p.Draft())
}

// Draft is what packs see of the plan before anything runs.
func (p *Prepared) Draft() suite.Draft {
	return suite.Draft{Scenarios: p.plan.Running(), Platform: p.Platform.Platform, Fixtures: p.fixtures()}
}

func (p *Prepared) fixtures() fs.FS { return rooted(p.Config.Fixtures) }

// rooted is a directory as a file system that no link leads out of.
type rooted string

// Open implements fs.FS.
func (r rooted) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return os.OpenInRoot(string(r), filepath.FromSlash(name))
}

// capabilities returns those declared, and those that may be. Nothing given means what the platform
// file declares by default; a suite without a platform file has no such list, and any name will do.
func (p *Prepared) capabilities() (declared, known []driver.Capability, err error) {
	for name, on := range p.Platform.Capabilities {
		known = append(known, name)
		if on {
			declared = append(declared, name)
		}
	}
	slices.Sort(known)
	slices.Sort(declared)
	if p.o.Declared == nil {
		return declared, known, nil
	}
	offered := p.env.Capabilities()
	var problems []error
	for _, name := range p.o.Declared {
		if p.Config.Platform != "" && !slices.Contains(known, name) && !slices.Contains(offered, name) {
			problems = append(problems, fmt.Errorf("capability %q is declared, but unknown: %s lists %s, environment %s offers %s",
				name, p.Platform.File, list(known, ", "), p.env.Name(), list(offered, ", ")))
		}
	}
	return p.o.Declared, known, errors.Join(problems...)
}

func list(names []driver.Capability, between string) string {
	if len(names) == 0 {
		return "none"
	}
	all := make([]string, len(names))
	for i, n := range names {
		all[i] = string(n)
	}
	return strings.Join(all, between)
}
