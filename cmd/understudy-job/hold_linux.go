package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// maxSweeps bounds the sweep against a program that forks faster than it can be killed.
const maxSweeps = 100_000

// isolate prepares this process to own everything it will start. In a PID namespace the kernel
// does it; elsewhere this process becomes the parent of every orphan below it.
func isolate(namespace bool) error {
	if !namespace {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("become subreaper: %w", err)
		}
		return nil
	}
	if os.Getpid() != 1 {
		return errors.New("hold --ns: not the first process of a PID namespace")
	}
	// Without the right to mount, /proc stays the outer one; programs still find themselves in it.
	if err := unix.Mount("", "/", "", unix.MS_PRIVATE|unix.MS_REC, ""); err == nil {
		_ = unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
	}
	return nil
}

// sweep ends what the program left behind. In a namespace that happens when this process exits.
func sweep(pid int, namespace bool) {
	if namespace {
		return
	}
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	for range maxSweeps {
		if _, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); errors.Is(err, syscall.ECHILD) {
			return // the usual case, without a look at all processes
		}
		for _, p := range descendants(os.Getpid()) {
			_ = syscall.Kill(p, syscall.SIGKILL)
		}
		// Killed children turn up here, and orphans of theirs become ours in the next round.
		if _, err := syscall.Wait4(-1, nil, 0, nil); errors.Is(err, syscall.ECHILD) {
			return
		}
	}
}

// descendants lists all processes below root, from one look at /proc.
func descendants(root int) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if parent, ok := parentOf(pid); ok {
			children[parent] = append(children[parent], pid)
		}
	}
	var all []int
	for queue := children[root]; len(queue) > 0; queue = queue[1:] {
		all = append(all, queue[0])
		queue = append(queue, children[queue[0]]...)
	}
	return all
}

// parentOf reads the fourth field of /proc/PID/stat. The second one, the name, may hold anything.
func parentOf(pid int) (int, bool) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	end := bytes.LastIndexByte(b, ')')
	if end < 0 {
		return 0, false
	}
	fields := strings.Fields(string(b[end+1:]))
	if len(fields) < 2 {
		return 0, false
	}
	parent, err := strconv.Atoi(fields[1])
	return parent, err == nil
}

func signalName(s syscall.Signal) string { return unix.SignalName(s) }

// ownSession starts the program in a session of its own. The kernel ends it when this process is
// killed before it could tell anybody about it: the signal follows the thread that forked, which is
// why run locks it.
func ownSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}
