package apart

import (
	"os/exec"
	"syscall"
)

// What a child may take in addition to the memory of its work: the program itself, and
// copies of messages.
const (
	childBytes = 512 << 20
	copies     = 4
)

// confine takes rights from the child that it never needs. It is a second line of defence:
// the engine in the child gives a script no access either.
func confine() {
	for _, resource := range []int{syscall.RLIMIT_CORE, syscall.RLIMIT_FSIZE} {
		_ = syscall.Setrlimit(resource, &syscall.Rlimit{}) // where the system has no such limit, there is none
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
