package step

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// trackingID is the variable by which GitHub's runner, too, finds what a job left behind.
const trackingID = "RUNNER_TRACKING_ID"

// maxRounds bounds the search against a program that forks faster than it can be killed.
const maxRounds = 1000

// End ends the step whose wrapper was killed: its process group, and what else carries its id. It
// does nothing when the last step ended by itself; what that one left running is for later steps.
func (c Control) End() {
	b, err := os.ReadFile(c.Path(Group))
	if err != nil {
		return
	}
	_ = os.Remove(c.Path(Group))
	id, group, _ := strings.Cut(string(b), " ")
	if pid, err := strconv.Atoi(group); err == nil && pid > 1 {
		_ = syscall.Kill(-pid, syscall.SIGKILL)
	}
	if id == "" {
		return
	}
	for range maxRounds {
		pids := carrying(trackingID + "=" + id)
		if len(pids) == 0 {
			return
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// carrying lists the live processes with this variable in their environment. There are none to be
// seen where there is no /proc.
func carrying(variable string) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		// A process that has ended but was not waited for has no environment any more.
		env, err := os.ReadFile("/proc/" + e.Name() + "/environ")
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			continue
		}
		if bytes.Contains(append([]byte{0}, env...), []byte("\x00"+variable+"\x00")) {
			pids = append(pids, pid)
		}
	}
	return pids
}
