//go:build unix

package private

import "syscall"

// attributes returns the attributes of a process that runs as an account; nil means the current
// user. The process gets a new process group, so that signals to the parent's group do not reach
// it.
func attributes(as *account) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true}
	if as != nil {
		a.Credential = &syscall.Credential{Uid: uint32(as.uid), Gid: uint32(as.gid)}
	}
	return a
}
