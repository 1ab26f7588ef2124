//go:build !linux

package main

import (
	"errors"
	"syscall"
)

func isolate(namespace bool) error {
	if namespace {
		return errors.New("namespaces exist on Linux only")
	}
	return nil
}

// maxDescriptor is as far as seal looks; there is no portable list of what is open.
const maxDescriptor = 1024

// seal keeps all descriptors from first on out of the programs this process starts.
func seal(first int) {
	for fd := first; fd < maxDescriptor; fd++ {
		syscall.CloseOnExec(fd)
	}
}

// sweep ends the program's group. A grandchild that made a session of its own escapes it: there is
// no subreaper here.
func sweep(pid int, _ bool) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

func signalName(s syscall.Signal) string { return s.String() }
