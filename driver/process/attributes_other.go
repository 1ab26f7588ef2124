//go:build !linux

package process

import "syscall"

// attributes: a session of its own, so that the terminal's signals reach the kit alone. Where there
// are no namespaces the holder says so and the program counts as not started.
func attributes(bool) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func signalName(s syscall.Signal) string { return s.String() }
