package run

import (
	"os"
	"path/filepath"
)

// script is the dummy's script for an agent: its own where there is one, else that of all.
func script(dir, agent string) string {
	own := filepath.Join(dir, "behaviour", agent+".yaml")
	if _, err := os.Lstat(own); err == nil {
		return own
	}
	return filepath.Join(dir, "behaviour", "current-scenario.yaml")
}
