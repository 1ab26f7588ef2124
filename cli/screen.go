package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/understudy-dev/understudy/report/text"
	"github.com/understudy-dev/understudy/result"
)

// screen shows a run: on a terminal a live line below the finished scenarios, elsewhere one line
// for each finished scenario. A failure is shown as one block, never interleaved.
type screen struct {
	mu      sync.Mutex
	w       io.Writer
	errors  io.Writer // what ends the command goes here
	live    bool      // w is a terminal
	o       text.Options
	total   int
	ended   int
	running map[string]string // scenario → what it does
	drawn   bool              // the live line is on the screen
}

func newScreen(w, errors io.Writer) *screen {
	s := &screen{w: w, errors: errors, running: map[string]string{}, o: text.Options{Width: 100}}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		s.live = true
		s.o.Color = os.Getenv("NO_COLOR") == ""
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 20 {
			s.o.Width = width
		}
	}
	return s
}

// status shows what is being prepared: a line that the next one replaces, or a line of its own.
func (s *screen) status(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live {
		s.draw("… " + what)
		return
	}
	fmt.Fprintf(s.w, "… %s\n", what)
}

func (s *screen) note(what string) { s.printf("%s\n", what) }

func (s *screen) printf(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	fmt.Fprintf(s.w, format, args...)
}

// begin is told which scenarios there will be, how often each, and where their evidence goes.
func (s *screen) begin(ids []string, trials int, dir string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.o.Base = filepath.ToSlash(dir) + "/"
	s.total, s.ended = len(ids)*trials, 0
	for _, id := range ids {
		s.o.Column = max(s.o.Column, utf8.RuneCountInString(id))
	}
}

func (s *screen) done() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.erase()
	clear(s.running)
}

// progress is called by the suite, one event at a time.
func (s *screen) progress(e result.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := fmt.Sprintf("%s (%d)", e.Scenario, e.Trial)
	switch e.Kind {
	case "started":
		s.running[key] = e.Scenario
	case "step":
		s.running[key] = fmt.Sprintf("%s %d/%d %s", e.Scenario, e.Step, e.Steps, e.Text)
	case "finished":
		delete(s.running, key)
		s.ended++
		s.erase()
		if e.Result.Verdict == result.Failed || e.Result.Verdict == result.Broken {
			fmt.Fprintln(s.w, text.Block(*e.Result, s.o))
			break
		}
		fmt.Fprintln(s.w, text.Line(*e.Result, s.o))
	}
	if s.live {
		s.draw(s.liveLine())
	}
}

func (s *screen) liveLine() string {
	what := make([]string, 0, len(s.running))
	for _, r := range s.running {
		what = append(what, r)
	}
	sort.Strings(what)
	if len(what) == 0 {
		return ""
	}
	return fmt.Sprintf("%s %d/%d  %s", bar(s.ended, s.total), s.ended, s.total, strings.Join(what, " · "))
}

func bar(done, total int) string {
	const width = 20
	full := 0
	if total > 0 {
		full = min(width, done*width/total)
	}
	return "[" + strings.Repeat("█", full) + strings.Repeat("·", width-full) + "]"
}

// draw puts one line under everything else, cut to the screen's width.
func (s *screen) draw(line string) {
	s.erase()
	if line == "" {
		return
	}
	if r := []rune(line); len(r) > s.o.Width-1 {
		line = string(r[:s.o.Width-2]) + "…"
	}
	fmt.Fprint(s.w, line)
	s.drawn = true
}

func (s *screen) erase() {
	if s.drawn {
		fmt.Fprint(s.w, "\r\x1b[K")
		s.drawn = false
	}
}

// broken shows why there is no record, and is the error for that.
func (s *screen) broken(err error) error {
	s.done()
	s.mu.Lock()
	defer s.mu.Unlock()
	complain(s.errors, err)
	return exitError(exitBroken)
}

func (s *screen) blocks(rec result.Record) {
	for sc := range rec.Scenarios() {
		if sc.Verdict == result.Failed || sc.Verdict == result.Broken {
			s.printf("%s\n", text.Block(sc, s.o))
		}
	}
}

// summary is the run's last lines: what was wrong with the run as a whole, counts, where to look.
func (s *screen) summary(k kept) {
	o := s.o
	o.Report, o.Record = k.page(), k.recordPath()
	for _, fault := range idleFaults(k.record) {
		s.printf("the fault %s never struck: nothing that a scenario did was what it waits for\n", fault)
	}
	s.printf("%s\n", strings.TrimRight(text.Summary(k.record, o), "\n"))
}

// orders says in how many orders each scenario that passed was tried.
func (s *screen) orders(rec result.Record) {
	for sc := range rec.Scenarios() {
		if sc.Order == nil || sc.Order.Tried == 0 || sc.Verdict != result.Passed {
			continue
		}
		all := ""
		if sc.Order.All {
			all = ", which is all there are"
		}
		s.note(fmt.Sprintf("  %s passed in %d orders of deliveries and jobs%s", sc.ID, sc.Order.Tried, all))
	}
}
