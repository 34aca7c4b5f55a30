package code

import (
	"os/exec"
	"syscall"
)

// What a child may take besides the memory of its script: the program itself, and the
// copies of what it is sent and sends.
const (
	childBytes = 512 << 20
	copies     = 4
)

// confine takes from the child what it never needs. It is a second fence: scripts reach
// nothing but the engine.
func confine() {
	for _, resource := range []int{syscall.RLIMIT_CORE, syscall.RLIMIT_FSIZE} {
		_ = syscall.Setrlimit(resource, &syscall.Rlimit{}) // where the system has no such limit, there is none
	}
}

// limit bounds the memory that the child may ask the system for.
func limit(memoryMB int) {
	var now syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_DATA, &now) == nil {
		now.Cur = min(now.Max, uint64(childBytes+copies*memoryMB<<20))
		_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &now)
	}
}

// apart keeps signals from the terminal away from the child: whoever waits for it decides
// when it ends.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
