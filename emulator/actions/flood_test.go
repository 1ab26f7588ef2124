package actions_test

import (
	"strings"
	"testing"

	"github.com/understudy-dev/understudy/emulator/actions"
)

// TestLogFlood: a job that prints more than is kept goes on, and its log says where it ends; so does one that prints a line without an end; bytes that are no text do not hurt.
func TestLogFlood(t *testing.T) {
	const most = 256 << 10
	for name, tc := range map[string]struct{ run, want, words string }{
		"many lines": {`yes "a line of a log" | head -n 60000; echo done >"$DIR/mark"`, "run ci.yml success\n  a success\n", "the log ends here: it is larger than 262144 bytes"},
		"one line":   {`head -c 9000000 /dev/zero | tr '\\0' a`, "run ci.yml success\n  a success\n", "the log ends here: it is larger than 262144 bytes"},
		"no text":    {`printf '\\377\\376\\0\\1\\n'; echo after`, "run ci.yml success\n  a success\n", "after"},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, onLabel+"jobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: |\n          "+strings.ReplaceAll(tc.run, `\\`, `\`)+"\n")
			actions.SetLogSize(p.engine, most)
			p.label("bug")
			p.settle()
			log := p.log("a")
			if got := p.report(); got != tc.want {
				t.Errorf("%s\n%.2000s", got, log)
			}
			if len(log) > most+1<<10 {
				t.Errorf("%d bytes of log are kept", len(log))
			}
			if !strings.Contains(log, tc.words) {
				t.Errorf("the log does not say %q: …%s", tc.words, log[max(0, len(log)-500):])
			}
		})
	}
}
