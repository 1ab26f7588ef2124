package environment

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/internal/strictyaml"
)

// Platform is a platform file, read: how to get, install and remove the system under test, and
// what scenarios need to know of it.
type Platform struct {
	driver.Platform
	File    string    // path of the platform file
	Get     Get       // how to build it
	Install Install   // run once for each leased repository
	Defect  []string  // arguments added to Install for a seeded defect; "{name}" is its name
	Door    []Opening // hosts that programs of the platform can reach
	Order   []string  // actor names in the file's order

	// Capabilities are the names that scenarios may require and whoever runs them declares, with
	// whether they count as declared when he says nothing.
	Capabilities map[driver.Capability]bool
}

// Get says how the platform's executable is made. It runs once per run of the kit, in the caller's
// own environment.
type Get struct {
	Dir   string   // directory to build in, absolute
	Run   []string // "{gives}" is the path of the executable to make
	Gives string   // base name of the executable
}

// Install is the platform's own installer. In its arguments and environment "{repo}", "{api}",
// "{server}" and "{token:ACTOR}" are replaced.
type Install struct {
	Run      []string
	Env      map[string]string
	Validate []string // paths that must be in the repository afterwards
}

// Opening is a host that answers behind the only door out.
type Opening struct {
	Host   string
	Status int
	Body   string
}

// The actors that steps use by name; every platform file has them.
const (
	ActorAdmin    = "admin"    // creates the repository and installs the platform
	ActorWrite    = "write"    // opens issues and sets labels
	ActorObserver = "observer" // built in; reads everything
)

// ReadPlatform reads and checks a platform file. Every problem names its file and line.
func ReadPlatform(file string) (Platform, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return Platform{}, fmt.Errorf("read platform file: %w", err)
	}
	var w wirePlatform
	if err := strictyaml.Decode(file, data, &w); err != nil {
		return Platform{}, err
	}
	p, err := w.platform(file)
	for key, pattern := range map[string]string{"job": p.JobPattern, "artifact": p.ArtifactPattern} {
		if len(p.Stages) > 1 && !strings.Contains(pattern, "{stage}") {
			err = errors.Join(err, strictyaml.Errorf(file, 1, "names.%s is %q for every stage; put {stage} into it", key, pattern))
		}
	}
	if err = errors.Join(append([]error{err}, checkPlaceholders(file, data, p.Actors)...)...); err != nil {
		return Platform{}, err
	}
	return p, nil
}

// wirePlatform is the file's form. Nodes are kept where a problem needs its line.
type wirePlatform struct {
	Name yaml.Node `yaml:"name"`
	Get  struct {
		Dir   string    `yaml:"dir"`
		Run   []string  `yaml:"run"`
		Gives yaml.Node `yaml:"gives"`
	} `yaml:"get"`
	Install struct {
		Run      []string          `yaml:"run"`
		Env      map[string]string `yaml:"env"`
		Validate []string          `yaml:"validate"`
	} `yaml:"install"`
	Defect struct {
		Install []string `yaml:"install"`
	} `yaml:"defect"`
	Actors yaml.Node `yaml:"actors"`
	Places struct {
		Script  string `yaml:"script"`
		Results string `yaml:"results"`
		Policy  string `yaml:"policy"`
	} `yaml:"places"`
	Names struct {
		Artifact string `yaml:"artifact"`
		Workflow string `yaml:"workflow"`
		Job      string `yaml:"job"`
		Failure  string `yaml:"failure"`
	} `yaml:"names"`
	Stages       yaml.Node `yaml:"stages"`
	Door         yaml.Node `yaml:"door"`
	Capabilities yaml.Node `yaml:"capabilities"`
}

