package step

import (
	"bytes"
	"fmt"
	"io"
)

const (
	// MaxLine bounds one line of a step's output. What is longer is cut there.
	MaxLine = 16 << 20
	// LineCost is what a line takes beyond its text: the log has a time in front of each.
	LineCost = 30

	maxOutput = 64 << 20 // bytes of a step's lines, as they are in the log
)

// stream passes a step's output on as GitHub's runner reads it: line by line, where a carriage return
// ends a line too, the last line is complete, and space before a workflow command does not count. When
// there is more than a log can hold, only commands still pass.
type stream struct {
	w      io.Writer
	line   []byte
	wasCR  bool // the last byte ended a line and was a carriage return
	passed int
	told   bool
	out    []byte
}

func (s *stream) Write(p []byte) (int, error) {
	n := len(p)
	s.out = s.out[:0]
	if s.wasCR && n > 0 {
		s.wasCR = false
		p = bytes.TrimPrefix(p, []byte("\n"))
	}
	for len(p) > 0 {
		end := bytes.IndexAny(p, "\r\n")
		if end < 0 {
			s.add(p)
			break
		}
		s.add(p[:end])
		s.endLine()
		cr := p[end] == '\r'
		p = p[end+1:]
		if cr {
			s.wasCR = len(p) == 0
			p = bytes.TrimPrefix(p, []byte("\n"))
		}
	}
	_, err := s.w.Write(s.out)
	return n, err
}

func (s *stream) add(p []byte) {
	s.line = append(s.line, p[:min(len(p), MaxLine-len(s.line))]...)
}

func (s *stream) endLine() {
	line := s.line
	s.line = s.line[:0]
	bare := bytes.TrimLeft(line, " \t")
	command := bytes.HasPrefix(bare, []byte("::"))
	if command {
		line = bare
	}
	s.passed += len(line) + LineCost
	if s.passed > maxOutput && !command {
		if s.told {
			return
		}
		s.told = true
		line = fmt.Appendf(nil, "::warning::The log of this step ends here: it is larger than %d MiB.", maxOutput>>20)
	}
	s.out = append(append(s.out, line...), '\n')
}

// close completes the last line, which act would otherwise lose.
func (s *stream) close() error {
	if len(s.line) == 0 {
		return nil
	}
	s.out = s.out[:0]
	s.endLine()
	_, err := s.w.Write(s.out)
	return err
}
