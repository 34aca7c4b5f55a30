package apart

import (
	"os/exec"
	"syscall"
)

// What a child may take besides the memory of its work: the program itself, and the
// copies of what it is sent and sends.
const (
	childBytes = 512 << 20
	copies     = 4
)

// confine takes from the child what it never needs. It is a second fence: what runs
// in it reaches nothing outside.
func confine() {
	for _, resource := range []int{syscall.RLIMIT_CORE, syscall.RLIMIT_FSIZE} {
		_ = syscall.Setrlimit(resource, &syscall.Rlimit{}) // where the system has no such limit, there is none
	}
}

// Limit bounds the memory that this process, which is one apart, may ask the system for: by
// so much for what it works on, and some for itself.
func Limit(memoryMB int) {
	var now syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_DATA, &now) == nil {
		now.Cur = min(now.Max, uint64(childBytes+copies*memoryMB<<20))
		_ = syscall.Setrlimit(syscall.RLIMIT_DATA, &now)
	}
}

// apart keeps signals from the terminal away from the child: whoever waits for it decides
// when it ends.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
