package bench_test

import (
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/understudy-dev/understudy/driver"
	"github.com/understudy-dev/understudy/driver/job"
	"github.com/understudy-dev/understudy/driver/process"
)

const hundredMB = 100 << 20

// artifact runs a job that uploads a file of 100 MB, which does not compress, and downloads it again. The
// same job without the two steps is taken off.
func artifact(b *testing.B, t *table) {
	runner, err := job.Find(b.Context(), job.Options{Explicit: os.Getenv("UNDERSTUDY_JOB")})
	must(b, err)
	set := lease(b, runner, process.Namespaces(b.Context(), runner) == nil)
	data := filepath.Join(b.TempDir(), "data")
	f, err := os.Create(data)
	must(b, err)
	_, err = io.CopyN(f, rand.Reader, hundredMB)
	must(b, err)
	must(b, f.Close())
	bare := transfer(b, set, data, "bare", "")
	for _, level := range []string{"0", "6"} {
		tr := transfer(b, set, data, "level"+level, `
      - uses: actions/upload-artifact@v4
        with: {path: data, compression-level: `+level+`}
      - uses: actions/download-artifact@v4
        with: {path: got, name: artifact}
      - run: cmp data got/data`)
		target := 0.0
		if level == "0" {
			target = 2
		}
		t.add(figure{
			name: "artifact of 100 MB, up and down, compression-level " + level, value: (tr.wall - bare.wall).Seconds(), target: target, unit: "s", format: "%.2f",
			peer: fmt.Sprintf("CPU: server %.2f s, job %.2f s; the server's heap grows by %.0f MB", (tr.self - bare.self).Seconds(), (tr.children - bare.children).Seconds(), tr.heap),
		})
	}
}

// moved is what one run cost.
type moved struct {
	wall, self, children time.Duration
	heap                 float64 // MB, at most
}

// transfer pushes a workflow whose one job takes the data and does the steps, and waits for its end.
func transfer(b *testing.B, set *driver.Set, data, name, steps string) (m moved) {
	b.Helper()
	admin, err := set.Forge.As("admin")
	must(b, err)
	r := driver.Repo{Owner: set.Place.Org, Name: name}
	must(b, admin.Repos.Create(b.Context(), driver.NewRepo{Repo: r, AutoInit: true}))
	quiet(b, set)
	before := heapNow()
	stop, peak := make(chan struct{}), make(chan uint64)
	go func() { // heap grows and shrinks while the job runs; only looking at it tells
		most := before
		for tick := time.NewTicker(5 * time.Millisecond); ; {
			select {
			case <-tick.C:
				most = max(most, heapNow())
			case <-stop:
				tick.Stop()
				peak <- most
				return
			}
		}
	}()
	var c cost
	c.add(b, func() {
		_, err = admin.Files.Commit(b.Context(), r, driver.NewCommit{Message: "Add workflow", Files: []driver.NewFile{{
			Path: ".github/workflows/w.yml", Content: []byte("on: push\njobs:\n  one:\n    runs-on: ubuntu-latest\n    steps:\n      - run: ln " + data + " data || cp " + data + " data" + steps + "\n"),
		}}})
		must(b, err)
		quiet(b, set)
	})
	close(stop)
	m.heap = float64(<-peak-before) / 1e6
	runs, err := admin.Runs.List(b.Context(), r, driver.RunFilter{})
	must(b, err)
	if len(runs) != 1 || runs[0].Conclusion != "success" {
		b.Fatalf("runs of %s: %+v", name, runs)
	}
	m.wall, m.self, m.children = c.wall, c.self, c.children
	return m
}

// heapNow is what the process's live and not yet collected objects take.
func heapNow() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
