package apart

import (
	"os/exec"
	"syscall"
)

// The memory of a child in addition to that of its work: for the program itself, and for
// copies of messages.
const (
	childBytes = 512 << 20
	copies     = 4
)

// confine takes rights from the child that it never needs. It is a second line of defence:
// the engine in the child gives a script no access either.
func confine() {
	for _, resource := range []int{syscall.RLIMIT_CORE, syscall.RLIMIT_FSIZE} {
		_ = syscall.Setrlimit(resource, &syscall.Rlimit{}) // an error means that the system lacks this limit
	}
}

// Limit bounds the memory of this process, a child: the given bytes for its work, and a
// fixed part for the program.
func Limit(memoryMB int) {
	var now syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_DATA, &now) == nil {
		now.Cur = min(now.Max, uint64(childBytes+copies*memoryMB<<20))
		_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &now)
	}
}

// apart puts the child into a process group, so that signals from the terminal do not reach
// it: the parent decides when it ends.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
