package setup

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"example.com/crew/internal/config"
	"example.com/crew/internal/defect"
)

// MaxPreset is the most bytes of a preset.
const MaxPreset = 1 << 20

// pinned is what an installation's own configuration says of the runtime, and inherited what it says instead of it
// with a preset.
const (
	pinned    = "# What drives the agents.\nruntime: dummy\n"
	inherited = "# What drives the agents stands in config.base.yaml; \"runtime\" here would override it.\n"
)

// check says whether the preset is a configuration that ours can stand on.
func (o Options) check() error {
	own, err := o.own()
	if err != nil || o.Preset == nil {
		return err
	}
	if len(o.Preset) > MaxPreset {
		return fmt.Errorf("preset %s has more than %d bytes", o.PresetName, MaxPreset)
	}
	_, err = config.Parse(config.Text{Name: o.PresetName, Data: o.Preset}, config.Text{Name: path.Join(o.Dir, config.File), Data: []byte(own)})
	return err
}

// own is the configuration that is installed. With a preset the runtime is the preset's.
func (o Options) own() (string, error) {
	text, err := read(config.File)
	if err != nil || o.Preset == nil || o.Defect == defect.PresetPinned {
		return text, err
	}
	if !strings.Contains(text, pinned) {
		return "", errors.New("crew's own configuration pins no runtime where it is looked for")
	}
	return strings.Replace(text, pinned, inherited, 1), nil
}
