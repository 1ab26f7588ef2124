package evidence

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
)

// MinSecret is the length in bytes below which a value is not hidden: it would match by accident.
const MinSecret = 6

// ErrTooShort says that a value cannot be hidden because it is shorter than MinSecret.
var ErrTooShort = errors.New("value is too short to be hidden safely")

// Scrubber takes known values out of what passes through it, in plain form and in the forms in
// which programs print them: base64 (also inside longer base64), percent-encoded, as in JSON, and
// line by line. It is safe for concurrent use and the zero value is ready. A value is hidden from
// the next read on, also in streams that are already being read.
//
//	var s evidence.Scrubber
//	err := s.Hide(token, "token:ci")
//	clean := s.String(log) // "Authorization: Bearer [token:ci]"
type Scrubber struct {
	mu      sync.RWMutex
	known   map[string]bool // values, and names, that were given
	labels  []*label
	values  []string
	first   [1 << 16 / 64]uint64 // which first two bytes any form has
	forms   map[[MinSecret]byte][]form
	longest int
}

// form is one way in which a value can stand in a text.
type form struct {
	text  string
	label *label
}

// label is shared by the forms of a value, because it can still change: see blank.
type label struct{ shown string }

// Hide replaces value by "[label]" from now on. A label that would itself show a hidden value
// becomes "***". Hiding a value again changes nothing.
func (s *Scrubber) Hide(value, label string) error {
	return s.add(value, "["+label+"]", secretForms(value))
}

// Rename replaces value by name as it is, such as "$FORGE" for a base URL or "$WORK" for a directory.
func (s *Scrubber) Rename(value, name string) error {
	return s.add(value, name, plainForms(value))
}

func (s *Scrubber) add(value, shown string, forms []string) error {
	if len(value) < MinSecret {
		return ErrTooShort
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known[value] {
		return nil
	}
	if s.known == nil {
		s.known, s.forms = map[string]bool{}, map[[MinSecret]byte][]form{}
	}
	s.known[value] = true
	s.values = append(s.values, value)
	l := &label{shown}
	s.labels = append(s.labels, l)
	s.blank()
	for _, f := range forms {
		s.insert(f, l)
	}
	return nil
}

// blank makes sure that no label shows what another one hides.
func (s *Scrubber) blank() {
	newest := len(s.values) - 1
	for i, l := range s.labels {
		if strings.Contains(l.shown, s.values[newest]) {
			l.shown = "***"
		}
		if strings.Contains(s.labels[newest].shown, s.values[i]) {
			s.labels[newest].shown = "***"
		}
	}
}

func (s *Scrubber) insert(text string, l *label) {
	if len(text) < MinSecret {
		return
	}
	key := [MinSecret]byte([]byte(text[:MinSecret]))
	for _, f := range s.forms[key] {
		if f.text == text {
			return
		}
	}
	bucket := append(s.forms[key], form{text, l})
	slices.SortStableFunc(bucket, func(a, b form) int { return cmp.Compare(len(b.text), len(a.text)) })
	s.forms[key] = bucket
	n := uint16(text[0])<<8 | uint16(text[1])
	s.first[n/64] |= 1 << (n % 64)
	s.longest = max(s.longest, len(text))
}

// at returns the longest form that b begins with.
func (s *Scrubber) at(b []byte) (form, bool) {
	if len(b) < MinSecret {
		return form{}, false
	}
	if n := uint16(b[0])<<8 | uint16(b[1]); s.first[n/64]&(1<<(n%64)) == 0 {
		return form{}, false
	}
	for _, f := range s.forms[[MinSecret]byte(b[:MinSecret])] {
		if len(f.text) <= len(b) && string(b[:len(f.text)]) == f.text {
			return f, true
		}
	}
	return form{}, false
}

// String returns text without the hidden values.
func (s *Scrubber) String(text string) string { return string(s.Bytes([]byte(text))) }

// Bytes returns a copy of b without the hidden values.
func (s *Scrubber) Bytes(b []byte) []byte {
	out, _, _ := s.pass(nil, b, 0, true)
	return out
}

// pass appends to out what can be decided of b: all of it at the end of a text, else all but the
// bytes at which a form may begin that is not whole yet. covered counts the bytes at the front of b
// that an earlier match covers. Forms that overlap are hidden as one stretch.
func (s *Scrubber) pass(out, b []byte, covered int, end bool) (_ []byte, used, stillCovered int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	stop := len(b)
	if !end {
		stop = max(0, len(b)-max(s.longest-1, 0))
	}
	for i := range stop {
		f, ok := s.at(b[i:])
		switch {
		case ok && i >= covered:
			out = append(out, f.label.shown...)
			covered = i + len(f.text)
		case ok:
			covered = max(covered, i+len(f.text))
		case i >= covered:
			out = append(out, b[i])
		}
	}
	return out, stop, max(0, covered-stop)
}

// Reader returns a reader of what r gives, without the hidden values, however r cuts its reads. It
// holds back as many bytes as the longest hidden form has until more arrive or r ends. The reader
// itself belongs to one goroutine.
func (s *Scrubber) Reader(r io.Reader) io.Reader { return &scrubbing{s: s, r: r} }

type scrubbing struct {
	s       *Scrubber
	r       io.Reader
	chunk   []byte
	raw     []byte // read, not yet decided
	ready   []byte // decided, not yet given
	covered int
	err     error
}

func (c *scrubbing) Read(p []byte) (int, error) {
	for idle := 0; len(c.ready) == 0 && c.err == nil; {
		if c.chunk == nil {
			c.chunk = make([]byte, 32<<10)
		}
		n, err := c.r.Read(c.chunk)
		if idle++; n > 0 {
			idle = 0
		} else if err == nil && idle == 100 {
			err = io.ErrNoProgress
		}
		c.raw, c.err = append(c.raw, c.chunk[:n]...), err
		var used int
		c.ready, used, c.covered = c.s.pass(c.ready[:0], c.raw, c.covered, err != nil)
		c.raw = append(c.raw[:0], c.raw[used:]...)
	}
	n := copy(p, c.ready)
	c.ready = c.ready[n:]
	if len(c.ready) > 0 {
		return n, nil
	}
	return n, c.err
}
