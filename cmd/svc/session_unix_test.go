//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// inSession makes a program start in a new session.
func inSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
