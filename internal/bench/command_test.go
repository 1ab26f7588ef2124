package bench_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/understudy-dev/understudy/driver/job"
)

// command builds the command, and finds the job runner for it.
func command(b *testing.B) (exe, runner string) {
	b.Helper()
	exe = filepath.Join(b.TempDir(), "understudy")
	if out, err := exec.Command("go", "build", "-o", exe, "../../cmd/understudy").CombinedOutput(); err != nil {
		b.Fatalf("build understudy: %v\n%s", err, out)
	}
	runner, err := job.Find(b.Context(), job.Options{Explicit: os.Getenv("UNDERSTUDY_JOB")})
	must(b, err)
	return exe, runner
}
