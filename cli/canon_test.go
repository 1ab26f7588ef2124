package cli_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/understudy-dev/understudy/cli"
	"github.com/understudy-dev/understudy/result"
)

// TestRunsAreEqual runs the acceptance suite one scenario after the other, eight at once, and in
// random orders: what must be equal is.
func TestRunsAreEqual(t *testing.T) {
	var first string
	for i, args := range [][]string{
		{"--jobs", "1", "--seed", "1"},
		{"--jobs", "8", "--seed", "2"},
		{"--jobs", "4", "--seed", fmt.Sprint(1 + rand.IntN(1_000_000))},
	} {
		out := t.TempDir()
		code, text := run(t, cli.Options{}, append([]string{"run", acceptance, "--out", out}, args...)...)
		if code != 0 {
			t.Fatalf("%v: exit code %d\n%s", args, code, text)
		}
		r, err := result.Read(filepath.Join(out, "record.json"))
		if err != nil {
			t.Fatal(err)
		}
		if code, text := run(t, cli.Options{}, "judge", out, "--strict"); code != 0 || !strings.HasPrefix(text, "same verdicts") {
			t.Errorf("%v: judged again, exit code %d\n%s", args, code, text)
		}
		if code, text := run(t, cli.Options{}, "report", out, "--out", out+"/again.ndjson"); code != 0 {
			t.Errorf("%v: messages, exit code %d\n%s", args, code, text)
		}
		got := string(result.Canon(r))
		if i == 0 {
			first = got
		} else if diff := cmp.Diff(first, got); diff != "" {
			t.Errorf("%v (-first +this): %s", args, diff)
		}
	}
}
