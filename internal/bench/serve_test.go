package bench_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// serveReady is from the start of "understudy serve" until its first line, with nothing and with a
// directory that it has kept before.
func serveReady(b *testing.B, t *table) {
	dir := b.TempDir()
	exe, runner := command(b)
	const rounds = 15
	for _, c := range []struct{ name, flag string }{{"nothing", ""}, {"a directory kept before", "--dir=" + filepath.Join(dir, "kept")}} {
		var wall []time.Duration
		for range rounds + 1 {
			wall = append(wall, firstLine(b, exe, runner, c.flag))
		}
		wall = wall[1:] // the first one makes the directory
		slices.Sort(wall)
		t.add(figure{name: "serve ready, from " + c.name + ": wall, median of 15", value: milli(wall[rounds/2], 1), target: 80, unit: "ms", format: "%.0f"})
	}
}

func firstLine(b *testing.B, exe, runner, flag string) time.Duration {
	b.Helper()
	args := []string{"serve"}
	if flag != "" {
		args = append(args, flag)
	}
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), "UNDERSTUDY_JOB="+runner)
	out, err := cmd.StdoutPipe()
	must(b, err)
	start := time.Now()
	must(b, cmd.Start())
	in := bufio.NewReader(out)
	_, err = in.ReadString('\n')
	took := time.Since(start)
	must(b, err)
	must(b, cmd.Process.Signal(os.Interrupt))
	_, err = io.Copy(io.Discard, in)
	must(b, err)
	must(b, cmd.Wait())
	return took
}
