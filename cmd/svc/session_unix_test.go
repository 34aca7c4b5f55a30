//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// inSession has a program start in a session of its own.
func inSession(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
