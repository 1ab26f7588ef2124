package local_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/driver"
)

// TestPresetOfAnEnrollment: who asks for a preset gets an installation of his own, whose installer finds the file, under
// its own name, as an argument; others get none.
func TestPresetOfAnEnrollment(t *testing.T) {
	told := filepath.Join(t.TempDir(), "told")
	p, started := installing(t, worker, `[ $# = 0 ] || { echo "$(basename "$1") $(cat "$1")" >> `+told+`; }`)
	p.Preset = []string{"installer", "{preset}"}
	site := openSiteOf(t, true, p, 3)
	plain, again, own := lease(t, site), lease(t, site), lease(t, site)
	for _, set := range []*driver.Set{plain, again} {
		if err := set.Installer.Enroll(t.Context(), enrollment(set)); err != nil {
			t.Fatal(err)
		}
	}
	in := enrollment(own)
	in.Preset = &driver.Preset{From: "presets/careful.yaml", Data: []byte("careful")}
	if err := own.Installer.Enroll(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(told)
	if got := strings.TrimSpace(string(data)); err != nil || got != "careful.yaml careful" {
		t.Errorf("the installer was told %q, %v", got, err)
	}
	if n := started(); n != 2 {
		t.Errorf("the installer ran %d times, want 2: once for all, once on the preset", n)
	}
}
