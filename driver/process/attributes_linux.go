package process

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes of the holder: a session of its own, so that the terminal's signals reach the kit
// alone, and the namespaces in which it is the first process. Never Pdeathsig: it follows the
// thread that started the child, which Go ends while the process lives.
func attributes(namespaces bool) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setsid: true}
	if !namespaces {
		return a
	}
	a.Cloneflags = syscall.CLONE_NEWPID | syscall.CLONE_NEWNS
	if uid, gid := os.Geteuid(), os.Getegid(); uid != 0 {
		a.Cloneflags |= syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	}
	return a
}

func signalName(s syscall.Signal) string { return unix.SignalName(s) }
