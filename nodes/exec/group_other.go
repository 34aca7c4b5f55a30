//go:build !unix

package exec

import "os/exec"

// There are no process groups here, so only the command itself is killed.

func together(*exec.Cmd) {}

func killAll(*exec.Cmd) {}
