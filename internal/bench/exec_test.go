package bench_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"
)

// execAdds is what "understudy exec" adds to a program, from start to end, on both rungs: a forge with a
// repository is made and taken down in it.
func execAdds(b *testing.B, t *table) {
	exe, runner := command(b)
	rows := []struct {
		argv []string
		wall []time.Duration
		cpu  []time.Duration
	}{{argv: []string{"true"}}, {argv: []string{exe, "exec", "--rung", "proxy", "true"}}, {argv: []string{exe, "exec", "--rung", "name", "true"}}}
	const rounds = 20
	for range rounds {
		for i := range rows {
			cmd := exec.Command(rows[i].argv[0], rows[i].argv[1:]...)
			cmd.Env = append(os.Environ(), "UNDERSTUDY_JOB="+runner)
			start := time.Now()
			if out, err := cmd.CombinedOutput(); err != nil {
				if i == 2 {
					return // this machine gives no networks
				}
				b.Fatalf("%q: %v\n%s", rows[i].argv, err, out)
			}
			u := cmd.ProcessState.SysUsage().(*syscall.Rusage)
			rows[i].wall = append(rows[i].wall, time.Since(start))
			rows[i].cpu = append(rows[i].cpu, time.Duration(u.Utime.Nano()+u.Stime.Nano()))
		}
	}
	for i := range rows {
		slices.Sort(rows[i].wall)
		slices.Sort(rows[i].cpu)
	}
	ms := func(d time.Duration) float64 { return milli(d, 1) }
	for _, r := range rows[1:] {
		t.add(figure{name: "exec adds to a program by " + r.argv[3] + ": wall, least of 20", value: ms(r.wall[0] - rows[0].wall[0]), target: 60, unit: "ms", format: "%.0f",
			peer: fmt.Sprintf("true alone: %.1f ms; median %.0f ms; CPU of all its processes %.0f ms, median %.0f ms",
				ms(rows[0].wall[0]), ms(r.wall[rounds/2]), ms(r.cpu[0]), ms(r.cpu[rounds/2]))})
	}
}
