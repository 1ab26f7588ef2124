//go:build !linux

package main

import (
	"errors"
	"syscall"
)

func (f *foreground) enter() ([]socket, error) {
	return nil, errors.New("network namespaces exist on Linux only")
}

func dropPrivileges() {}

func ownDeath() *syscall.SysProcAttr { return nil }
