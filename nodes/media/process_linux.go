package media

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

const hasDescriptors = true

// own puts the process into a new process group, which is killed as a whole. The system
// kills the process if the service dies.
func own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// bound lowers the priority of a process and sets its limits. An error means that it has
// already ended, so errors are ignored.
func bound(pid int, l limits) {
	_ = unix.Setpriority(unix.PRIO_PGRP, pid, 10)
	for resource, most := range map[int]uint64{unix.RLIMIT_FSIZE: l.written, unix.RLIMIT_CPU: l.seconds, unix.RLIMIT_AS: l.memory, unix.RLIMIT_CORE: 0} {
		_ = unix.Prlimit(pid, resource, &unix.Rlimit{Cur: most, Max: most}, nil)
	}
}
