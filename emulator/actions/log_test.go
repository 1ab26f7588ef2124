package actions_test

import (
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/emulator/actions"
)

// A line of a megabyte arrives whole, whatever is in it, also where JSON makes six bytes of one.
func TestLogOfLongLines(t *testing.T) {
	p := start(t, onLabel+`jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: head -c 1000000 /dev/zero | tr '\0' '\1'; echo "$KEY"; head -c 3000000 /dev/urandom; echo; echo done
        env: {KEY: "${{ secrets.KEY }}"}
`, func(_ *actions.Options, m *memory) { m.secrets = map[string]string{"KEY": "s3cr3t-value"} })
	p.label("bug")
	p.settle()
	log := p.log("a")
	if !strings.Contains(log, " "+strings.Repeat("\x01", 1_000_000)+"***\n") || !strings.HasSuffix(log, " done\n") || len(log) < 3_000_000 {
		t.Errorf("%s: %d bytes, at the end %q", p.report(), len(log), log[max(0, len(log)-300):])
	}
}
