package main_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// cpu is the processor time of all children that this process has waited for.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func measure(b *testing.B, one func()) {
	b.Helper()
	before := cpu(b)
	for b.Loop() {
		one()
	}
	b.ReportMetric(float64(cpu(b)-before)/float64(b.N)/1e6, "cpu-ms/op")
}

// BenchmarkStart is the start of the bare executable. Target: 8 ms of processor time.
func BenchmarkStart(b *testing.B) {
	measure(b, func() {
		if err := exec.Command(job(), "version").Run(); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkHold is a program on a lifeline, where /usr/bin/true alone takes about 1 ms.
func BenchmarkHold(b *testing.B) {
	measure(b, func() {
		if err := exec.Command(job(), "hold", "--", "true").Run(); err != nil {
			b.Fatal(err)
		}
	})
}

// BenchmarkOneStepJob is one job with one step, with all its processes. Target: 25 ms of processor time.
func BenchmarkOneStepJob(b *testing.B) {
	s := spec(b, workflow("", "- run: echo hi"))
	in, err := json.Marshal(s)
	if err != nil {
		b.Fatal(err)
	}
	measure(b, func() {
		cmd := exec.Command(job(), "run")
		cmd.Stdin = bytes.NewReader(in)
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
		if err := os.RemoveAll(s.Dir); err != nil {
			b.Fatal(err)
		}
		if err := os.Mkdir(s.Dir, 0o755); err != nil {
			b.Fatal(err)
		}
	})
}
