package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// tryKind runs a kind's script in a namespace of it, and of users unless root asks.
func (m machine) tryKind(ctx context.Context, k kind, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, briefly)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", k.script, "sh", dir)
	cmd.Env = m.env
	cmd.WaitDelay = time.Second
	flags := map[string]uintptr{"namespace.pid": syscall.CLONE_NEWPID, "namespace.mount": syscall.CLONE_NEWNS, "namespace.net": syscall.CLONE_NEWNET}[k.name]
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: flags}
	if os.Geteuid() != 0 || flags == 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	if text := strings.TrimSpace(string(out)); err != nil && text != "" {
		return fmt.Errorf("%w: %s", err, text)
	}
	return err
}
