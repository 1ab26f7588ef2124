package environment

import (
	"errors"
	"fmt"
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
	Install Install   // run once for a site, or for each leased repository where that cannot be copied
	Poller  Poller    // of the issue tracker; Run is empty when there is none
	Defect  []string  // arguments added to Install for a seeded defect; "{name}" is its name
	Preset  []string  // arguments added to Install for a preset; "{preset}" is a file or a URL
	Door    []Opening // hosts that programs of the platform can reach
	Order   []string  // actor names in the file's order

	// Words are what the platform calls the things that portable features speak of as <platform:NAME>.
	Words map[string]string

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

// Poller is how the platform polls an issue tracker: it prints a JSON object with stage, issue, actor and role for each
// thing that it starts. In its arguments and environment "{repo}", "{tracker}", "{project}" and "{email}" are replaced, in its
// environment "{token}" as well.
type Poller struct {
	Run []string
	Env map[string]string
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
	data, err := strictyaml.Read(file)
	if e, ok := errors.AsType[*strictyaml.Error](err); ok {
		return Platform{}, e
	}
	if err != nil {
		return Platform{}, fmt.Errorf("read platform file: %w", err)
	}
	return ParsePlatform(file, data)
}

// ParsePlatform is ReadPlatform for text that was read already. Paths in it are relative to file's
// directory, and the schemas it names are read there.
func ParsePlatform(file string, data []byte) (Platform, error) {
	var doc yaml.Node
	if err := strictyaml.Decode(file, data, &doc); err != nil {
		return Platform{}, err
	}
	var w wirePlatform
	if err := strictyaml.DecodeNode(file, doc.Content[0], &w); err != nil {
		return Platform{}, err
	}
	at := places{file, doc.Content[0]}
	p, problems := w.platform(at)
	for key, pattern := range map[string]string{"names.job": p.JobPattern, "names.artifact": p.ArtifactPattern} {
		if len(p.Stages) > 1 && pattern != "" && !strings.Contains(pattern, "{stage}") {
			problems = append(problems, at.errorf(key, "%s is %q for every stage; put {stage} into it", key, pattern))
		}
	}
	problems = append(problems, checkPlaceholders(at, p.Actors)...)
	if len(problems) > 0 {
		return Platform{}, strictyaml.Join(problems)
	}
	return p, nil
}

// wirePlatform is the file's form. Nodes are kept where keys are anybody's, or the order counts.
type wirePlatform struct {
	Name string `yaml:"name"`
	Get  struct {
		Dir   string   `yaml:"dir"`
		Run   []string `yaml:"run"`
		Gives string   `yaml:"gives"`
	} `yaml:"get"`
	Install struct {
		Run      []string          `yaml:"run"`
		Env      map[string]string `yaml:"env"`
		Validate []string          `yaml:"validate"`
	} `yaml:"install"`
	Defect struct {
		Install []string `yaml:"install"`
	} `yaml:"defect"`
	Preset struct {
		Install []string `yaml:"install"`
	} `yaml:"preset"`
	Poller struct {
		Run []string          `yaml:"run"`
		Env map[string]string `yaml:"env"`
	} `yaml:"poller"`
	Actors yaml.Node `yaml:"actors"`
	Places struct {
		Script  string `yaml:"script"`
		Results string `yaml:"results"`
		Policy  string `yaml:"policy"`

		Harness   string `yaml:"harness"`
		AgentFile string `yaml:"agent-file"`
		Raw       string `yaml:"raw"`
	} `yaml:"places"`
	Names struct {
		Artifact string `yaml:"artifact"`
		Workflow string `yaml:"workflow"`
		Job      string `yaml:"job"`
		Failure  string `yaml:"failure"`
		Owners   string `yaml:"owners"`
	} `yaml:"names"`
	Harness      wireHarness `yaml:"harness"`
	Edits        yaml.Node   `yaml:"edits"`
	Metrics      wireMetrics `yaml:"metrics"`
	Runtimes     yaml.Node   `yaml:"runtimes"`
	Stages       yaml.Node   `yaml:"stages"`
	Door         yaml.Node   `yaml:"door"`
	Capabilities yaml.Node   `yaml:"capabilities"`
	Words        yaml.Node   `yaml:"words"`
}

func (w wirePlatform) platform(at places) (Platform, []error) {
	abs, err := filepath.Abs(at.file)
	if err != nil {
		return Platform{}, []error{fmt.Errorf("read platform file: %w", err)}
	}
	p := Platform{
		File:    at.file,
		Get:     Get{Dir: beside(abs, w.Get.Dir), Run: w.Get.Run, Gives: w.Get.Gives},
		Install: Install{Run: w.Install.Run, Env: w.Install.Env, Validate: w.Install.Validate},
		Poller:  Poller{Run: w.Poller.Run, Env: w.Poller.Env},
		Defect:  w.Defect.Install,
		Preset:  w.Preset.Install,
		Platform: driver.Platform{
			Name: w.Name, ScriptPath: w.Places.Script, ResultsFile: w.Places.Results,
			PolicyFile: w.Places.Policy, ArtifactPattern: w.Names.Artifact, WorkflowFile: w.Names.Workflow,
			JobPattern: w.Names.Job, FailureMarker: w.Names.Failure, OwnersMarker: w.Names.Owners,
			AgentFile: w.Places.AgentFile, RawURL: w.Places.Raw, Harness: w.Harness.harness(w.Places.Harness),
			Metrics: w.Metrics.metrics(),
		},
	}
	return p, slices.Concat(p.readActors(at, w.Actors), p.readStages(at.file, w.Stages), p.readDoor(at.file, w.Door),
		p.readCapabilities(at.file, w.Capabilities), p.readWords(at.file, w.Words),
		p.readEdits(at.file, w.Edits), p.checkHarness(at), p.readRuntimes(at.file, w.Runtimes), p.missing(at, w), p.outside(at))
}

// beside is a path as a file means it: absolute, or from the file's own directory.
func beside(file, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(file), path)
}

