package foreground

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes of the holder: no session and no group of its own, as the terminal's signals are for the
// program. In a user namespace the holder keeps, over its start, the rights that it needs to furnish the
// others; it takes them from the program.
func attributes(network bool) *syscall.SysProcAttr {
	if !network {
		return nil
	}
	a := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET}
	if uid, gid := os.Geteuid(), os.Getegid(); uid != 0 {
		a.Cloneflags |= syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
		a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_NET_RAW, unix.CAP_NET_BIND_SERVICE}
	}
	return a
}
