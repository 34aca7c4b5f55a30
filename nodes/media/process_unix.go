//go:build unix && !linux

package media

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// hasDescriptors is false where files opened by /dev/fd share their offset with the
// original descriptor.
const hasDescriptors = false

func own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// bound lowers the priority of a process; these systems cannot limit another process.
func bound(pid int, _ limits) { _ = unix.Setpriority(unix.PRIO_PGRP, pid, 10) }