// entries are the keys and values of a part that is a mapping; a part that is not there has none.
func entries(file, part, example string, n yaml.Node) (pairs [][2]*yaml.Node, problem error) {
	switch {
	case n.Kind == 0, n.ShortTag() == "!!null":
		return nil, nil
	case n.Kind != yaml.MappingNode:
		return nil, strictyaml.Errorf(file, n.Line, "%s is a mapping from each name to what is known of it", part).Hinted("such as %s", example)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		pairs = append(pairs, [2]*yaml.Node{n.Content[i], n.Content[i+1]})
	}
	return pairs, nil
}

func (p *Platform) readDoor(file string, n yaml.Node) (problems []error) {
	pairs, err := entries(file, "door", "`allowed.test: {status: 200, body: hello}`", n)
	if err != nil {
		return []error{err}
	}
	for _, pair := range pairs {
		host := pair[0]
		var w struct {
			Status int    `yaml:"status"`
			Body   string `yaml:"body"`
		}
		if err := strictyaml.DecodePart(file, "door."+host.Value, pair[1], &w); err != nil {
			problems = append(problems, err)
			continue
		}
		if w.Status != 0 && (w.Status < 200 || w.Status > 599) {
			problems = append(problems, strictyaml.Errorf(file, host.Line, "host %s answers %d; a status is 200 to 599", host.Value, w.Status))
		}
		if host.Value == "" || strings.ContainsAny(host.Value, "/ \t@") {
			problems = append(problems, strictyaml.Errorf(file, host.Line, "door has %q, which is no host's name", host.Value).Hinted("such as allowed.test, without https:// or a path"))
		}
		p.Door = append(p.Door, Opening{Host: host.Value, Status: w.Status, Body: w.Body})
	}
	return problems
}

func (p *Platform) missing(at places, w wirePlatform) (problems []error) {
	for _, m := range []struct {
		key     string
		empty   bool
		example string
	}{
		{"name", p.Name == "", "name: crew"},
		{"get.run", len(p.Get.Run) == 0, `get: {run: [go, build, -o, "{gives}"]}`},
		{"get.gives", p.Get.Gives == "", "get: {gives: crew}"},
		{"install.run", len(p.Install.Run) == 0, `install: {run: [crew, setup, "{repo}"]}`},
		{"places.script", p.ScriptPath == "", "places: {script: .crew/script.json}"},
		{"places.results", p.ResultsFile == "", "places: {results: behaviour-results.json}"},
		{"names.artifact", p.ArtifactPattern == "", `names: {artifact: "crew-{stage}"}`},
		{"names.workflow", p.WorkflowFile == "", "names: {workflow: crew.yml}"},
		{"names.job", p.JobPattern == "", `names: {job: "run ({stage})"}`},
		{"poller.run", len(p.Poller.Run) == 0 && child(at.top, "poller").Kind == yaml.MappingNode, `poller: {run: [crew, poll, "{tracker}"]}`},
		{"stages", w.Stages.Kind == 0, "stages: {triage: {label: ready-for-triage}}"},
	} {
		if m.empty {
			problems = append(problems, at.errorf(m.key, "%s is missing", m.key).Hinted("such as `%s`", m.example))
		}
	}
	return problems
}
