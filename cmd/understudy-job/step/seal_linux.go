package step

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// Seal keeps all descriptors from first on out of the programs that this process starts.
func Seal(first int) {
	if unix.CloseRange(uint(first), ^uint(0)>>1, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	entries, _ := os.ReadDir("/proc/self/fd") // before Linux 5.11
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd >= first {
			syscall.CloseOnExec(fd)
		}
	}
}
