package trial

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/environment"
)

// maxPreset is the most bytes of a preset's file.
const maxPreset = 1 << 20

// readPreset reads the configuration that installations are to stand on; from "" is none.
func readPreset(from string, p environment.Platform) (*driver.Preset, error) {
	if from == "" {
		return nil, nil
	}
	preset, err := loadPreset(from)
	if err != nil {
		return nil, unusable{fmt.Errorf("preset %s: %w", from, err)}
	}
	if len(p.Preset) == 0 {
		return nil, fmt.Errorf("%s: preset.install is missing; it says how preset %s reaches the platform", p.File, from)
	}
	return &preset, nil
}

// unusable is a preset that cannot be had.
type unusable struct{ error }

func (u unusable) Unwrap() error { return u.error }

// Hint says what can be.
func (u unusable) Hint() string { return "a preset is a file, as seen from here, or an https URL" }

// CheckPreset says what is wrong with Options.Preset, as far as that can be told without the platform.
func CheckPreset(from string) error {
	if from == "" {
		return nil
	}
	_, err := loadPreset(from)
	return err
}

// loadPreset reads a file once, so that all installations of a run stand on the same.
func loadPreset(from string) (driver.Preset, error) {
	p := driver.Preset{From: from}
	switch {
	case strings.HasPrefix(from, "https://"):
		return p, nil
	case strings.Contains(from, "://"):
		return p, errors.New("it is a file or an https URL")
	}
	info, err := os.Stat(from)
	if err != nil {
		return p, err
	}
	if !info.Mode().IsRegular() {
		return p, errors.New("it is no file")
	}
	f, err := os.Open(from)
	if err != nil {
		return p, err
	}
	defer f.Close()
	p.Data, err = io.ReadAll(io.LimitReader(f, maxPreset+1))
	switch {
	case err != nil:
		return p, err
	case len(p.Data) > maxPreset:
		return p, fmt.Errorf("it has more than %d bytes", maxPreset)
	case len(p.Data) == 0:
		return p, errors.New("it is empty")
	}
	return p, nil
}

// presetName is what the record says of a preset: what it was, and nothing of the machine.
func presetName(p *driver.Preset) string {
	switch {
	case p == nil:
		return ""
	case p.Data == nil:
		return p.From
	}
	sum := sha256.Sum256(p.Data)
	return filepath.Base(p.From) + " sha256:" + hex.EncodeToString(sum[:])
}
