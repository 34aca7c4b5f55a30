package private

import "syscall"

// attributes returns the attributes of a process in a new process group, so that Ctrl+C in the
// parent's console does not end it.
func attributes(*account) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
