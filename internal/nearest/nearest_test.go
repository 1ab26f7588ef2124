package nearest_test

import (
	"testing"

	"github.com/understudy-dev/understudy/internal/nearest"
)

func TestOf(t *testing.T) {
	words := []string{"name", "names", "install", "get", "capabilities", "größe"}
	for typed, want := range map[string]string{
		"nmae": "name", "namse": "name", "nam": "name", "Names": "names", "instal": "install", "isntlal": "install",
		"capabilites": "capabilities", "capability": "", "git": "get", "gi": "", "xyz": "", "": "", "grösse": "", "größ": "größe",
		"a-word-that-is-far-too-long-to-be-meant": "",
	} {
		if got := nearest.Of(typed, words); got != want {
			t.Errorf("%q: got %q, want %q", typed, got, want)
		}
	}
	if got := nearest.Of("x", nil); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}
