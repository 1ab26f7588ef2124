//go:build linux

package main_test

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestNetworkMustBeNew gives exec all namespaces but that of the network: it must not touch the one it is
// in, where somebody's programs have their connections. (In the user namespace of this test it could not.)
func TestNetworkMustBeNew(t *testing.T) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := os.NewFile(uintptr(fds[0]), "ours"), os.NewFile(uintptr(fds[1]), "theirs")
	defer ours.Close()
	cmd := exec.Command(job(), "exec", "--control-fd", "3", "--network", "140.82.121.3", "--", "true")
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	if err := cmd.Start(); err != nil {
		t.Skip("skipped: this machine gives no namespaces:", err)
	}
	theirs.Close()
	said := make([]byte, 4096)
	n, _ := ours.Read(said) // what it says before it ends
	err = cmd.Wait()
	if exitCode(err) == 0 || !strings.Contains(string(said[:n]), "no new network") {
		t.Errorf("%v, and it says %q", err, said[:n])
	}
}
