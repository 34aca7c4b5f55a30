//go:build unix

package private

import "syscall"

// attributes returns those of a process that runs as an account, if that is not nil. It has a
// process group of its own, so that signals for the program that started it do not reach it.
func attributes(as *account) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true}
	if as != nil {
		a.Credential = &syscall.Credential{Uid: uint32(as.uid), Gid: uint32(as.gid)}
	}
	return a
}
