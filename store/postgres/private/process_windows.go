package private

import "syscall"

// attributes returns those of a process with a process group of its own, so that Ctrl+C in the
// console of the program that started it does not end it.
func attributes(*account) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
