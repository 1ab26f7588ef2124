//go:build !linux

package foreground

import "syscall"

// attributes: where there are no namespaces the holder says so.
func attributes(bool) *syscall.SysProcAttr { return nil }
