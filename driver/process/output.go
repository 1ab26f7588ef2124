package process

import (
	"fmt"
	"io"
)

// limited passes on max bytes, says once that more came, and takes the rest for nothing: a program
// must not block, or see an error, because its output is too long.
type limited struct {
	w    io.Writer
	max  int64
	seen int64
}

func limit(w io.Writer, max int64) io.Writer {
	if w == nil {
		return nil
	}
	return &limited{w: w, max: max}
}

func (l *limited) Write(p []byte) (int, error) {
	left := l.max - l.seen
	if left < 0 {
		return len(p), nil
	}
	if int64(len(p)) <= left {
		l.seen += int64(len(p))
		return l.w.Write(p)
	}
	l.seen = l.max + 1
	if _, err := l.w.Write(p[:left]); err != nil {
		return 0, err
	}
	if _, err := fmt.Fprintf(l.w, "\n[output cut after %d bytes]\n", l.max); err != nil {
		return 0, err
	}
	return len(p), nil
}
