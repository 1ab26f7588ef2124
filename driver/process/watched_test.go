package process_test

import (
	"bufio"
	"io"
	"os"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/driver"
)

// alive tells whether anything of a program is still there. All its processes inherit the write end
// of one pipe as their standard output; the pipe ends when the last of them is gone.
type alive struct {
	t    *testing.T
	read *os.File
	buf  *bufio.Reader
	end  *os.File
}

// watched returns a program whose script says "up" when all its processes are there.
func watched(t *testing.T, script string) (driver.Spec, *alive) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	s := bash("exec 1>&3; " + script)
	s.Files = []*os.File{w}
	s.Stdout = w
	return s, &alive{t: t, read: r, buf: bufio.NewReader(r), end: w}
}

func (a *alive) started() {
	a.t.Helper()
	if err := a.read.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		a.t.Fatal(err)
	}
	if line, err := a.buf.ReadString('\n'); err != nil || line != "up\n" {
		a.t.Fatalf("the program says %q, %v", line, err)
	}
	a.end.Close()
}

// gone fails the test when a process is left after two seconds, and returns what was written at the end.
func (a *alive) gone() string {
	a.t.Helper()
	if err := a.read.SetReadDeadline(time.Now().Add(2 * time.Second)); err != nil {
		a.t.Fatal(err)
	}
	rest, err := io.ReadAll(a.buf)
	if err != nil {
		a.t.Fatalf("processes are left: %v", err)
	}
	return string(rest)
}
