//go:build !linux

package step

import "syscall"

// maxDescriptor is as far as Seal looks; there is no portable list of what is open.
const maxDescriptor = 1024

// Seal keeps all descriptors from first on out of the programs that this process starts.
func Seal(first int) {
	for fd := first; fd < maxDescriptor; fd++ {
		syscall.CloseOnExec(fd)
	}
}
