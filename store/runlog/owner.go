package runlog

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/svcflow/svc/store"
)

// sign writes into a lock file who holds the lock, for people. Where a locked file cannot
// be written to, as on Windows, or the disk is full, the file stays as it is: nothing
// depends on it.
func sign(lock string) {
	host, _ := os.Hostname() // in containers process ids repeat
	_ = os.WriteFile(lock, fmt.Appendf(nil, "%d %s\n", os.Getpid(), host), 0o600)
}

// inUse is [ErrRunsInUse] with the directory, and the process that has signed its lock.
func inUse(dir, lock string) error {
	return fmt.Errorf("%w: %s has %s; stop it, or choose another data directory", store.ErrRunsInUse, signer(lock), dir)
}

// signer words who has signed a lock file.
func signer(lock string) string {
	text, err := os.ReadFile(lock)
	pid, host, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	if _, malformed := strconv.ParseUint(pid, 10, 32); err != nil || malformed != nil {
		return "a process that did not say which it is"
	}
	if here, _ := os.Hostname(); host == "" || host == here {
		return "process " + pid
	}
	return fmt.Sprintf("process %s on %q", pid, host)
}
