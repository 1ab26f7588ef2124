package archtest

import (
	"strings"
	"testing"
)

// floors places every package of the module. An import may only point to a lower floor. A name that
// ends in /* places all packages directly below it.
var floors = []struct {
	floor int
	names []string
}{
	{9, []string{"cmd/understudy"}},
	{8, []string{"cli", "behaviourtest"}},
	{7, []string{"campaign", "campaign/queue"}},
	{6, []string{"trial"}},
	{5, []string{"environment/local", "environment/live", "steps/*", "report/junit", "report/messages", "report/html", "report/markdown", "report/github"}},
	{4, []string{"suite", "suite/hole", "suite/budget", "world/fixture", "world/settings", "environment/place", "environment/page", "environment/reach", "invariant", "result/claim", "result/scorecard", "result/policy", "report", "report/text", "driver/drivertest"}},
	{3, []string{"environment", "environment/lease", "result/coverage", "world", "suite/feature", "agent/*", "driver/*", "emulator/*", "invariant/mask"}},
	{2, []string{"result"}},
	{1, []string{"driver", "evidence", "match"}},
}

// beside are the packages outside the house: they may import what the reason says.
var beside = map[string]string{
	"cmd/understudy-job":    "the second executable: it imports act, the built-in actions and agent/dummy",
	"internal/oracletest":   "foreign clients against our servers; tests only",
	"internal/archtest":     "this test",
	"internal/bench":        "figures beside their peers; tests only",
	"internal/bench/server": "the forge in a process of its own, for internal/bench",
	"examples":              "what a user writes",
}

// banned imports: only the packages named may have them.
var banned = []struct {
	path    string
	allowed []string
	why     string
}{
	{"github.com/nektos/act", []string{"cmd/understudy-job"}, "a module that imports us must not see act"},
	{"github.com/cucumber/gherkin", []string{"suite", "suite/feature", "report/messages"}, "feature files are values everywhere else"},
	{"github.com/cucumber/messages", []string{"suite", "suite/feature", "report/messages"}, "feature files are values everywhere else"},
	{"github.com/cucumber/godog", []string{"internal/oracletest"}, "godog is an oracle of tests only"},
	{"github.com/google/go-github", []string{"internal/oracletest"}, "the oracle must be somebody else's client"},
	{"github.com/elazarl/goproxy", []string{"emulator/network"}, "one door out"},
	{"github.com/go-git/go-git", []string{"emulator/forge"}, "clients are real git; only the forge writes commits itself"},
	{"net/http/httptest", nil, "servers of the kit are real servers; tests may use it"},
	{"testing", []string{"driver/drivertest", "behaviourtest"}, "production code that imports testing changes flags of every program"},
}

func TestFloors(t *testing.T) {
	pkgs := load(t)
	for _, p := range pkgs {
		if outside(p.name) {
			continue
		}
		from, ok := floorOf(p.name)
		if !ok {
			t.Errorf("%s has no floor: place it in floors, with the packages it stands beside", p.name)
			continue
		}
		for _, dep := range p.imports {
			if strings.HasPrefix(dep, "internal/") && dep != "internal/archtest" || p.name == dep {
				continue
			}
			if private(p.name, dep) {
				continue
			}
			to, ok := floorOf(dep)
			if !ok || to >= from {
				t.Errorf("%s (floor %d) imports %s (floor %d): an import points to a lower floor", p.name, from, dep, to)
			}
		}
	}
}

// private reports whether dep is below the same top of a part with internals: emulator/forge and
// emulator/forge/internal/state are one part to the house.
func private(name, dep string) bool {
	return part(name) == part(dep)
}

func part(name string) string {
	if i := strings.Index(name, "/internal/"); i > 0 {
		return name[:i]
	}
	return name
}

func outside(name string) bool {
	if strings.HasPrefix(name, "internal/") {
		return true
	}
	for b := range beside {
		if name == b || strings.HasPrefix(name, b+"/") {
			return true
		}
	}
	return false
}

func floorOf(name string) (int, bool) {
	name = part(name)
	for _, f := range floors {
		for _, n := range f.names {
			if n == name {
				return f.floor, true
			}
		}
	}
	for _, f := range floors {
		for _, n := range f.names {
			if dir, ok := strings.CutSuffix(n, "/*"); ok {
				if rest, ok := strings.CutPrefix(name, dir+"/"); ok && !strings.Contains(rest, "/") {
					return f.floor, true
				}
			}
		}
	}
	return 0, false
}

// TestInternal holds the packages below internal/ to the standard library and each other: they are
// what every floor may use.
func TestInternal(t *testing.T) {
	for _, p := range load(t) {
		if !strings.HasPrefix(p.name, "internal/") || beside[p.name] != "" {
			continue
		}
		for _, dep := range p.imports {
			if !strings.HasPrefix(dep, "internal/") {
				t.Errorf("%s imports %s: internal packages count as the standard library", p.name, dep)
			}
		}
	}
}

func TestBannedImports(t *testing.T) {
	pkgs := load(t)
	for _, b := range banned {
		for _, p := range pkgs {
			for _, dep := range p.foreign {
				if (dep == b.path || strings.HasPrefix(dep, b.path+"/")) && !within(p.name, b.allowed) {
					t.Errorf("%s imports %s: %s", p.name, dep, b.why)
				}
			}
		}
	}
}

func within(name string, allowed []string) bool {
	for _, a := range allowed {
		if name == a || strings.HasPrefix(name, a+"/") {
			return true
		}
	}
	return false
}

// TestEmulatorsAndDriversMeetOnTheWire keeps a scenario from telling local and live apart.
func TestEmulatorsAndDriversMeetOnTheWire(t *testing.T) {
	for _, p := range load(t) {
		for _, dep := range p.imports {
			switch {
			case strings.HasPrefix(p.name, "steps/") && strings.HasPrefix(dep, "emulator/"):
				t.Errorf("%s imports %s: steps see drivers only", p.name, dep)
			case strings.HasPrefix(p.name, "emulator/") && strings.HasPrefix(dep, "driver/"),
				strings.HasPrefix(p.name, "driver/") && strings.HasPrefix(dep, "emulator/"):
				t.Errorf("%s imports %s: they meet on the wire", p.name, dep)
			}
		}
	}
}
