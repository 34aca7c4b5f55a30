//go:build unix

package exec

import (
	"os/exec"
	"syscall"
)

// together puts a command and its children into a process group, which is killed as a
// whole.
func together(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// killAll kills the processes that a command has left running.
func killAll(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // usually fails, as no process is left
	}
}
