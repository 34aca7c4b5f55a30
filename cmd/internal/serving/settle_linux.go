package serving

import (
	"os"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// leavePages takes the pages of the program's own file out of this process. They are as they
// are in the file, and stay in the system's cache of it: what is needed again is there again
// without a look at the disk. Where that cannot be done nothing is lost.
func leavePages() {
	own, err := os.Executable()
	if err != nil {
		return
	}
	self, err := procfs.Self()
	if err != nil {
		return
	}
	parts, err := self.ProcMaps()
	if err != nil {
		return
	}
	for _, part := range parts {
		if part.Pathname == own && !part.Perms.Write {
			_, _, _ = unix.Syscall(unix.SYS_MADVISE, part.StartAddr, part.EndAddr-part.StartAddr, unix.MADV_DONTNEED)
		}
	}
}