func (w wirePlatform) platform(file string) (Platform, error) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return Platform{}, fmt.Errorf("read platform file: %w", err)
	}
	p := Platform{
		File:    file,
		Get:     Get{Dir: beside(abs, w.Get.Dir), Run: w.Get.Run, Gives: w.Get.Gives.Value},
		Install: Install{Run: w.Install.Run, Env: w.Install.Env, Validate: w.Install.Validate},
		Defect:  w.Defect.Install,
		Platform: driver.Platform{
			Name: w.Name.Value, ScriptPath: w.Places.Script, ResultsFile: w.Places.Results,
			PolicyFile: w.Places.Policy, ArtifactPattern: w.Names.Artifact, WorkflowFile: w.Names.Workflow,
			JobPattern: w.Names.Job, FailureMarker: w.Names.Failure,
		},
	}
	var problems []error
	problems = append(problems, p.readActors(file, w.Actors)...)
	problems = append(problems, p.readStages(file, w.Stages)...)
	problems = append(problems, p.readDoor(file, w.Door)...)
	problems = append(problems, p.readCapabilities(file, w.Capabilities)...)
	problems = append(problems, p.missing(file, w)...)
	if strings.ContainsAny(p.Get.Gives, "/\\") {
		problems = append(problems, strictyaml.Errorf(file, w.Get.Gives.Line, "get.gives is a file name, not a path: %q", p.Get.Gives))
	}
	return p, errors.Join(problems...)
}

// beside is a path as a file means it: absolute, or from the file's own directory.
func beside(file, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(file), path)
}

func (p *Platform) readActors(file string, n yaml.Node) (problems []error) {
	p.Actors = map[string]driver.Actor{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		var w struct {
			Login string `yaml:"login"`
			Role  string `yaml:"role"`
			Bot   bool   `yaml:"bot"`
		}
		if err := strictyaml.DecodeNode(file, n.Content[i+1], &w); err != nil {
			problems = append(problems, err)
			continue
		}
		if w.Login == "" {
			w.Login = key.Value
		}
		roles := []string{"admin", "maintain", "write", "triage", "read", "none"}
		if !slices.Contains(roles, w.Role) {
			problems = append(problems, strictyaml.Errorf(file, key.Line, "actor %q has role %q; it is one of %s", key.Value, w.Role, strings.Join(roles, ", ")))
		}
		if key.Value == ActorObserver {
			problems = append(problems, strictyaml.Errorf(file, key.Line, "actor %q is built in and cannot be declared", key.Value))
		}
		p.Actors[key.Value] = driver.Actor{Name: key.Value, Login: w.Login, Role: w.Role, Bot: w.Bot}
		p.Order = append(p.Order, key.Value)
	}
	for _, name := range []string{ActorAdmin, ActorWrite} {
		if _, ok := p.Actors[name]; !ok {
			problems = append(problems, strictyaml.Errorf(file, n.Line, "actors lacks %q, whom steps use", name))
		}
	}
	return problems
}

func (p *Platform) readDoor(file string, n yaml.Node) (problems []error) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		var w struct {
			Status int    `yaml:"status"`
			Body   string `yaml:"body"`
		}
		if err := strictyaml.DecodeNode(file, n.Content[i+1], &w); err != nil {
			problems = append(problems, err)
			continue
		}
		if w.Status != 0 && (w.Status < 200 || w.Status > 599) {
			problems = append(problems, strictyaml.Errorf(file, n.Content[i].Line, "host %s answers %d; a status is 200 to 599", n.Content[i].Value, w.Status))
		}
		p.Door = append(p.Door, Opening{Host: n.Content[i].Value, Status: w.Status, Body: w.Body})
	}
	return problems
}

func (p *Platform) missing(file string, w wirePlatform) (problems []error) {
	for key, empty := range map[string]bool{
		"name": p.Name == "", "get.run": len(p.Get.Run) == 0, "get.gives": p.Get.Gives == "",
		"install.run": len(p.Install.Run) == 0, "places.script": p.ScriptPath == "", "places.results": p.ResultsFile == "",
		"names.artifact": p.ArtifactPattern == "", "names.workflow": p.WorkflowFile == "", "names.job": p.JobPattern == "",
		"stages": w.Stages.Kind == 0,
	} {
		if empty {
			problems = append(problems, strictyaml.Errorf(file, 1, "%s is missing", key))
		}
	}
	slices.SortFunc(problems, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return problems
}
