//go:build !unix

package exec

import "os/exec"

// Groups that are killed as one are not known here: a command is killed alone.

func together(*exec.Cmd) {}

func killAll(*exec.Cmd) {}
