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

// sweep ends the program's group. A grandchild that made a session of its own escapes it: there is
// no subreaper here.
func sweep(pid int, _ bool) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

func signalName(s syscall.Signal) string { return s.String() }

// ownSession starts the program in a session of its own.
func ownSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
