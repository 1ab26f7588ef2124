package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/understudy-dev/understudy/environment"
	"github.com/understudy-dev/understudy/environment/local"
	"github.com/understudy-dev/understudy/internal/nearest"
	"github.com/understudy-dev/understudy/trial"
)

// capability is a name that scenarios may require.
type capability struct {
	Name  string `json:"name"`
	There bool   `json:"there"`
	From  string `json:"from"` // where it is from, or what would declare it
}

// capabilitiesOf are those of the local environment and of the platform file of a suite, if there is
// one, with what BEHAVIOUR_CAPABILITIES says of them.
func capabilitiesOf(suiteDir string, env []string) ([]capability, error) {
	var all []capability
	for _, name := range local.New(local.Options{}).Capabilities() {
		all = append(all, capability{string(name), true, "offered by the local environment"})
	}
	declared := map[string]bool{}
	value, set := "", false
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, "BEHAVIOUR_CAPABILITIES="); ok {
			value, set = v, true
		}
	}
	for name := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ',' || r == ' ' }) {
		declared[name] = true
	}
	config, err := trial.FindConfig(suiteDir, "")
	if errors.Is(err, trial.ErrNoConfig) || err == nil && config.Platform == "" {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	p, err := environment.ReadPlatform(fromHere(config.Platform))
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(p.Capabilities)) {
		c := capability{Name: string(name), There: p.Capabilities[name], From: "declared by " + p.File + " unless told otherwise"}
		switch {
		case set && declared[c.Name]:
			c.There, c.From = true, "declared by BEHAVIOUR_CAPABILITIES, under go test"
		case set:
			c.There, c.From = false, "left out by BEHAVIOUR_CAPABILITIES, under go test"
		case !c.There:
			c.From = fmt.Sprintf("known to %s; it runs with --capabilities %s, or BEHAVIOUR_CAPABILITIES=%s under go test", p.File, name, name)
		}
		all = append(all, c)
	}
	return all, nil
}

// thingNames are the names that --capability knows on any machine.
func thingNames() []string {
	names := []string{"understudy-job", "temp-dir", "disk-space", "open-files", "namespaces"}
	for _, p := range programs() {
		names = append(names, p.name)
	}
	for _, k := range kinds() {
		names = append(names, k.name)
	}
	return names
}

// tell prints a line about one thing or capability.
func (d diagnosis) tell(w io.Writer, name string) error {
	known := []string{}
	for _, f := range d.Things {
		known = append(known, f.Name)
		if f.Name != name {
			continue
		}
		fmt.Fprintf(w, "%s: %s\n", name, f.state())
		if f.Found {
			return nil
		}
		fmt.Fprintf(w, "to get it: %s\n", f.how())
		return exitError(exitBroken)
	}
	for _, c := range d.Capabilities {
		known = append(known, c.Name)
		if c.Name != name {
			continue
		}
		fmt.Fprintf(w, "%s: %s\n", name, c.From)
		if c.There {
			return nil
		}
		return exitError(exitBroken)
	}
	hint := "there are: " + strings.Join(known, ", ")
	if near := nearest.Of(name, known); near != "" {
		hint = "did you mean " + near + "? " + hint
	}
	return &hinted{fmt.Errorf("--capability %q: nobody knows it", name), hint}
}
