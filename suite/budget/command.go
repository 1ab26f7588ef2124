package budget

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// goTest is what go test takes without -timeout (https://pkg.go.dev/cmd/go#hdr-Testing_flags).
const goTest = 10 * time.Minute

// shellCommand is one command of a script, by its words.
type shellCommand struct {
	words []string
	text  string
	line  int // from 1, of the script
}

// split cuts a script into its commands as a shell would, as far as that tells a command from the next one and
// a word from the next one: nothing is expanded, and what stands in brackets is no command of its own.
func split(script string) []shellCommand {
	s := splitter{line: 1}
	runes := []rune(script)
	for i := 0; i < len(runes); i++ {
		r, next := runes[i], rune(0)
		if i+1 < len(runes) {
			next = runes[i+1]
		}
		switch {
		case r == '\\' && next != 0 && s.quote != '\'':
			s.escaped(next)
			i++
		case s.quote == 0 && r == '#' && !s.inWord:
			for i+1 < len(runes) && runes[i+1] != '\n' {
				i++
			}
		default:
			s.take(r)
		}
	}
	s.endCommand()
	return s.all
}

type splitter struct {
	all    []shellCommand
	c      shellCommand
	word   strings.Builder
	text   strings.Builder
	inWord bool
	quote  rune // 0 is none
	line   int
}

func (s *splitter) take(r rune) {
	if s.quote == 0 && strings.ContainsRune("\n;|&", r) {
		s.endCommand()
	} else {
		s.text.WriteRune(r)
		switch {
		case s.quote == 0 && strings.ContainsRune(" \t\r", r):
			s.endWord()
		case s.quote == r:
			s.quote = 0
		case s.quote == 0 && (r == '\'' || r == '"'):
			s.quote = r
			s.begin()
		default:
			s.add(r)
		}
	}
	if r == '\n' {
		s.line++
	}
}

// escaped takes what stands behind a backslash; a command goes on behind one at the end of its line.
func (s *splitter) escaped(r rune) {
	if r == '\n' {
		s.line++
		s.text.WriteByte(' ')
		if s.quote == 0 {
			s.endWord()
		}
		return
	}
	s.text.WriteRune(r)
	s.add(r)
}

func (s *splitter) begin() {
	if s.inWord = true; s.c.line == 0 {
		s.c.line = s.line
	}
}

func (s *splitter) add(r rune) {
	s.begin()
	s.word.WriteRune(r)
}

func (s *splitter) endWord() {
	if s.inWord {
		s.c.words = append(s.c.words, s.word.String())
	}
	s.inWord = false
	s.word.Reset()
}

func (s *splitter) endCommand() {
	s.endWord()
	if len(s.c.words) > 0 {
		s.c.text = strings.Join(strings.Fields(s.text.String()), " ")
		s.all = append(s.all, s.c)
	}
	s.c = shellCommand{}
	s.text.Reset()
}

// logicalLine is a line with those in which it goes on.
type logicalLine struct {
	number int
	text   string
}

func logicalLines(text string) (all []logicalLine) {
	goesOn := false
	for i, line := range strings.Split(text, "\n") {
		if goesOn {
			all[len(all)-1].text += "\n" + line
		} else {
			all = append(all, logicalLine{i + 1, line})
		}
		goesOn = strings.HasSuffix(strings.TrimRight(line, "\r"), "\\")
	}
	return all
}

// test is a command that runs tests.
type test struct {
	shellCommand
	name         string // "go test" or "understudy run"
	timeout      string // as given; "" is not
	flag         string // the name of the time-out
	jobs, repeat int
}

var goWord = regexp.MustCompile(`^(go|\$[({]GO[)}])$`)

// testCommand reads a command that runs go test, or understudy run.
func testCommand(c shellCommand) (t test, ok bool) {
	t.shellCommand = c
	w := slices.Clone(c.words)
	if len(w) > 0 {
		w[0] = strings.TrimLeft(w[0], "@+-") // of a Makefile's line
	}
	at := func(i int) string {
		if i < len(w) {
			return path.Base(w[i])
		}
		return ""
	}
	for i := range w {
		understudy, _, _ := strings.Cut(at(i), "@")
		switch {
		case goWord.MatchString(at(i)) && at(i+1) == "test":
			t.name = "go test"
			t.flag, t.timeout = flagOf(w[i+2:], "-timeout", "--timeout", "-test.timeout", "--test.timeout")
		case understudy == "understudy" && at(i+1) == "run":
			t.name = "understudy run"
			t.flag, t.timeout = flagOf(w[i+2:], "--timeout")
			t.jobs, t.repeat = numberOf(w[i+2:], "--jobs"), numberOf(w[i+2:], "--repeat")
		default:
			continue
		}
		if t.flag == "" { // what timeout(1) says
			t.flag, t.timeout = outer(w[:i])
		}
		return t, true
	}
	return t, false
}

// flagOf is the last value that one of the names has.
func flagOf(words []string, names ...string) (flag, value string) {
	for i, w := range words {
		if w == "-args" || w == "--args" {
			break
		}
		name, v, joined := strings.Cut(w, "=")
		if !slices.Contains(names, name) {
			continue
		}
		if !joined && i+1 < len(words) {
			v = words[i+1]
		}
		flag, value = name, v
	}
	return flag, value
}

func numberOf(words []string, name string) int {
	_, v := flagOf(words, name)
	n, _ := strconv.Atoi(v) // what is no number the command itself refuses
	return n
}

var seconds = regexp.MustCompile(`^\d+(\.\d+)?[smhd]?$`)

// outer is the time that timeout(1) gives what follows it.
func outer(words []string) (flag, value string) {
	i := slices.IndexFunc(words, func(w string) bool { return path.Base(w) == "timeout" })
	if i < 0 {
		return "", ""
	}
	for j := i + 1; j < len(words); j++ {
		switch w := words[j]; {
		case w == "-k" || w == "-s" || w == "--kill-after" || w == "--signal":
			j++
		case strings.HasPrefix(w, "-"):
		case seconds.MatchString(w):
			if strings.ContainsAny(w[len(w)-1:], "0123456789") {
				w += "s"
			}
			return "timeout", w
		default:
			return "timeout", w
		}
	}
	return "", ""
}

// limit is the time-out of a test command. The place is that of the command.
func (t test) limit(at Place) (Limit, error) {
	l := Limit{Place: at, Said: t.flag != "", As: strings.TrimSpace(t.flag + " " + t.timeout)}
	switch {
	case t.flag == "" && t.name == "go test":
		l.Time, l.As = goTest, "go test without -timeout, which is 10m,"
		return l, nil
	case t.flag == "":
		l.As = t.name + " has no time-out"
		return l, nil
	case t.timeout == "0":
		l.As += " is no time-out"
		return l, nil
	}
	d, err := duration(t.timeout)
	if err != nil {
		return l, fmt.Errorf("the time-out of %s is %q, which cannot be read as a time", t.name, t.timeout)
	}
	if l.Time = d; d == 0 {
		l.As += " is no time-out"
	}
	return l, nil
}

// duration reads a time as Go writes it, and days, which timeout(1) has.
func duration(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		if err != nil || n < 0 || n > 1000 {
			return 0, fmt.Errorf("%q is no time", text)
		}
		return time.Duration(n * 24 * float64(time.Hour)), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is no time", text)
	}
	return d, nil
}
